/* The board for the keyboard and for screen readers: a grid of which each square is a cell, with a cursor. */

import { element } from "../../report/viewer/element.js";

/** @import { PlayBoard } from "./playboard.js" */

const WORDS = { w: "white man", W: "white king", b: "black man", B: "black king" };

export class Cells {
  /* `host` holds the board and has the focus; `on.pick(number)` and `on.put()` are what keys do. */
  constructor(host, on) {
    this.host = host;
    this.on = on;
    /** @type {PlayBoard|null} */
    this.board = null;
    /** @type {number[][]} */
    this.rows = []; // the numbers of the squares, as they stand
    this.row = 0; // of the cursor
    this.place = 0;
    this.isSeen = false;
    this.grid = element("div.game-cells");
    host.append(this.grid);
    host.addEventListener("keydown", (event) => this.key(event));
    host.addEventListener("focus", () => this.see(host.matches(":focus-visible")));
    for (const kind of ["blur", "pointerdown"]) host.addEventListener(kind, () => this.see(false));
  }

  take(board) {
    this.board = board;
    this.arrange();
    this.go(1);
  }

  /* Lay the cells out as the board now stands. */
  arrange() {
    const rows = new Map();
    this.board.squares.forEach((_, place) => {
      const [x, y] = this.board.corner(place + 1);
      if (!rows.has(y)) rows.set(y, []);
      rows.get(y).push([x, place + 1]);
    });
    this.rows = [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]) => row.sort(([a], [b]) => a - b).map(([, number]) => number));
    const { unit } = this.board.look;
    this.grid.replaceChildren(...this.rows.map((row, index) => element("div", { "role": "row", "aria-rowindex": index + 1 },
      row.map((number) => element("span", {
        "role": "gridcell", "id": `cell-${number}`, "aria-colindex": this.board.corner(number)[0] / unit + 1,
      })))));
  }

  /* Say what is on each square. */
  tell(pieces, { movable = [], chosen = [], steps = [], ends = [] }) {
    [...pieces].forEach((letter, place) => {
      const number = place + 1;
      const cell = this.grid.querySelector(`#cell-${number}`);
      const words = [`${number}`, WORDS[letter] || "empty"];
      if (movable.includes(number)) words.push("can move");
      if (chosen.includes(number)) words.push("picked up");
      if (ends.includes(number) || steps.includes(number)) words.push("can go here");
      cell.textContent = words.join(", ");
      cell.setAttribute("aria-selected", String(chosen.includes(number)));
    });
  }

  get number() {
    return this.rows[this.row][this.place];
  }

  /* Set the cursor on a square. */
  go(number) {
    this.row = this.rows.findIndex((row) => row.includes(number));
    this.place = this.rows[this.row].indexOf(number);
    this.mark();
  }

  see(isSeen) {
    this.isSeen = isSeen;
    this.mark();
  }

  mark() {
    if (!this.board) return;
    this.board.sign({ ...this.board.signs, cursor: this.isSeen ? [this.number] : [] });
    this.host.setAttribute("aria-activedescendant", `cell-${this.number}`);
  }

  key(event) {
    if (!this.board || event.ctrlKey || event.altKey || event.metaKey || event.target !== this.host) return;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (steps) {
      this.isSeen = true;
      this.row = Math.max(0, Math.min(this.rows.length - 1, this.row + steps[0]));
      this.place = Math.max(0, Math.min(this.rows[this.row].length - 1, this.place + steps[1]));
      this.mark();
    } else if (event.key === "Enter") this.on.pick(this.number);
    else if (event.key === "Escape") this.on.put();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
