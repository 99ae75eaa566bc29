/* The table of the game view: the board of a rule set, the view from either side, and mouse, finger and keys on it. For
   the keyboard and for screen readers it is a grid of which each square is a cell, with a cursor. */

import { element, pictureOf } from "../../report/viewer/element.js";
import { Hand } from "./hand.js";
import { PlayBoard } from "./playboard.js";
import { request } from "./server.js";

/** @import { Ply } from "../../report/viewer/ply.js" */
/** @import { BoardDocument, PositionDocument } from "./documents.js" */

const SLOP = 6; // pixels that a tap may move
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const WORDS = { w: "white man", W: "white king", b: "black man", B: "black king" };

/** @type {Map<string, Promise<BoardDocument>>} */
const boards = new Map(); // what was asked for, by the name of the variant

export class Table {
  /* `host` gets the board and the focus; `on` is that of Hand, but for `draw`. */
  constructor(host, on) {
    this.host = host;
    this.hand = new Hand({ ...on, draw: (pieces, signs) => this.draw(pieces, signs) });
    /** @type {PlayBoard|null} */
    this.board = null;
    this.variant = this.wanted = "";
    this.offered = ""; // the key of what is offered
    this.last = null; // the move that led to what is shown
    this.cursor = 1; // the square of the keyboard
    /** @type {{number: number, holds: boolean, at: number[], drags: boolean}|null} */
    this.held = null; // where the pointer is down
    this.grid = element("div.game-cells");
    host.append(this.grid);
    host.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["focus", "blur"]) host.addEventListener(kind, () => this.mark(host.matches(":focus-visible")));
  }

  /**
   * Have the board of a variant; a promise of its start.
   * @param {string} variant
   * @returns {Promise<PositionDocument>}
   */
  async take(variant) {
    this.wanted = variant;
    if (!boards.has(variant)) {
      boards.set(variant, request(`/api/board?${new URLSearchParams({ variant })}`));
      boards.get(variant).catch(() => boards.delete(variant));
    }
    const { svg, look, start } = await boards.get(variant);
    if (this.variant !== variant && this.wanted === variant) {
      Object.assign(this, { variant, cursor: 1 });
      const picture = pictureOf(svg);
      this.host.querySelector("svg")?.remove();
      this.host.prepend(picture);
      picture.addEventListener("pointerdown", (event) => this.down(event));
      picture.addEventListener("pointermove", (event) => this.move(event));
      picture.addEventListener("pointerup", (event) => this.up(event));
      picture.addEventListener("pointercancel", () => this.release());
      picture.addEventListener("touchstart", (event) => { if (this.held?.holds) event.preventDefault(); }, { passive: false });
      this.board = new PlayBoard(picture, look);
      this.arrange();
      this.offer({ ...start, last: null, legal: [] });
    }
    return start;
  }

  /* Show a position in which the person may play the moves of `legal`; once, if it has a key. */
  offer({ key = "", last, pieces, turn, legal }) {
    if (key && key === this.offered) return;
    Object.assign(this, { offered: key, last });
    this.board.arrows([]);
    this.hand.offer({ pieces, turn, legal });
  }

  /* Show pieces with signs on squares, and say what is on each. */
  draw(pieces, signs) {
    const { movable, chosen, steps, ends } = signs;
    this.board.show(pieces, this.last);
    this.board.sign({ ...signs, cursor: this.board.signs.cursor });
    [...pieces].forEach((letter, place) => {
      const number = place + 1;
      const words = [`${number}`, WORDS[letter] || "empty"];
      if (movable.includes(number)) words.push("can move");
      if (chosen.includes(number)) words.push("picked up");
      if (ends.includes(number) || steps.includes(number)) words.push("can go here");
      const cell = this.grid.querySelector(`#cell-${number}`);
      cell.textContent = words.join(", ");
      cell.setAttribute("aria-selected", String(chosen.includes(number)));
    });
  }

  /* Turn the board so that White, or Black if `flipped`, is below. */
  turn(flipped) {
    if (this.board.flipped === flipped) return;
    this.board.flip();
    this.arrange();
    this.hand.draw();
  }

  /**
   * Have the moves that led to the position that is shown walk over the board, until anything else is shown.
   * @param {Ply[]} moves
   * @param {string} before
   * @param {number} skip
   */
  async walk(moves, before, skip) {
    let pieces = before;
    for (const [place, { path, squares, pieces: after }] of moves.entries()) {
      const letter = pieces[squares.origin - 1];
      const captured = squares.captured.map((number) => [number, pieces[number - 1]]).filter(([, taken]) => taken !== ".");
      this.board.show(after, squares);
      if (letter && letter !== "." && !(await this.board.walk(place ? path : path.slice(skip), letter, captured))) return;
      pieces = after;
    }
  }

  down(event) {
    if (event.button || this.held) return;
    const number = this.board.squareAt(event.clientX, event.clientY);
    if (!number) return;
    this.held = { number, holds: this.hand.holds(number), at: [event.clientX, event.clientY], drags: false };
    this.board.svg.setPointerCapture(event.pointerId);
    this.mark(false);
  }

  move(event) {
    const { held } = this;
    if (!held?.holds) return;
    if (!held.drags && Math.hypot(event.clientX - held.at[0], event.clientY - held.at[1]) > SLOP) {
      held.drags = true;
      this.hand.lift(held.number);
    }
    const use = held.drags && this.board.use(held.number);
    if (!use) return;
    const [[x, y], [fromX, fromY]] = [this.board.point(event.clientX, event.clientY), this.board.centre(held.number)];
    use.setAttribute("transform", `translate(${x - fromX} ${y - fromY})`);
    use.classList.add("dragged");
    if (use.nextSibling) use.parentNode.append(use);
  }

  up(event) {
    if (!this.held) return;
    const { number, drags } = this.held;
    const to = this.board.squareAt(event.clientX, event.clientY);
    this.release();
    if (drags && to && to !== number) this.hand.pick(to, true);
    else if (to === number && !drags) this.hand.pick(to);
  }

  release() {
    const use = this.held && this.board.use(this.held.number);
    use?.removeAttribute("transform");
    use?.classList.remove("dragged");
    this.held = null;
  }

  /* Lay the cells out as the board now stands. */
  arrange() {
    const at = (number) => this.board.corner(number);
    const numbers = this.board.squares.map((_, place) => place + 1);
    const tops = [...new Set(numbers.map((number) => at(number)[1]))].sort((a, b) => a - b);
    /** @type {number[][]} */
    this.rows = tops.map((top) => numbers.filter((number) => at(number)[1] === top).sort((a, b) => at(a)[0] - at(b)[0]));
    this.grid.replaceChildren(...this.rows.map((row, index) => element("div", { "role": "row", "aria-rowindex": index + 1 },
      row.map((number) => element("span", {
        "role": "gridcell", "id": `cell-${number}`, "aria-colindex": at(number)[0] / this.board.look.unit + 1,
      })))));
    this.mark(this.board.signs.cursor?.length > 0);
  }

  /* Have the cursor of the keyboard seen, or not. */
  mark(isSeen) {
    if (!this.board) return;
    this.board.sign({ ...this.board.signs, cursor: isSeen ? [this.cursor] : [] });
    this.host.setAttribute("aria-activedescendant", `cell-${this.cursor}`);
  }

  key(event) {
    if (!this.board || event.ctrlKey || event.altKey || event.metaKey || event.target !== this.host) return;
    const step = STEPS[event.key];
    if (step) {
      const within = (place, list) => list[Math.max(0, Math.min(list.length - 1, place))];
      const row = this.rows.findIndex((numbers) => numbers.includes(this.cursor));
      this.cursor = within(this.rows[row].indexOf(this.cursor) + step[1], within(row + step[0], this.rows));
      this.mark(true);
    } else if (event.key === "Enter") this.hand.pick(this.cursor);
    else if (event.key === "Escape") this.hand.put();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
