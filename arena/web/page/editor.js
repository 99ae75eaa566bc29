/* A position set up by hand. The server says whether there can be a game from it. */

import { element, shape } from "../../report/viewer/element.js";
import { newest, post } from "./server.js";

/** @import { PositionDocument } from "./documents.js" */
/** @import { Table } from "./table.js" */

const KINDS = { w: "White man", W: "White king", b: "Black man", B: "Black king" };
const ERASER = ".";

export class Editor {
  /**
   * `parts` are those of the view, `table` has the board; it is the table's hands while it is open.
   * @param {any} parts
   * @param {Table} table
   */
  constructor(parts, table) {
    this.parts = parts;
    this.table = table;
    this.letter = "w"; // what a tap puts on a square
    this.latest = newest();
    this.variant = "";
    this.pieces = "";
    /** @type {PositionDocument|null} */
    this.start = null;
    /** @type {PositionDocument|null} */
    this.placed = null; // what is set up, as the server reads it
    parts.editfen.addEventListener("change", () => this.ask({ fen: parts.editfen.value.trim() }));
    for (const radio of this.radios) radio.addEventListener("change", () => this.ask());
  }

  /** @returns {HTMLInputElement[]} */
  get radios() {
    return [...this.parts.game.querySelectorAll("[name=turn]")];
  }

  get turn() {
    return this.radios.find((radio) => radio.checked).value;
  }

  set turn(colour) {
    for (const radio of this.radios) radio.checked = radio.value === colour;
  }

  /* Begin with a position; `start` is the usual one of the variant. */
  open({ variant, pieces, turn, start }) {
    Object.assign(this, { variant, pieces, start, placed: null });
    this.turn = turn;
    this.table.hands = this;
    this.table.board.arrows([]);
    this.parts.upper.replaceChildren();
    this.palette();
    this.draw();
    this.ask();
  }

  /* Put a position on the board: {pieces, turn}. */
  put(position) {
    if (!position) return;
    this.pieces = position.pieces;
    this.turn = position.turn;
    this.draw();
    this.ask();
  }

  clear() {
    this.put({ pieces: ERASER.repeat(this.pieces.length), turn: this.turn });
  }

  grab(number) {
    return this.pieces[number - 1] !== ERASER;
  }

  tap(number) {
    this.set(number, this.pieces[number - 1] === this.letter ? ERASER : this.letter);
  }

  pick(number) {
    this.tap(number);
  }

  drop(from, to) {
    const letter = this.pieces[from - 1];
    this.set(from, ERASER, false);
    if (to) this.set(to, letter, false);
    this.ask();
  }

  set(number, letter, asks = true) {
    this.pieces = this.pieces.slice(0, number - 1) + letter + this.pieces.slice(number);
    this.draw();
    if (asks) this.ask();
  }

  draw() {
    const { board } = this.table;
    board.show(this.pieces, null, "");
    board.sign({ cursor: board.signs.cursor });
    for (const use of board.pieces.children) use.classList.add("movable");
    this.table.tell();
  }

  /* Ask the server about what is on the board, or about a FEN; says what is wrong with it. */
  async ask(what) {
    const isLatest = this.latest();
    const { editwords, editfen } = this.parts;
    const done = this.parts.game.querySelector("[data-action=editdone]");
    try {
      const position = await post("/api/position", { variant: this.variant, ...(what || { pieces: this.pieces, turn: this.turn }) }, { quiet: true });
      if (!isLatest()) return;
      this.placed = position;
      if (what) {
        this.pieces = position.pieces;
        this.turn = position.turn;
        this.draw();
      }
      editfen.value = position.fen;
      done.disabled = !position.playable;
      editwords.textContent = position.words;
    } catch (error) {
      if (!isLatest()) return;
      this.placed = null;
      done.disabled = true;
      editwords.textContent = error.message;
    }
    editwords.classList.toggle("game-wrong", !this.placed);
  }

  /* The pieces to choose from. */
  palette() {
    const { symbols } = this.table.board.look;
    const buttons = [...Object.entries(KINDS), [ERASER, "Take away"]].map(([letter, words]) => {
      const picture = shape("svg", { "viewBox": "8 8 84 84", "aria-hidden": "true" });
      if (letter === ERASER) picture.append(shape("path", { "d": "M30 30L70 70M70 30L30 70", "class": "eraser" }));
      else picture.append(shape("use", { "href": "#" + symbols[letter], "width": 100, "height": 100 }));
      const button = element("button.palette-piece", { "type": "button", "aria-label": words, "title": words, "aria-pressed": String(letter === this.letter) }, picture);
      button.addEventListener("click", () => this.choose(letter));
      button.dataset.letter = letter;
      return button;
    });
    this.parts.palette.replaceChildren(...buttons);
  }

  choose(letter) {
    this.letter = letter;
    for (const button of this.parts.palette.children) button.setAttribute("aria-pressed", String(button.dataset.letter === letter));
  }
}
