/* The table of the game view: the board of a rule set, what moves pieces on it, and the view from either side. */

import { pictureOf } from "../../report/viewer/element.js";
import { Cells } from "./cells.js";
import { Hand } from "./hand.js";
import { PlayBoard } from "./playboard.js";
import { Pointer } from "./pointer.js";
import { get } from "./server.js";

/** @import { Ply } from "../../report/viewer/ply.js" */
/** @import { BoardDocument, PositionDocument } from "./documents.js" */

/** @type {Map<string, Promise<BoardDocument>>} */
const boards = new Map(); // what was asked for, by the name of the variant

export class Table {
  /* `host` gets the board; `on` is that of Hand. */
  constructor(host, on) {
    this.host = host;
    this.on = on;
    /** @type {string|null} */
    this.variant = null;
    this.wanted = "";
    /** @type {PlayBoard|null} */
    this.board = null;
    /** @type {Hand|null} */
    this.hand = null;
    /** @type {any} */
    this.hands = null; // what picks pieces: the hand, or what notes squares while a game is being begun
    this.offered = ""; // the key of what is offered
    this.cells = new Cells(host, {
      pick: (number) => this.hands.pick(number),
      put: () => this.hands.put(),
    });
  }

  /**
   * Have the board of a variant; a promise of its start.
   * @param {string} variant
   * @returns {Promise<PositionDocument>}
   */
  async take(variant) {
    this.wanted = variant;
    if (!boards.has(variant)) {
      boards.set(variant, get(`/api/board?${new URLSearchParams({ variant })}`));
      boards.get(variant).catch(() => boards.delete(variant));
    }
    const { svg, look, start } = await boards.get(variant);
    if (this.variant !== variant && this.wanted === variant) {
      this.variant = variant;
      const picture = pictureOf(svg);
      this.host.querySelector("svg")?.remove();
      this.host.prepend(picture);
      this.board = new PlayBoard(picture, look);
      this.hand = new Hand(this.board, { ...this.on, change: () => this.tell() });
      this.hands = this.hand;
      new Pointer(this.board, {
        grab: (number) => this.hands.grab(number),
        tap: (number) => this.hands.tap(number),
        drop: (from, to) => this.hands.drop(from, to),
      });
      this.cells.take(this.board);
      this.offer({ ...start, last: null, legal: [] });
    }
    return start;
  }

  /* Show a position that the person may move in as `offered` says, see Hand.offer; once, if it has a key. */
  offer(offered) {
    const { key = "" } = offered;
    if (key && key === this.offered) return;
    this.offered = key;
    this.board.arrows([]);
    this.host.classList.remove("game-begins");
    this.hands = this.hand;
    this.hand.offer(offered);
  }

  /* Collect the squares that are picked while a game is being begun into a list, and mark them. */
  wait(numbers) {
    const pick = (number) => { numbers.push(number); mark(); };
    const mark = () => {
      this.board.sign({ ...this.board.signs, draggable: [], chosen: [...new Set(numbers)] });
      this.tell();
    };
    this.host.classList.add("game-begins");
    this.hands = {
      pick, tap: pick, grab: (number) => Boolean(this.board.use(number)), put: () => { numbers.length = 0; mark(); },
      drop: (from, to) => { if (numbers.at(-1) !== from) pick(from); if (to) pick(to); },
    };
    mark();
  }

  /* Turn the board so that White, or Black if `flipped`, is below. */
  turn(flipped) {
    if (this.board.flipped === flipped) return;
    this.board.flip();
    this.cells.arrange();
    this.tell();
  }

  tell() {
    this.cells.tell(this.board.shown[0], this.board.signs);
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
}
