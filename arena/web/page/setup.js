/* The form that sets up a game: rules, players, clock, position. */

import { element } from "../../report/viewer/element.js";
import { say } from "./messages.js";
import { request } from "./server.js";
import { Sides } from "./sides.js";
import { HUMAN, capital, personsOf, store, swapped } from "./state.js";

/** @import { Offer } from "./documents.js" */

const TYPED = 350; // milliseconds after the last key before a FEN is tried
const CLOCKS = ["none", "1+0", "3+2", "5+3", "10+5", "15+10"]; // minutes each, and seconds added per move

export class Setup {
  /**
   * `on.preview()` shows what is set up; `on.begin()` begins it.
   * @param {any} parts
   * @param {Offer} offer
   */
  constructor(parts, offer, on) {
    this.parts = parts;
    this.offer = offer;
    this.on = on;
    this.form = parts.setup;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    const { variant, size, clock, fen } = this.form.elements;
    clock.append(...CLOCKS.map((words) => element("option", {}, words)));
    variant.append(...[...new Set(offer.variants.map(({ base }) => base))].map((base) => element("option", { value: base }, base)));
    this.sides = new Sides(parts.players, offer, () => this.changed());
    variant.addEventListener("change", () => { this.sizes(); this.rules(); });
    size.addEventListener("change", () => this.rules());
    fen.addEventListener("input", () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.typed(), TYPED); });
    this.form.addEventListener("submit", (event) => { event.preventDefault(); on.begin(); });
    this.sizes();
    const { name, first, usual } = this.variant;
    this.sides.show({ variant: name, ...(first === "white" ? { white: HUMAN, black: usual } : { white: usual, black: HUMAN }) });
  }

  /* The sizes of board that the rules go with; their own is chosen. */
  sizes() {
    const { variant, size } = this.form.elements;
    const variants = this.offer.variants.filter(({ base }) => base === variant.value);
    size.replaceChildren(...variants.map(({ name, columns, rows }) => element("option", { value: name }, `${columns}\u00a0×\u00a0${rows}`)));
    size.value = variant.value;
  }

  get variant() {
    return this.offer.variants.find(({ name }) => name === this.form.elements.size.value);
  }

  /* Other rules: who begins still begins, against the same opponent if it plays by them, from the same position if they
     have it. */
  rules() {
    const [before, after] = [this.offer.variants.find(({ name }) => name === this.sides.variant), this.variant];
    const { white, black, seconds } = before.first === after.first ? this.sides.value : swapped(this.sides.value);
    const kept = (key) => {
      const player = this.sides.player(key);
      const plays = player && key !== before.usual && (!player.variants || player.variants.includes(after.name));
      return key === HUMAN || plays ? key : after.usual;
    };
    this.sides.shown = "";
    this.sides.show({ variant: after.name, white: kept(white), black: kept(black), seconds });
    this.typed(true);
  }

  swap() {
    const players = swapped(this.sides.value);
    this.sides.shown = "";
    this.sides.show({ variant: this.variant.name, ...players });
    this.changed();
  }

  /* Show what is set up, and say who plays and how to begin. */
  changed() {
    const { parts, variant, sides } = this;
    const turn = store.position ? store.position.turn : variant.first;
    const other = turn === "white" ? "black" : "white";
    const begins = this.name(sides.value[turn]);
    const [person] = personsOf({ request: sides.value });
    const isYours = person === turn && sides.value[other] !== HUMAN;
    parts.about.textContent = `${variant.about} · ${variant.columns}\u00a0×\u00a0${variant.rows}, ${capital(variant.first)} begins`;
    parts.drawing.hidden = !variant.draws;
    parts.invitation.textContent = !person ? `${this.name(sides.value.white)} plays ${this.name(sides.value.black)}.`
      : isYours ? `You are ${capital(turn)} and begin against ${this.name(sides.value[other])}.`
      : sides.value[turn] === HUMAN ? `Two people at one board: ${capital(turn)} begins.` : `You are ${capital(person)}; ${begins} begins.`;
    this.on.preview();
  }

  name(key) {
    return this.sides.player(key)?.name ?? key;
  }

  /* What POST /api/games takes; a FEN as it stands in the form, so that a wrong one is refused. */
  get request() {
    const { clock, draws, fen } = this.form.elements;
    const [minutes, increment] = clock.value.split("+").map(Number);
    return {
      variant: this.variant.name, draws: draws.checked || !this.variant.draws, ...this.sides.value, fen: fen.value.trim() || undefined,
      clock: minutes ? { seconds: 60 * minutes, increment } : undefined,
    };
  }

  /* Say what is wrong with the position where it stands, in a panel that may be folded. */
  refuse(words) {
    const { wrong } = this.parts;
    wrong.closest("details").open = true;
    wrong.textContent = words;
    this.form.elements.fen.focus();
  }

  /* Show the position of the FEN; one that is wrong is `dropped`, or said to be. */
  async typed(dropped = false) {
    const { fen: field } = this.form.elements;
    const [fen, variant] = [field.value.trim(), this.variant.name];
    const { wrong } = this.parts;
    let [position, problem] = [null, ""];
    if (fen) {
      await request(`/api/board?${new URLSearchParams({ variant, fen })}`)
        .then(({ start }) => { position = start; }, ({ message }) => { problem = message; });
      if (field.value.trim() !== fen || this.variant.name !== variant) return;
    }
    if (problem && dropped) {
      field.value = problem = "";
      say("These rules do not have the position: the usual start is set up.");
    }
    wrong.textContent = problem;
    store.position = position;
    this.changed();
  }
}
