/* What is known of a run now: how far it is, its standings as a table and as a chart, its crosstable. */

import { element, named, shape } from "../../report/viewer/element.js";
import { progressBar } from "./run_list.js";

/** @import { RunDocument } from "./documents.js" */

const VALUE = 96; // pixels of the chart's width for figures
const ROW = 24;
const WIDTHS = [320, 620]; // pixels of the chart, at least and at most
const LETTER = 9; // pixels of a letter of a name, at most

export class Standings {
  constructor(host) {
    this.state = element("div.watch-state");
    this.wrong = element("ul.watch-wrong", { "aria-label": "What went wrong" });
    this.table = element("div.watch-scroll", { tabindex: "0", role: "region", "aria-label": "Standings" });
    this.chart = element("div.watch-elo");
    this.cross = element("details.card.watch-cross", { ontoggle: () => this.crossed() }, element("summary", {}, "Each against each"), element("div.watch-scroll"));
    /** @type {RunDocument|null} */
    this.run = null;
    host.append(this.state, this.wrong, element("div.watch-pair", {}, this.table, this.chart), this.cross);
  }

  /** @param {RunDocument} run */
  show(run) {
    const { elo } = run.standings[0] || {};
    this.state.replaceChildren(...[
      progressBar(run), element("p", {}, run.progress), run.test && element("p", {}, run.test),
    ].filter(Boolean));
    this.wrong.replaceChildren(...run.incidents.map((it) => element("li", {}, named(it.player), it.text.slice(it.player.length))));
    this.wrong.hidden = !run.incidents.length;
    this.table.replaceChildren(run.standings.length ? table(run) : element("p.small", {}, "No game is finished yet."));
    this.chart.replaceChildren(...(elo === null || elo === undefined ? [] : [chart(run, this.width())]),
      ...(run.provisional ? [element("p.small", {}, run.provisional)] : []));
    this.cross.hidden = !run.crosstable.length;
    this.run = run;
    this.crossed();
  }

  /* The crosstable, where it is looked at. */
  crossed() {
    if (this.cross.open && this.run.crosstable.length) this.cross.lastChild.replaceChildren(crosstable(this.run));
  }

  /* Pixels that the chart has. */
  width() {
    const share = window.matchMedia("(min-width: 60rem)").matches ? 5 / 12 : 1;
    return Math.round(Math.min(WIDTHS[1], Math.max(WIDTHS[0], share * this.chart.parentNode.clientWidth)));
  }
}

/** @param {RunDocument} run */
function table(run) {
  const head = element("tr", {}, ["", "player", ...run.columns].map((name) => element("th", { scope: "col" }, name)));
  const rows = run.standings.map((standing, place) => element("tr", {},
    element("td", {}, `${place + 1}`), element("th", { scope: "row" }, named(standing.player)),
    run.columns.map((name) => element("td", {}, standing.text[name]))));
  return element("table.watch-table", {}, element("thead", {}, head), element("tbody", {}, rows));
}

/* Elo with intervals, the best at the top. */
function chart(run, width) {
  const names = Math.round(0.36 * width);
  const rated = run.standings.filter(({ elo }) => elo !== null);
  const least = Math.min(0, ...rated.map((it) => it.elo_low ?? it.elo));
  const most = Math.max(0, ...rated.map((it) => it.elo_high ?? it.elo));
  const x = (elo) => names + ((elo - least) / (most - least || 1)) * (width - names - VALUE - 16) + 8;
  const height = rated.length * ROW + 8;
  const picture = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Elo of each player with its 95 % interval" });
  picture.append(shape("line", { x1: x(0), x2: x(0), y1: 0, y2: height, class: "watch-zero" }));
  rated.forEach((it, row) => {
    const y = row * ROW + ROW / 2 + 4;
    const letters = Math.floor(names / LETTER);
    const name = it.player.length > letters ? `${it.player.slice(0, letters - 1)}…` : it.player;
    const tip = shape("title", {});
    tip.textContent = `${it.player}: ${it.text.Elo}, ${it.text.score} of ${it.games} games`;
    const group = shape("g", {});
    group.append(tip, shape("line", { x1: x(it.elo_low ?? it.elo), x2: x(it.elo_high ?? it.elo), y1: y, y2: y, class: "watch-interval" }),
      shape("circle", { cx: x(it.elo), cy: y, r: 5, class: "watch-dot" }),
      text(names - 8, y + 4.5, name, "end"), text(width, y + 4.5, it.text.Elo, "end"));
    picture.append(group);
  });
  return picture;
}

function text(x, y, words, anchor) {
  const made = shape("text", { x, y, "text-anchor": anchor });
  made.textContent = words;
  return made;
}

/* Points of the row's player against the column's, in per cent; columns are numbered as rows. */
function crosstable(run) {
  const { standings, crosstable: points } = run;
  const head = element("tr", {}, ["", "player", ...standings.map((_, place) => `${place + 1}`)].map((name) => element("th", { scope: "col" }, name)));
  const rows = standings.map(({ player }, row) => element("tr", {}, element("td", {}, `${row + 1}`), element("th", { scope: "row" }, named(player)),
    points[row].map(([won, games], column) => {
      if (!games) return element("td", {}, row === column ? "·" : "");
      const share = won / games;
      const side = share > 0.5 ? ".watch-more" : share < 0.5 ? ".watch-less" : "";
      return element(`td${side}`, { title: `${player} – ${standings[column].player}: ${won} of ${games}` }, `${Math.round(100 * share)}`);
    })));
  return element("table.watch-table", {}, element("thead", {}, head), element("tbody", {}, rows));
}

