/* A person's move, picked square by square among the legal ones, which the server lists. */

/** @import { LegalMove } from "./documents.js" */
/** @import { Squares } from "../../report/viewer/ply.js" */
/** @import { PlayBoard } from "./playboard.js" */

export class Hand {
  /**
   * `on.move(text, skip)` plays a move, of which up to `skip` squares of the piece's way were seen to; `on.say(text)` tells the person something, `on.choice(texts)` asks which of several moves is meant;
   * `on.begin(numbers)` begins a game and picks these squares in it; `on.change()` is called when the board has changed.
   * @param {Pick<PlayBoard, "show"|"sign"|"signs">} board
   * @param {{move: (text: string, skip: number) => void, say: (text: string) => void,
   *   choice: (texts: string[]) => void, begin: (numbers: number[]) => void, change?: () => void}} on
   */
  constructor(board, on) {
    this.board = board;
    this.on = on;
    /** @type {LegalMove[]} */
    this.legal = [];
    this.pieces = "";
    /** @type {Squares|null} */
    this.last = null;
    this.turn = "";
    this.begins = false;
    /** @type {number[]} */
    this.steps = []; // squares that were picked
    this.fresh = false; // whether the pointer that is down picked the piece
  }

  /* What the person may do now: `legal` as the server has it. `begins` if the first pick begins a game. */
  offer({ pieces, last, turn, legal, begins = false }) {
    Object.assign(this, { pieces, last, turn, legal, begins, steps: [] });
    this.draw();
  }

  /* All ways of all moves: {text, path}. */
  get ways() {
    return this.legal.flatMap(({ text, paths }) => paths.filter((path) => path.length).map((path) => ({ text, path })));
  }

  /* Those that begin with what has been picked. */
  get fitting() {
    return this.ways.filter(({ path }) => this.steps.every((number, place) => path[place] === number));
  }

  get origins() {
    return distinct(this.ways.map(({ path }) => path[0]));
  }

  grab(number) {
    if (this.begins) return this.holds(number);
    this.fresh = this.steps.at(-1) !== number;
    if (this.steps.at(-1) === number) return true;
    if (this.steps.length < 2 && this.origins.includes(number) && !this.reached(number).length) this.lift(number);
    else this.fresh = false;
    return this.steps.at(-1) === number;
  }

  tap(number) {
    if (this.fresh && this.steps.length === 1 && this.steps[0] === number) {
      this.fresh = false;
      return;
    }
    this.pick(number);
  }

  drop(from, to) {
    if (this.begins) this.on.begin(to ? [from, to] : [from]);
    else if (to && this.reached(to).length) this.pick(to, true);
    else this.draw();
  }

  /* Take the next square. */
  pick(number, dragged = false) {
    if (this.begins) return void (this.holds(number) && this.on.begin([number]));
    if (!this.steps.length) return this.lift(number);
    const { steps } = this;
    const reached = this.reached(number);
    if (!reached.length) return this.elsewhere(number);
    const texts = distinct(reached.map(({ text }) => text));
    const next = reached.filter(({ path }) => path[steps.length] === number);
    if (texts.length === 1 && reached.some(({ path }) => path.at(-1) === number)) {
      const { text, path } = reached.find((way) => way.path.at(-1) === number);
      return this.play(text, path, dragged);
    }
    if (!next.length) return this.on.choice(texts);
    this.steps = [...steps, number];
    const done = this.fitting.filter(({ path }) => path.length === this.steps.length);
    if (done.length && distinct(this.fitting.map(({ text }) => text)).length === 1) return this.play(done[0].text, done[0].path, dragged);
    this.draw();
    if (done.length) this.on.say("Click the square again to stop there, or go on.");
    return undefined;
  }

  /* Ways that go on to a square next, or end there. */
  reached(number) {
    const { length } = this.steps;
    return length ? this.fitting.filter(({ path }) => path.length > length && (path[length] === number || path.at(-1) === number)) : [];
  }

  elsewhere(number) {
    const done = this.fitting.find(({ path }) => path.length === this.steps.length);
    if (number === this.steps.at(-1) && done) return this.play(done.text, done.path, false);
    if (this.origins.includes(number) && number !== this.steps[0]) return this.lift(number);
    return this.put();
  }

  lift(number) {
    if (!this.origins.includes(number)) {
      if (this.legal.length && this.own(number)) {
        this.on.say(this.legal.some(({ captured }) => captured.length) ? "A capture is compulsory: the marked pieces can move." : "This piece has no legal move.");
      }
      return this.put();
    }
    this.steps = [number];
    return this.draw();
  }

  /* Put the piece back. */
  put() {
    this.steps = [];
    this.draw();
  }

  play(text, path, dragged) {
    const from = this.steps.length - 1;
    this.steps = [];
    this.legal = [];
    if (dragged) this.board.show(this.moved(path[0], path.at(-1)), this.last);
    this.board.sign({});
    this.on.move(text, dragged ? path.length - 1 : from);
  }

  holds(number) {
    return this.pieces[number - 1] !== ".";
  }

  own(number) {
    return this.pieces[number - 1].toLowerCase() === this.turn[0];
  }

  /* The pieces with one of them elsewhere. */
  moved(from, to) {
    const pieces = [...this.pieces];
    pieces[from - 1] = ".";
    pieces[to - 1] = this.pieces[from - 1];
    return pieces.join("");
  }

  draw() {
    const { steps } = this;
    const fitting = steps.length ? this.fitting.filter(({ path }) => path.length > steps.length) : [];
    this.board.show(steps.length > 1 ? this.moved(steps[0], steps.at(-1)) : this.pieces, this.last);
    this.board.sign({
      ...this.board.signs,
      draggable: this.begins ? [...this.pieces].map((letter, place) => (letter === "." ? 0 : place + 1)) : [],
      movable: steps.length ? [] : this.origins,
      chosen: steps.slice(-1),
      steps: distinct(fitting.map(({ path }) => path[steps.length])),
      ends: distinct(fitting.map(({ path }) => path.at(-1))),
    });
    if (this.on.change) this.on.change();
  }
}

function distinct(values) {
  return [...new Set(values)];
}
