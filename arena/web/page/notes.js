/* The moves of a game at the board, and what was seen before one. */

import { element, named } from "../../report/viewer/element.js";
import { MoveList } from "../../report/viewer/moves.js";
import { durationText, grouped } from "../../report/viewer/words.js";
import { keyOf, positionAt } from "./game_state.js";
import { capital } from "./game_words.js";

/** @import { GameState } from "./documents.js" */
/** @import { Ply, Step } from "../../report/viewer/ply.js" */

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
    const colour = positionAt(state, place).turn;
    const { person, name } = state.sides[colour];
    this.host.replaceChildren(...this.elements(state.moves[place], person ? "the program" : name, colour, (list) => {
      this.onply(place);
      this.onarrows(list);
    }));
  }

  /** @param {Ply} turn */
  elements({ text, note }, name, colour, onarrows) {
    const rows = [
      ["Score", note.score && `${note.score} for ${capital(colour)}`], ["Depth", note.depth || ""],
      ["Nodes", note.nodes ? grouped(note.nodes) : ""], ["Time", durationText(note.seconds)],
      ["Cutoffs", note.cutoffs ? grouped(note.cutoffs) : ""], ["Line", note.line?.length > 1 ? lineButtons(note.line, onarrows, "line") : ""],
    ];
    return [
      element("h2.game-noted", {}, "What ", named(name), " saw before ", element("strong", {}, text)),
      element("dl.viewer-facts", {}, rows.filter(([, value]) => value).map(([label, value]) => [element("dt", {}, label), element("dd", {}, value)])),
      ...(note.figures?.length ? [element("pre.game-figures", { "aria-label": "As the program printed it" }, note.figures.join("\n"))] : []),
    ];
  }
}
