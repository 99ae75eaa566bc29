/* What stands around the board: who plays, who is to move, clocks, what can be done, how it ended. */

import { element, named } from "../../report/viewer/element.js";
import { counted } from "../../report/viewer/words.js";
import { COLOURS, HASTE, capital, clockText, personsOf, positionAt } from "./game_state.js";
import { store } from "./store.js";

/** @import { Colour, GameState } from "./documents.js" */
/** @import { Points } from "../../report/viewer/ply.js" */

/** @typedef {{pieces: string, points?: Points|null}} Counted what is on a board, and what it counts */

const TICK = 200; // milliseconds between two looks at a clock

export class Panel {
  /* `parts` are those of the view. */
  constructor(parts) {
    this.parts = parts;
    /** @type {Record<string, HTMLElement|null>} */
    this.clocks = {};
    setInterval(() => this.tick(), TICK);
    parts.actions = Object.fromEntries([...parts.game.querySelectorAll("[data-action]")].map((button) => [button.dataset.action, button]));
  }

  /* Show only what belongs to a mode: setup, game or over. */
  mode(name) {
    this.parts.game.dataset.mode = name;
    for (const part of this.parts.game.querySelectorAll("[data-of]")) part.classList.toggle("off", !part.dataset.of.split(" ").includes(name));
  }

  /**
   * Show a state, of which a position is looked at; `flipped` if Black is below, `live` if the game is there.
   * @param {GameState} state
   * @param {Counted} position
   * @param {{flipped: boolean, live: boolean}} view
   */
  show(state, position, { flipped, live }) {
    const { sides, outcome, turn } = state;
    const own = (colour) => (personsOf(state).length === 2 ? capital(colour) : "You");
    const name = (colour) => (sides[colour].person ? own(colour) : sides[colour].name);
    this.strips({ white: name("white"), black: name("black") }, outcome ? null : turn, position, flipped, Boolean(state.clocks));
    const { headline, subline, status } = this.parts;
    headline.textContent = state.headline;
    subline.textContent = state.subline;
    status.classList.toggle("game-waits", state.thinking && !outcome);
    this.parts.actions.hint.classList.toggle("game-waits", Boolean(state.hint && !state.hint.done));
    status.classList.toggle("game-yours", live && state.legal.length > 0);
    status.classList.toggle("game-ended", Boolean(outcome));
    this.tools(state, live);
    this.tick();
  }

  /**
   * The strips above and below the board; `turn` is the side to move, null if none is.
   * @param {Record<Colour, string>} names
   * @param {Colour|null} turn
   * @param {Counted} position
   */
  strips(names, turn, { pieces, points }, flipped, areTimed = false) {
    const [upper, lower] = flipped ? COLOURS : [...COLOURS].reverse();
    this.clocks = {};
    for (const [host, colour] of /** @type {[HTMLElement, Colour][]} */ ([[this.parts.upper, upper], [this.parts.lower, lower]])) {
      const left = [...pieces].filter((letter) => letter.toLowerCase() === colour[0]).length;
      const clock = areTimed ? element("span.game-clock", { "role": "timer", "aria-label": `${capital(colour)}'s clock` }) : null;
      this.clocks[colour] = clock;
      host.replaceChildren(element(`span.disc.disc-${colour}`, { "aria-hidden": "true" }), named(names[colour], "strip-name"),
        element("span.game-left", {}, [counted(left, "piece"), ...(points ? [counted(points[colour], "point")] : [])].join(", ")), clock || "");
      host.classList.toggle("to-move", turn === colour);
    }
  }

  /**
   * Show which tools there are, and which can be used.
   * @param {GameState} state
   * @param {boolean} live
   */
  tools(state, live) {
    const { actions } = this.parts;
    const { sides, outcome } = state;
    const persons = personsOf(state).length;
    const over = Boolean(outcome);
    const set = (name, isThere, can) => {
      actions[name].hidden = !isThere;
      actions[name].disabled = !can;
    };
    set("undo", true, state.moves.some((_, place) => !persons || sides[positionAt(state, place).turn].person));
    set("hint", !over, live && state.legal.length > 0);
    set("stop", persons < 2 && !over, state.thinking);
    set("pass", live && state.legal.some(({ paths }) => paths.some((path) => !path.length)), true);
    set("pause", !persons && !over, true);
    set("sides", persons < 2 && !over, true);
    set("resign", persons > 0 && !over, true);
    set("fresh", !over, true);
    actions.pause.querySelector("span").textContent = state.paused ? "Go on" : "Pause";
    actions.pause.querySelector("path").setAttribute("d", state.paused ? "M7 4l12 8-12 8z" : "M8 5v14M16 5v14");
    actions.swapped.hidden = persons === 2;
    actions.fromhere.hidden = live;
    for (const [name, end] of [["first", 0], ["back", 0], ["forward", state.moves.length], ["now", state.moves.length]]) {
      this.parts.game.querySelector(`.game-steps [data-action=${name}]`).disabled = store.ply === end;
    }
  }

  /* Show the clocks as they are now. */
  tick() {
    const { game, received } = store;
    if (!game || !game.clocks) return;
    for (const colour of COLOURS) {
      const shown = this.clocks[colour];
      if (!shown) continue;
      const runs = game.running && !game.outcome && game.turn === colour;
      const passed = runs ? (performance.now() - received) / 1000 : 0;
      const left = Math.max(0, game.clocks[colour] - passed);
      shown.textContent = clockText(left);
      shown.classList.toggle("game-haste", left < HASTE);
    }
  }
}
