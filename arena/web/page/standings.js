/* What is known of a run now: how far it is, what went wrong, its standings with each player's Elo and interval drawn. */

import { element, named, shape } from "../../report/viewer/element.js";
import { progressBar } from "./run_list.js";

/** @import { RunDocument } from "./documents.js" */

const WIDTH = 160; // units of a picture of an interval
const HEIGHT = 22;

/** The elements that show a run. @param {RunDocument} run */
export function standingsOf(run) {
  const wrong = run.incidents.map(({ player, text }) => element("li", {}, named(player), ` ${text}`));
  return [
    progressBar(run), element("p.watch-line", {}, run.progress), run.test ? element("p.watch-line", {}, run.test) : null,
    wrong.length ? element("ul.watch-wrong", { "aria-label": "What went wrong" }, wrong) : null,
    run.standings.length ? table(run) : element("p.small", {}, "No game is finished yet."),
    run.provisional ? element("p.small", {}, run.provisional) : null,
  ].filter(Boolean);
}

/** @param {RunDocument} run */
function table({ standings, columns }) {
  const rated = standings.flatMap(({ elo }) => elo || []);
  /** @type {[number, number]} */
  const axis = [Math.min(0, ...rated), Math.max(0, ...rated)];
  const few = rated.length ? "Elo" : "score"; // the column that a phone has room for
  const cell = (tag, name, ...content) => element(name === few ? tag : `${tag}.watch-more`, tag === "th" ? { scope: "col" } : {}, ...content);
  const head = [element("th", { scope: "col" }), element("th", { scope: "col" }, "player"), ...columns.map((name) => cell("th", name, name))];
  const rows = standings.map(({ player, text, elo }, place) => element("tr", {},
    element("td", {}, `${place + 1}`), element("th", { scope: "row" }, named(player)), columns.map((name) => cell("td", name, text[name])),
    rated.length ? element("td.watch-elo", {}, elo ? interval(elo, axis, `${player}: ${text.Elo}`) : null) : null));
  if (rated.length) head.push(element("th.watch-elo", { scope: "col" }, "95 % interval"));
  return element("table.watch-table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows));
}

/* An Elo and its interval on the axis that all rows have, with a line at 0. */
function interval([value, low, high], [least, most], words) {
  const x = (elo) => 6 + ((elo - least) / (most - least || 1)) * (WIDTH - 12);
  const picture = shape("svg", { "viewBox": `0 0 ${WIDTH} ${HEIGHT}`, "role": "img", "aria-label": words });
  picture.append(
    shape("line", { x1: x(0), x2: x(0), y1: 0, y2: HEIGHT, class: "watch-zero" }),
    shape("line", { x1: x(low), x2: x(high), y1: HEIGHT / 2, y2: HEIGHT / 2, class: "watch-interval" }),
    shape("circle", { cx: x(value), cy: HEIGHT / 2, r: 5, class: "watch-dot" }));
  return picture;
}
