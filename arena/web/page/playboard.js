/* A board to play on: signs on its squares, arrows, and pieces that walk. It knows no rules. */

import { Board } from "../../report/viewer/board.js";
import { shape } from "../../report/viewer/element.js";

const HOP = 170; // milliseconds of a hop
const LONGEST = 900; // milliseconds of a walk, at most

export class PlayBoard extends Board {
  constructor(svg, look) {
    super(svg, look);
    this.under = this.group("board-under", ".board-pieces");
    this.over = this.group("board-over", ".board-arrows");
    this.signs = {};
    this.walking = []; // the pieces of the walk under way, above the board's own
    svg.setAttribute("aria-hidden", "true");
    svg.removeAttribute("role");
  }

  show(pieces, last, words = "") {
    for (const piece of this.walking) {
      for (const animation of piece.getAnimations()) animation.cancel();
      piece.remove();
    }
    if (this.shown && this.shown[0] === pieces && !this.isTurning) this.keep(pieces, last, words);
    else super.show(pieces, last, words);
    this.hold();
  }

  /* The same pieces again: their elements stay, for one may be under a finger, which else loses it. */
  keep(pieces, last, words) {
    this.note(pieces, last, words);
    for (const use of this.pieces.children) use.classList.remove("board-away");
  }

  flip() {
    this.isTurning = true;
    super.flip();
    this.isTurning = false;
    this.sign(this.signs);
  }

  /* Signs on squares, numbers of which are lists: `movable` pieces can be moved, one is `chosen`, it can go on to
     `steps` and end on `ends`; `cursor` is that of the keyboard. `draggable` can be dragged and are not marked. */
  sign(signs) {
    this.signs = signs;
    const { unit } = this.look;
    const inset = 0.03 * unit;
    const frames = ["movable", "chosen", "cursor"].flatMap((kind) => (signs[kind] || []).map((number) => {
      const [x, y] = this.corner(number);
      const size = unit - 2 * inset;
      return shape("rect", { "x": x + inset, "y": y + inset, "width": size, "height": size, "rx": 8, "class": `sign-${kind}` });
    }));
    const ends = signs.ends || [];
    const steps = (signs.steps || []).filter((number) => !ends.includes(number));
    const dots = [["step", steps, 0.1], ["end", ends, 0.17]].flatMap(([kind, numbers, radius]) => numbers.map((number) => {
      const [cx, cy] = this.centre(number);
      return shape("circle", { cx, cy, "r": radius * unit, "class": `sign-${kind}` });
    }));
    this.under.replaceChildren(...frames.filter((frame) => !frame.classList.contains("sign-cursor")));
    this.over.replaceChildren(...dots, ...frames.filter((frame) => frame.classList.contains("sign-cursor")));
    this.hold();
  }

  /* Show a move that led to the position shown: the piece walks from one number of `path` to the next, `letter` is what
     it was, `captured` are [number, letter] of what it took. A promise of whether it came to its end. */
  async walk(path, letter, captured) {
    if (path.length < 2 || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return true;
    const arrived = this.use(path.at(-1));
    const taken = captured.map(([number, kind]) => this.above(number, kind));
    const walker = this.above(path.at(-1), letter);
    if (arrived) arrived.classList.add("board-away");
    const [endX, endY] = this.corner(path.at(-1));
    const frames = path.map((number) => {
      const [x, y] = this.corner(number);
      return { transform: `translate(${x - endX}px, ${y - endY}px)` };
    });
    const time = { duration: Math.min(HOP * (path.length - 1) + 60, LONGEST), easing: path.length > 2 ? "linear" : "ease-in-out" };
    this.walking = [...taken, walker];
    for (const piece of taken) piece.animate([{ opacity: 1 }, { opacity: 1, offset: 0.5 }, { opacity: 0 }], time);
    const isWhole = await walker.animate(frames, time).finished.then(() => true, () => false);
    for (const piece of [...taken, walker]) piece.remove();
    if (arrived) arrived.classList.remove("board-away");
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

  /* Pieces that can be moved do not scroll the page under a finger. */
  hold() {
    const { movable = [], chosen = [], draggable = [] } = this.signs;
    for (const use of this.pieces.children) {
      const number = Number(use.dataset.square);
      use.classList.toggle("movable", [...movable, ...chosen, ...draggable].includes(number));
    }
  }
}
