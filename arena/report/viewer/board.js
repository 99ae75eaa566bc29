/* A board that shows positions; it knows no rules.

   It takes over the picture that arena.rules.board.svg draws: squares by number with `data-square`, labels in the
   same order, rows and columns numbered at the edges or not, symbols of the pieces. */

import { shape } from "./element.js";

const HEAD = 34; // length of an arrow's head, in units of the picture

/**
 * An arrow along the numbers of two squares or more; `kind` is a class of the style.
 * @typedef {{path: number[], kind: string}} Arrow
 */

/**
 * Of arena.rules.board.svg: units a square, the symbol of each letter, the colour of the last move.
 * @typedef {{unit: number, symbols: Record<string, string>, last: string}} Look
 */

export class Board {
  /**
   * @param {SVGSVGElement} svg
   * @param {Look} look
   */
  constructor(svg, look) {
    this.svg = svg;
    this.look = look;
    this.flipped = false;
      this.shown = null;
    this.squares = [...svg.querySelectorAll(".board-squares [data-square]")];
    this.labels = [...svg.querySelectorAll(".board-labels text")];
    this.corners = this.squares.map((square) => [Number(square.getAttribute("x")), Number(square.getAttribute("y"))]);
    this.insets = this.labels.map((label, place) => [
      Number(label.getAttribute("x")) - this.corners[place][0], Number(label.getAttribute("y")) - this.corners[place][1],
    ]);
    this.edges = [".board-columns text", ".board-rows text"].map((labels) => [...svg.querySelectorAll(labels)]);
    const whole = svg.querySelector(".board-light");
    this.far = ["width", "height"].map((side) => Number(whole.getAttribute(side)) - look.unit);
    this.last = this.group("board-last", ".board-labels");
    this.pieces = this.group("board-pieces", null);
    this.ways = this.group("board-arrows", null);
    this.drawn = [];
    for (const title of svg.querySelectorAll("title")) title.remove();
  }

  /* Show a position: a letter of `wWbB` or a dot for each square, in the order of their numbers; `last` is the move
     that led to it, or null. `words` is what is read aloud. */
  show(pieces, last, words) {
    this.note(pieces, last, words);
    this.pieces.replaceChildren();
    [...pieces].forEach((letter, place) => {
      const symbol = this.look.symbols[letter];
      if (!symbol) return;
      const [x, y] = this.corner(place + 1);
      const { unit } = this.look;
      this.pieces.append(shape("use", { "href": "#" + symbol, x, y, "width": unit, "height": unit, "data-square": place + 1 }));
    });
    this.svg.setAttribute("aria-label", words);
  }

  /* Mark the move that led to a position, and keep in mind what is shown. */
  note(pieces, last, words) {
    this.shown = [pieces, last, words];
    this.last.replaceChildren(...this.marks(last));
  }

  flip() {
    this.flipped = !this.flipped;
    this.squares.forEach((square, place) => move(square, this.corner(place + 1), [0, 0]));
    this.labels.forEach((label, place) => move(label, this.corner(place + 1), this.insets[place]));
    for (const labels of this.edges) {
      const numbers = labels.map(({ textContent }) => textContent).reverse();
      labels.forEach((label, place) => { label.textContent = numbers[place]; });
    }
    if (this.shown) this.show(...this.shown);
    this.arrows(this.drawn);
  }

  /**
   * Draw these arrows and no others.
   * @param {Arrow[]} drawn
   */
  arrows(drawn) {
    this.drawn = drawn;
    this.ways.replaceChildren(...drawn.filter(({ path }) => path.length > 1).map((way) => this.arrow(way)));
  }

  arrow({ path, kind }) {
    const points = path.map((number) => this.centre(number));
    const [[x, y], [toX, toY]] = points.slice(-2);
    const length = Math.hypot(toX - x, toY - y) || 1;
    const [dx, dy] = [(toX - x) / length, (toY - y) / length];
    const [baseX, baseY] = [toX - HEAD * dx, toY - HEAD * dy];
    const [sideX, sideY] = [-dy * HEAD * 0.62, dx * HEAD * 0.62];
    const made = shape("g", { "class": `arrow arrow-${kind}` });
    made.append(
      shape("path", { "class": "arrow-shaft", "d": `M${points.slice(0, -1).map((point) => point.join(" ")).join(" L")} L${baseX} ${baseY}` }),
      shape("path", { "class": "arrow-head", "d": `M${toX} ${toY} L${baseX + sideX} ${baseY + sideY} L${baseX - sideX} ${baseY - sideY} Z` }),
    );
    return made;
  }

  /* The top left corner of a square. */
  corner(number) {
    const [x, y] = this.corners[number - 1];
    return this.flipped ? [this.far[0] - x, this.far[1] - y] : [x, y];
  }

  /* The centre of a square. */
  centre(number) {
    const [x, y] = this.corner(number);
    return [x + this.look.unit / 2, y + this.look.unit / 2];
  }

  marks(last) {
    if (!last || !last.origin) return [];
    const { unit } = this.look;
    const ends = [...new Set([last.origin, last.target])].map((number) => {
      const [x, y] = this.corner(number);
      return shape("rect", { x, y, "width": unit, "height": unit, "fill": this.look.last, "fill-opacity": 0.5 });
    });
    const crosses = last.captured.map((number) => {
      const [x, y] = this.corner(number);
      const [from, by] = [0.32 * unit, 0.36 * unit];
      return shape("path", {
        "d": `M${x + from} ${y + from} l${by} ${by} m0 ${-by} l${-by} ${by}`, "stroke": this.look.last,
        "stroke-opacity": 0.8, "stroke-width": 0.08 * unit, "stroke-linecap": "round",
      });
    });
    return [...ends, ...crosses];
  }

  /* The group of that class, made before another one if there is none. */
  group(name, before) {
    const there = this.svg.querySelector("." + name);
    if (there) return there;
    const made = shape("g", { "class": name });
    this.svg.insertBefore(made, before && this.svg.querySelector(before));
    return made;
  }
}

/* Put a square or a label at a place, inset by so much. */
function move(drawn, corner, inset) {
  drawn.setAttribute("x", String(corner[0] + inset[0]));
  drawn.setAttribute("y", String(corner[1] + inset[1]));
}
