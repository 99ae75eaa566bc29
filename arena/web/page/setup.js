/* The form that sets up a game: rules, players, clock, position. */

import { element } from "../../report/viewer/element.js";
import { say } from "./dialogs.js";
import { capital, swapped } from "./game_state.js";
import { get } from "./server.js";
import { HUMAN, Sides } from "./sides.js";
import { store } from "./store.js";

/** @import { Offer } from "./documents.js" */

const TYPED = 350; // milliseconds after the last key before a FEN is tried
const CLOCKS = ["none", "1+0", "3+2", "5+3", "10+5", "15+10"]; // minutes each, and seconds added per move

export class Setup {
  /**
   * `on.preview({variant, position, white, black})` shows what is set up; `on.begin()` begins it.
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
    this.sizes();
    this.sides = new Sides(parts.players, offer, () => this.changed());
    variant.addEventListener("change", () => { this.sizes(); this.rules(); });
    size.addEventListener("change", () => this.rules());
    fen.addEventListener("input", () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.typed(), TYPED); });
    this.form.addEventListener("submit", (event) => { event.preventDefault(); on.begin(); });
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

  /* The usual start and players of the variant: a person begins. */
  usual() {
    const { name, first, usual } = this.variant;
    this.show(name, first === "white" ? { white: HUMAN, black: usual } : { white: usual, black: HUMAN });
    this.changed();
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
    this.show(after.name, { white: kept(white), black: kept(black), seconds });
    this.typed(true);
  }

  swap() {
    this.show(this.variant.name, swapped(this.sides.value));
    this.changed();
  }

  show(variant, players) {
    this.sides.shown = "";
    this.sides.show({ variant, ...players });
  }

  changed() {
    const { white, black } = this.sides.value;
    const { variant } = this;
    this.parts.about.textContent = `${variant.about} · ${variant.columns}\u00a0×\u00a0${variant.rows}, ${variant.first === "white" ? "White" : "Black"} begins`;
    this.parts.drawing.hidden = !variant.draws;
    this.invite();
    this.on.preview({ variant: variant.name, position: store.position, white, black });
  }

  /* Say who plays and how to begin. */
  invite() {
    const { white, black } = this.sides.value;
    const persons = [white, black].filter((key) => key === HUMAN).length;
    if (!this.sides.variant) return;
    const mover = this.turn === "white" ? white : black;
    this.parts.opening.textContent = mover === HUMAN && persons === 1 ? "Your move" : "A new game";
    this.parts.invitation.textContent = this.invitation(white, black, persons);
  }

  /* The colour that begins. */
  get turn() {
    return store.position ? store.position.turn : this.variant.first;
  }

  invitation(white, black, persons) {
    const [mover, other] = this.turn === "white" ? [white, black] : [black, white];
    const colour = capital(this.turn);
    if (persons === 2) return `Two people at one board: ${colour} begins. Move a piece.`;
    if (!persons) return `${this.name(white)} plays ${this.name(black)}. Press Begin to watch.`;
    if (mover === HUMAN) return `You are ${colour} and begin against ${this.name(other)}. Move a piece, and the game is on.`;
    return `You are ${colour === "White" ? "Black" : "White"}; ${this.name(mover)} begins. Press Begin.`;
  }

  name(key) {
    return this.sides.player(key)?.name ?? key;
  }

  /* What POST /api/games takes; a FEN as it stands in the form, so that a wrong one is refused. */
  get request() {
    const { clock, draws } = this.form.elements;
    const [minutes, increment] = clock.value.split("+").map(Number);
    /** @type {Record<string, any>} */
    const asked = { variant: this.variant.name, draws: draws.checked || !this.variant.draws, ...this.sides.value };
    const fen = this.form.elements.fen.value.trim();
    if (fen) asked.fen = fen;
    if (minutes) asked.clock = { seconds: 60 * minutes, increment };
    return asked;
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
    const isOld = () => field.value.trim() !== fen || this.variant.name !== variant;
    const { wrong } = this.parts;
    wrong.textContent = "";
    if (!fen) {
      store.position = null;
      return this.changed();
    }
    try {
      const { start } = await get(`/api/board?${new URLSearchParams({ variant, fen })}`, { quiet: true });
      if (isOld()) return undefined;
      store.position = start;
    } catch (error) {
      if (isOld()) return undefined;
      store.position = null;
      if (dropped) {
        field.value = "";
        say("These rules do not have the position: the usual start is set up.");
      } else wrong.textContent = error.message;
    }
    return this.changed();
  }
}
