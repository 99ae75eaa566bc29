/* A person's move, picked square by square among the legal ones, which the server lists. */

/** @import { LegalMove } from "./documents.js" */

/** @typedef {{text: string, path: number[], takes: boolean}} Way a move by the squares on which its piece stands in turn */

export class Hand {
  /**
   * `on.draw(pieces, signs)` shows what was picked; `on.move(text, skip)` plays a move, of which `skip` squares of the
   * piece's way were seen; `on.say(text)` tells the person something; `on.choice(texts)` asks which of several is meant.
   * @param {{draw: (pieces: string, signs: Record<string, number[]>) => void, move: (text: string, skip: number) => void,
   *   say: (text: string) => void, choice: (texts: string[]) => void}} on
   */
  constructor(on) {
    this.on = on;
    /** @type {Way[]} */
    this.ways = [];
    this.pieces = "";
    this.turn = "";
    /** @type {number[]} */
    this.steps = []; // squares that were picked
  }

  /** What the person may do now. @param {{pieces: string, turn: string, legal: LegalMove[]}} offered */
  offer({ pieces, turn, legal }) {
    const ways = legal.flatMap(({ text, paths, captured }) => paths.map((path) => ({ text, path, takes: captured.length > 0 })));
    Object.assign(this, { pieces, turn, ways: ways.filter(({ path }) => path.length), steps: [] });
    this.draw();
  }

  /* The ways that begin with what has been picked. */
  get fitting() {
    return this.ways.filter(({ path }) => this.steps.every((number, place) => path[place] === number));
  }

  /* Whether a piece on a square can be dragged. */
  holds(number) {
    return number === this.steps.at(-1) || (this.steps.length < 2 && this.ways.some(({ path }) => path[0] === number));
  }

  /* Take up a piece that `holds`. */
  lift(number) {
    if (number !== this.steps.at(-1)) this.steps = [number];
    this.draw();
  }

  /* Take the next square. */
  pick(number, dragged = false) {
    const { length } = this.steps;
    const reached = length ? this.fitting.filter(({ path }) => path.length > length && (path[length] === number || path.at(-1) === number)) : [];
    const texts = distinct(reached.map(({ text }) => text));
    const whole = reached.find(({ path }) => path.at(-1) === number);
    if (whole && texts.length === 1) this.play(whole, dragged);
    else if (reached.some(({ path }) => path[length] === number)) {
      this.steps.push(number);
      const [only, ...others] = this.fitting;
      if (!others.length && only.path.length === this.steps.length) this.play(only, dragged);
      else this.draw();
    } else if (reached.length) this.on.choice(texts);
    else this.elsewhere(number);
  }

  /* A square was picked that no piece goes on to: a capture ends where it may, or another piece is taken up, or none. */
  elsewhere(number) {
    const done = this.fitting.find(({ path }) => path.length === this.steps.length);
    if (done && number === this.steps.at(-1)) {
      this.play(done, false);
      return;
    }
    if (number !== this.steps[0] && this.ways.some(({ path }) => path[0] === number)) this.steps = [number];
    else {
      if (!this.steps.length && this.ways.length && this.pieces[number - 1].toLowerCase() === this.turn[0]) {
        this.on.say(this.ways[0].takes ? "A capture is compulsory: the marked pieces can move." : "This piece has no legal move.");
      }
      this.steps = [];
    }
    this.draw();
  }

  /* Put the piece back. */
  put() {
    this.steps = [];
    this.draw();
  }

  play({ text, path }, dragged) {
    const skip = dragged ? path.length - 1 : this.steps.length - 1;
    Object.assign(this, { pieces: this.moved(path[0], path[skip]), ways: [], steps: [] });
    this.draw();
    this.on.move(text, skip);
  }

  /* The pieces with one of them elsewhere. */
  moved(from, to) {
    const pieces = [...this.pieces];
    [pieces[from - 1], pieces[to - 1]] = [".", this.pieces[from - 1]];
    return pieces.join("");
  }

  draw() {
    const { steps } = this;
    const fitting = steps.length ? this.fitting.filter(({ path }) => path.length > steps.length) : [];
    this.on.draw(steps.length > 1 ? this.moved(steps[0], steps.at(-1)) : this.pieces, {
      movable: steps.length ? [] : distinct(this.ways.map(({ path }) => path[0])),
      chosen: steps.slice(-1),
      steps: distinct(fitting.map(({ path }) => path[steps.length])),
      ends: distinct(fitting.map(({ path }) => path.at(-1))),
    });
  }
}

function distinct(values) {
  return [...new Set(values)];
}
