/* A board to play on: signs on its squares, and pieces that walk. It knows no rules. */

import { Board } from "../../report/viewer/board.js";
import { shape } from "../../report/viewer/element.js";

const HOP = 170; // milliseconds of a hop
const LONGEST = 900; // milliseconds of a walk, at most

export class PlayBoard extends Board {
  constructor(svg, look) {
    super(svg, look);
    this.under = this.group("board-under", ".board-labels");
    this.over = this.group("board-over", ".board-arrows");
    this.standing = ""; // the pieces whose elements are on the board
    /** @type {Record<string, number[]>} */
    this.signs = {};
    /** @type {Animation[]} */
    this.walking = [];
    svg.setAttribute("aria-hidden", "true");
    svg.removeAttribute("role");
  }

  /* The same pieces again keep their elements, for one may be under a finger, which else loses it. */
  show(pieces, last, words = "") {
    for (const walk of this.walking) walk.cancel();
    if (pieces === this.standing) this.note(pieces, last, words);
    else {
      super.show(pieces, last, words);
      this.standing = pieces;
      this.sign(this.signs);
    }
  }

  flip() {
    this.standing = "";
    super.flip();
    this.sign(this.signs);
  }

  /* Signs on squares, numbers of which are lists: `movable` pieces can be moved, one is `chosen`, it can go on to
     `steps` and end on `ends`; `cursor` is that of the keyboard. */
  sign(signs) {
    this.signs = { movable: [], chosen: [], steps: [], ends: [], cursor: [], ...signs };
    const { movable, chosen, steps, ends, cursor } = this.signs;
    const inset = 0.03 * this.look.unit;
    const size = this.look.unit - 2 * inset;
    const frames = (kind, numbers) => numbers.map((number) => {
      const [x, y] = this.corner(number);
      return shape("rect", { "x": x + inset, "y": y + inset, "width": size, "height": size, "rx": 8, "class": `sign-${kind}` });
    });
    const dots = (kind, numbers, radius) => numbers.map((number) => {
      const [cx, cy] = this.centre(number);
      return shape("circle", { cx, cy, "r": radius * this.look.unit, "class": `sign-${kind}` });
    });
    this.under.replaceChildren(...frames("movable", movable), ...frames("chosen", chosen));
    this.over.replaceChildren(...dots("step", steps.filter((number) => !ends.includes(number)), 0.1), ...dots("end", ends, 0.17), ...frames("cursor", cursor));
    for (const use of this.pieces.children) use.classList.toggle("movable", [...movable, ...chosen].includes(Number(use.dataset.square)));
  }

  /* Show a move that led to the position shown: the piece walks from one number of `path` to the next, `letter` is what
     it was, `captured` are [number, letter] of what it took. A promise of whether it came to its end. */
  async walk(path, letter, captured) {
    if (path.length < 2 || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return true;
    const arrived = this.use(path.at(-1));
    const taken = captured.map(([number, kind]) => this.above(number, kind));
    const walker = this.above(path.at(-1), letter);
    arrived?.classList.add("board-away");
    const [endX, endY] = this.corner(path.at(-1));
    const frames = path.map((number) => {
      const [x, y] = this.corner(number);
      return { transform: `translate(${x - endX}px, ${y - endY}px)` };
    });
    const time = { duration: Math.min(HOP * (path.length - 1) + 60, LONGEST), easing: path.length > 2 ? "linear" : "ease-in-out" };
    for (const piece of taken) piece.animate([{ opacity: 1 }, { opacity: 1, offset: 0.5 }, { opacity: 0 }], time);
    const walk = walker.animate(frames, time);
    this.walking = [walk];
    const isWhole = await walk.finished.then(() => true, () => false);
    for (const piece of [...taken, walker]) piece.remove();
    arrived?.classList.remove("board-away");
    return isWhole;
  }

  /* A piece above the board's own. */
  above(number, letter) {
    const [x, y] = this.corner(number);
    const { unit, symbols } = this.look;
    const made = shape("use", { "href": "#" + symbols[letter], x, y, "width": unit, "height": unit });
    this.over.append(made);
    return made;
  }

  /* The element of the piece on a square, or null. */
  use(number) {
    return this.pieces.querySelector(`[data-square="${number}"]`);
  }

  /* A point of the window in units of the picture. */
  point(clientX, clientY) {
    const at = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [at.x, at.y];
  }

  /* The number of the square at a point of the window; 0 if none is played on there. */
  squareAt(clientX, clientY) {
    const [x, y] = this.point(clientX, clientY);
    const { unit } = this.look;
    const place = this.squares.findIndex((_, index) => {
      const [left, top] = this.corner(index + 1);
      return x >= left && x < left + unit && y >= top && y < top + unit;
    });
    return place + 1;
  }
}
