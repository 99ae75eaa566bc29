/* The scores of both players over the plies of a game, as one picture. */

import { shape } from "./element.js";

/** @import { Point } from "./ply.js" */

const HEIGHT = 150;
const LEFT = 34;
const EDGE = 8;
const LEAST = 2; // men that the picture is high, up and down
const MOST = 8; // men beyond which it is cut off; certain wins are at its edge

export class Graph {
  /* `onply` is called with the ply that is clicked. */
  constructor(host, onply) {
    this.host = host;
    /** @type {Point[]|null} */
    this.points = null;
    this.ply = 0;
    this.cursor = null;
    this.width = 0;
    this.top = LEAST;
    this.svg = shape("svg", { "role": "img", "class": "viewer-curves" });
    this.svg.addEventListener("click", (event) => {
      if (this.points) onply(this.plyAt(event.clientX - this.svg.getBoundingClientRect().left));
    });
    host.replaceChildren(this.svg);
    new ResizeObserver(() => this.draw()).observe(host);
  }

  /* Show a point for each ply; that of ply 0 is not drawn. */
  show(points, words) {
    this.points = points;
    this.svg.setAttribute("aria-label", words);
    this.draw();
  }

  go(ply) {
    this.ply = ply;
    if (!this.cursor) return;
    this.cursor.setAttribute("x1", this.x(ply));
    this.cursor.setAttribute("x2", this.x(ply));
  }

  draw() {
    if (!this.points || !this.host.clientWidth) return;
    this.width = this.host.clientWidth;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`);
    const scores = this.points.map(({ score }) => score).filter((score) => score !== null).map(Math.abs);
    this.top = Math.min(MOST, Math.max(LEAST, Math.ceil(Math.max(0, ...scores))));
    const lines = [this.top, 0, -this.top].flatMap((men) => this.level(men));
    const curves = [true, false].flatMap((white) => this.curve(white));
    this.cursor = shape("line", { "y1": 0, "y2": HEIGHT, "class": "viewer-cursor" });
    this.svg.replaceChildren(...lines, ...curves, this.cursor);
    this.go(this.ply);
  }

  /* A line at so many men, with its number. */
  level(men) {
    const y = this.y(men);
    const text = shape("text", { "x": LEFT - 6, "y": y + 4, "text-anchor": "end" });
    text.textContent = men > 0 ? `+${men}` : `${men}`.replace("-", "−");
    return [shape("line", { "x1": LEFT, "x2": this.width, "y1": y, "y2": y, "class": "viewer-level" }), text];
  }

  /* One player's scores. */
  curve(white) {
    const places = this.points
      .map((point, ply) => ({ ...point, ply }))
      .filter((point) => point.ply && point.white === white && (point.score !== null || point.wins !== null))
      .map(({ ply, score, wins }) => [this.x(ply), this.y(score ?? Math.sign(wins) * MOST)]);
    const name = white ? "viewer-white" : "viewer-black";
    const line = shape("polyline", { "points": places.map((place) => place.join(",")).join(" "), "class": name });
    return [line, ...places.map(([x, y]) => shape("circle", { "cx": x, "cy": y, "r": 1.6, "class": name }))];
  }

  x(ply) {
    return LEFT + EDGE + (ply / Math.max(1, this.points.length - 1)) * (this.width - LEFT - 2 * EDGE);
  }

  y(men) {
    return HEIGHT / 2 - (Math.max(-this.top, Math.min(this.top, men)) / this.top) * (HEIGHT / 2 - EDGE);
  }

  plyAt(x) {
    const last = this.points.length - 1;
    const ply = Math.round(((x - LEFT - EDGE) / (this.width - LEFT - 2 * EDGE)) * last);
    return Math.max(0, Math.min(last, ply));
  }
}
