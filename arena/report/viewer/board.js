"use strict";

/* A board that shows positions; it knows no rules.

   It takes over the picture that arena.rules.board.svg draws: squares by number with `data-square`, labels in the
   same order, symbols of the pieces. `look` is {unit, symbols, last} of that module. */
(function (arena) {
  const SVG = "http://www.w3.org/2000/svg";

  class Board {
    constructor(svg, look) {
      this.svg = svg;
      this.look = look;
      this.flipped = false;
      this.onsquare = null; // called with the number of a square that is clicked
      this.squares = [...svg.querySelectorAll(".board-squares [data-square]")];
      this.labels = [...svg.querySelectorAll(".board-labels text")];
      this.corners = this.squares.map((square) => [Number(square.getAttribute("x")), Number(square.getAttribute("y"))]);
      this.insets = this.labels.map((label, place) => [
        Number(label.getAttribute("x")) - this.corners[place][0], Number(label.getAttribute("y")) - this.corners[place][1],
      ]);
      const { width, height } = svg.viewBox.baseVal;
      this.far = [width - look.unit, height - look.unit];
      this.last = this.group("board-last", ".board-labels");
      this.pieces = this.group("board-pieces", null);
      for (const title of svg.querySelectorAll("title")) title.remove();
      svg.addEventListener("click", (event) => {
        const square = event.target.closest("[data-square]");
        if (square && this.onsquare) this.onsquare(Number(square.dataset.square));
      });
    }

    /* Show a position: a letter of `wWbB` or a dot for each square, in the order of their numbers; `last` is the move
       that led to it, {origin, target, captured}, numbers of squares, or null. `words` is what is read aloud. */
    show(pieces, last, words) {
      this.shown = [pieces, last, words];
      this.last.replaceChildren(...this.marks(last));
      this.pieces.replaceChildren();
      [...pieces].forEach((letter, place) => {
        const symbol = this.look.symbols[letter];
        if (!symbol) return;
        const [x, y] = this.corner(place + 1);
        const { unit } = this.look;
        const piece = { "href": "#" + symbol, x, y, "width": unit, "height": unit, "data-square": place + 1 };
        this.pieces.append(element("use", piece));
      });
      this.svg.setAttribute("aria-label", words);
    }

    flip() {
      this.flipped = !this.flipped;
      this.squares.forEach((square, place) => move(square, this.corner(place + 1), [0, 0]));
      this.labels.forEach((label, place) => move(label, this.corner(place + 1), this.insets[place]));
      if (this.shown) this.show(...this.shown);
    }

    /* The top left corner of a square. */
    corner(number) {
      const [x, y] = this.corners[number - 1];
      return this.flipped ? [this.far[0] - x, this.far[1] - y] : [x, y];
    }

    marks(last) {
      if (!last || !last.origin) return [];
      const { unit } = this.look;
      const ends = [...new Set([last.origin, last.target])].map((number) => {
        const [x, y] = this.corner(number);
        return element("rect", { x, y, "width": unit, "height": unit, "fill": this.look.last, "fill-opacity": 0.5 });
      });
      const crosses = last.captured.map((number) => {
        const [x, y] = this.corner(number);
        const [from, by] = [0.32 * unit, 0.36 * unit];
        return element("path", {
          "d": `M${x + from} ${y + from} l${by} ${by} m0 ${-by} l${-by} ${by}`, "stroke": this.look.last,
          "stroke-opacity": 0.8, "stroke-width": 0.08 * unit, "stroke-linecap": "round",
        });
      });
      return [...ends, ...crosses];
    }

    /* The group of that class, made before another one if there is none. */
    group(name, before) {
      const found = this.svg.querySelector("." + name);
      if (found) return found;
      const made = element("g", { "class": name });
      this.svg.insertBefore(made, before && this.svg.querySelector(before));
      return made;
    }
  }

  function element(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function move(shape, [x, y], [right, down]) {
    shape.setAttribute("x", x + right);
    shape.setAttribute("y", y + down);
  }

  arena.Board = Board;
  arena.svg = element;
})((window.arena = window.arena || {}));
