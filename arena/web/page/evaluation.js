/* How a game stands, from White's view: the bar beside the board, the best lines. */

import { element } from "../../report/viewer/element.js";
import { counted, durationText, grouped, unbroken } from "../../report/viewer/words.js";
import { OUTLOOKS, capital, keyOf, shareOf, valueAt } from "./game_state.js";
import { lineButtons } from "./notes.js";
import { store } from "./store.js";

/** @import { Findings, GameState, Outlook } from "./documents.js" */

const TABLES = "endgame tables";

export class Evaluation {
  /* `parts` are those of the view; `on.analysis(lines)` asks for an analysis, 0 ends it, `on.arrows(list)` draws some. */
  constructor(parts, on) {
    this.parts = parts;
    this.on = on;
    this.lines = 0; // of the analysis, as the last state had them
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
  }

  bar(state, ply) {
    const seen = valueAt(state, ply, findingsAt(state, ply));
    const { bar, level, score, seen: words } = this.parts;
    score.textContent = seen ? seen.value.text : "";
    const share = seen ? shareOf(seen.value) : 0.5;
    level.style.setProperty("--share", `${Math.round(1000 * share) / 10}%`);
    bar.classList.toggle("game-bar-low", share < 0.5);
    words.textContent = seen ? `${seen.value.said}, ${seen.by === TABLES ? "by" : "as seen by"} ${seen.by}` : "";
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
    const lines = findings.lines.map(({ text, said, known, moves }) => element(known ? `li.known-${known}` : "li", {},
      element("strong.best-score", { title: said }, text || "–"), element("span", {}, lineButtons(moves, this.on.arrows, "best"))));
    const facts = [
      "+ is better for White", findings.lines.some(({ text }) => text.includes("#")) ? "# is moves to the win" : "", findings.depth ? `depth ${findings.depth}` : "",
      `by ${findings.by}`, findings.nodes ? `${grouped(findings.nodes)} nodes` : "", durationText(findings.seconds),
    ];
    best.replaceChildren(element("ol.best-lines", {}, lines), ...this.outlooks(findings.outlook), element("p.small", {}, unbroken(facts.filter(Boolean).join(", "))));
  }

  /** @param {Outlook[]} outlook */
  outlooks(outlook) {
    return Object.entries(OUTLOOKS).map(([known, { sign, verb }]) => {
      const moves = outlook.filter((verdict) => verdict.known === known).map(({ text, path, moves: away }, place) => [
        place ? ", " : " ",
        element("span", {}, element("button.link.line-move", { type: "button", onclick: () => this.on.arrows([{ path, kind: known }]) }, text),
          away ? ` in ${counted(away, "move")}` : ""),
      ]);
      return moves.length ? element(`p.best-outlook.known-${known}`, {}, element("strong", {}, `${sign} ${capital(verb)}`), moves) : "";
    });
  }
}

/** @returns {Findings|undefined} */
function findingsAt(state, ply) {
  return store.findings.get(keyOf(state, ply));
}
