/* What stands around the board: who plays, who is to move, clocks, what can be done, how it ended. */

import { element, named } from "../../report/viewer/element.js";
import { counted } from "../../report/viewer/words.js";
import { COLOURS, HUMAN, capital, clockText, personsOf, positionAt, store } from "./state.js";

/** @import { Colour, GameState } from "./documents.js" */
/** @import { Points } from "../../report/viewer/ply.js" */

const HASTE = 20; // seconds below which a clock is marked
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

  /**
   * Show a state, of which a position is looked at; `flipped` if Black is below, `live` if the game is there.
   * @param {GameState} state
   * @param {{flipped: boolean, live: boolean}} view
   */
  show(state, { flipped, live }) {
    const { outcome } = state;
    const { headline, subline, status, actions, game } = this.parts;
    game.dataset.mode = outcome ? "over" : "game";
    this.strips({ ...state, turn: outcome ? null : state.turn }, positionAt(state, store.ply), flipped);
    headline.textContent = state.headline;
    subline.textContent = state.subline;
    status.classList.toggle("game-waits", state.thinking && !outcome);
    status.classList.toggle("game-yours", live && state.legal.length > 0);
    status.classList.toggle("game-ended", Boolean(outcome));
    actions.hint.classList.toggle("game-waits", Boolean(state.hint && !state.hint.done));
    this.tools(state, live);
    this.tick();
  }

  /**
   * The strips above and below the board; `turn` is the side to move, null if none is.
   * @param {{names: Record<Colour, string>, request: Record<Colour, string>, turn: Colour|null, clocks?: Record<Colour, number>|null}} state
   * @param {{pieces: string, points?: Points|null}} position
   */
  strips({ names, request, turn, clocks }, { pieces, points }, flipped) {
    const [upper, lower] = flipped ? COLOURS : [...COLOURS].reverse();
    const areTwo = personsOf({ request }).length === 2;
    this.clocks = {};
    for (const [host, colour] of /** @type {[HTMLElement, Colour][]} */ ([[this.parts.upper, upper], [this.parts.lower, lower]])) {
      const left = [...pieces].filter((letter) => letter.toLowerCase() === colour[0]).length;
      const name = request[colour] !== HUMAN ? names[colour] : areTwo ? capital(colour) : "You";
      const clock = clocks ? element("span.game-clock", { "role": "timer", "aria-label": `${capital(colour)}'s clock` }) : null;
      this.clocks[colour] = clock;
      host.replaceChildren(element(`span.disc.disc-${colour}`, { "aria-hidden": "true" }), named(name, "strip-name"),
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
    const colours = personsOf(state);
    const persons = colours.length;
    const goesOn = !state.outcome;
    const set = (name, isThere, can = true) => Object.assign(actions[name], { hidden: !isThere, disabled: !can });
    set("undo", true, state.moves.some((_, place) => !persons || colours.includes(positionAt(state, place).turn)));
    set("hint", goesOn, live && state.legal.length > 0);
    set("stop", persons < 2 && goesOn, state.thinking);
    set("pass", live && state.legal.some(({ paths }) => !paths[0].length));
    set("pause", !persons && goesOn);
    set("sides", persons < 2 && goesOn);
    set("resign", persons > 0 && goesOn);
    set("swapped", persons < 2);
    set("fresh", goesOn);
    actions.pause.querySelector("span").textContent = state.paused ? "Go on" : "Pause";
    for (const [name, end] of [["first", 0], ["back", 0], ["forward", state.moves.length], ["now", state.moves.length]]) {
      actions[name].disabled = store.ply === end;
    }
  }

  /* Show the clocks as they are now. */
  tick() {
    const { game, received } = store;
    if (!game?.clocks) return;
    for (const colour of COLOURS.filter((each) => this.clocks[each])) {
      const passed = game.running && game.turn === colour ? (performance.now() - received) / 1000 : 0;
      const left = game.clocks[colour] - passed;
      this.clocks[colour].textContent = clockText(left);
      this.clocks[colour].classList.toggle("game-haste", left < HASTE);
    }
  }
}
