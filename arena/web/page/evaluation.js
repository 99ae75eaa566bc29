/* How a game stands: the bar beside the board, the best lines, the graph of scores. Values are men, from White's view. */

import { element, named } from "../../report/viewer/element.js";
import { Graph } from "../../report/viewer/graph.js";
import { pointOf } from "../../report/viewer/ply.js";
import { durationText, grouped, unbroken } from "../../report/viewer/words.js";
import { isKnown, keyOf, positionAt, valueAt } from "./game_state.js";
import { OUTLOOKS, capital, shareOf, valueText } from "./game_words.js";
import { lineButtons } from "./notes.js";
import { store } from "./store.js";

/** @import { Findings, GameState, Outlook } from "./documents.js" */
/** @import { Point } from "../../report/viewer/ply.js" */

export class Evaluation {
  /* `parts` are those of the view; `on.analysis(lines)` asks for an analysis, 0 ends it, `on.arrows(list)` draws some,
     `on.ply(ply)` goes to a ply. */
  constructor(parts, on) {
    this.parts = parts;
    this.on = on;
    this.lines = 0; // of the analysis, as the last state had them
    this.graph = new Graph(parts.graph, (ply) => on.ply(ply));
    const ask = () => on.analysis(parts.analysis.checked ? Number(parts.lines.value) : 0);
    parts.analysis.addEventListener("change", () => { ask(); this.best(store.game, store.ply); });
    parts.lines.addEventListener("change", () => parts.analysis.checked && ask());
  }

  /**
   * Show how a game stands at a ply, and how many lines are asked for; with 0 the analysis is off.
   * @param {GameState} state
   * @param {number} ply
   */
  show(state, ply) {
    if (state.lines !== this.lines) {
      this.lines = state.lines;
      this.parts.analysis.checked = state.lines > 0;
      if (state.lines) this.parts.lines.value = String(state.lines);
    }
    this.bar(state, ply);
    this.best(state, ply);
    this.curves(state, ply);
  }

  bar(state, ply) {
    const seen = valueAt(state, ply, findingsAt(state, ply));
    const { bar, level, score, seen: words } = this.parts;
    score.textContent = seen ? valueText(seen.value) : "";
    const share = seen ? shareOf(seen.value) : 0.5;
    level.style.setProperty("--share", `${Math.round(1000 * share) / 10}%`);
    bar.classList.toggle("game-bar-low", share < 0.5);
    words.textContent = seen ? `${valueText(seen.value)} for White, as ${seen.by} sees it` : "";
    bar.setAttribute("aria-label", words.textContent || "No evaluation yet");
  }

  best(state, ply) {
    const { best } = this.parts;
    const findings = findingsAt(state, ply);
    best.hidden = !this.parts.analysis.checked && !findings;
    if (best.hidden) return;
    if (findings?.failure) {
      best.replaceChildren(element("p.game-wrong", {}, findings.failure));
      return;
    }
    if (!findings?.lines.length) {
      best.replaceChildren(element("p.small", {}, state.outcome ? "The game is over." : ply === state.moves.length ? "Searching …" : "Nothing was analysed here."));
      return;
    }
    const lines = findings.lines.map(({ score, known, moves }) => element(known ? `li.known-${known}` : "li", {},
      element("strong.best-score", {}, score || "–"), element("span", {}, lineButtons(moves, this.on.arrows, "best"))));
    const facts = [
      findings.lines[0].score ? `for ${capital(positionAt(state, ply).turn)}` : "", findings.depth ? `depth ${findings.depth}` : "",
      `by ${findings.by}`, findings.nodes ? `${grouped(findings.nodes)} nodes` : "", durationText(findings.seconds),
    ];
    best.replaceChildren(element("ol.best-lines", {}, lines), ...this.outlooks(findings.outlook), element("p.small", {}, unbroken(facts.filter(Boolean).join(", "))));
  }

  /** @param {Outlook[]} outlook */
  outlooks(outlook) {
    return Object.entries(OUTLOOKS).map(([known, { sign, verb }]) => {
      const moves = outlook.filter((verdict) => verdict.known === known).map(({ text, path, plies }, place) => [
        place ? ", " : " ",
        element("span", {}, element("button.link.line-move", { type: "button", onclick: () => this.on.arrows([{ path, kind: known }]) }, text),
          plies ? ` in ${plies}` : ""),
      ]);
      return moves.length ? element(`p.best-outlook.known-${known}`, {}, element("strong", {}, `${sign} ${capital(verb)}`), moves) : "";
    });
  }

  curves(state, ply) {
    const points = pointsOf(state);
    this.parts.scores.hidden = points.filter(({ score, wins }) => score !== null || wins !== null).length < 2;
    if (this.parts.scores.hidden) return;
    const name = (colour) => element(`span.viewer-${colour}`, {}, named(state.sides[colour].person ? capital(colour) : state.sides[colour].name));
    this.parts.legend.replaceChildren("Scores in men, up is better for White: ", name("white"), ", ", name("black"));
    this.graph.show(points, `Scores over ${state.moves.length} plies`);
    this.graph.go(ply);
  }
}

/**
 * What the players saw before each ply, else what an analysis found after it.
 * @param {GameState} state
 * @returns {Point[]}
 */
function pointsOf(state) {
  const moves = state.moves.map(({ note, white }, place) => {
    const value = [note, findingsAt(state, place + 1)?.lines[0]].find((each) => each && isKnown(each));
    return pointOf(white, value);
  });
  return [pointOf(false), ...moves];
}

/** @returns {Findings|undefined} */
function findingsAt(state, ply) {
  return store.findings.get(keyOf(state, ply));
}
