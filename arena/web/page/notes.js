/* The moves of a game at the board, and what was seen before one. */

import { element, named } from "../../report/viewer/element.js";
import { MoveList } from "../../report/viewer/moves.js";
import { unbroken } from "../../report/viewer/words.js";
import { keyOf, positionAt } from "./game_state.js";

/** @import { GameState } from "./documents.js" */
/** @import { Step } from "../../report/viewer/ply.js" */

const STEPS = { ArrowLeft: -1, ArrowUp: -2, ArrowRight: 1, ArrowDown: 2 };

export class Moves {
  /* `onply` is called with the ply to look at. */
  constructor(host, onply) {
    this.host = host;
    this.list = new MoveList(host, onply);
    this.shown = "";
    host.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {GameState} state */
  show(state, ply) {
    const { moves } = state;
    const shown = keyOf(state, moves.length);
    if (shown !== this.shown) {
      this.shown = shown;
      this.list.fill(moves.map(({ text }) => text));
      if (!moves.length) this.host.replaceChildren(element("p.small", {}, "No moves yet."));
    }
    this.list.mark(ply);
  }

  key(event) {
    const { buttons } = this.list;
    const step = STEPS[event.key];
    const place = buttons.indexOf(document.activeElement);
    if (!step || place < 0) return;
    event.preventDefault();
    const next = buttons[Math.max(0, Math.min(buttons.length - 1, place + step))];
    next.focus();
    next.click();
  }
}

/**
 * Moves of a line as buttons: a click draws arrows of the moves so far. `kind` is that of the first arrow.
 * @param {Step[]} line
 */
export function lineButtons(line, onarrows, kind) {
  const arrows = (place) => line.slice(0, place + 1).map(({ path }, index) => ({ path, kind: index === place ? kind : "past" }));
  return line.flatMap(({ text }, place) => [element("button.link.line-move", { type: "button", onclick: () => onarrows(arrows(place)) }, text), " "]);
}

/* What a player saw before its move: the last one up to the ply that is looked at. */
export class Noted {
  /* `onply` is called with the ply to look at, `onarrows` with arrows to draw. */
  constructor(host, onply, onarrows) {
    this.host = host;
    this.onply = onply;
    this.onarrows = onarrows;
    this.shown = "";
  }

  /**
   * @param {GameState} state
   * @param {number} ply
   */
  show(state, ply) {
    const place = state.moves.slice(0, ply).findLastIndex(({ note }) => note);
    this.host.hidden = place < 0;
    const shown = keyOf(state, place + 1);
    if (place < 0 || shown === this.shown) return;
    this.shown = shown;
    const { person, name } = state.sides[positionAt(state, place).turn];
    const { text, note } = state.moves[place];
    const arrows = (list) => {
      this.onply(place);
      this.onarrows(list);
    };
    this.host.replaceChildren(
      element("h2.game-noted", {}, "What ", named(person ? "the program" : name), " saw before ", element("strong", {}, text)),
      element("p", {}, unbroken([note.said, note.facts].filter(Boolean).join(", "))),
      note.line.length > 1 ? element("p", {}, "Line: ", lineButtons(note.line, arrows, "line")) : "");
  }
}
