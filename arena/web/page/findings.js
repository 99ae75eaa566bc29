/* What was found of a position, from White's view: the bar beside the board, what a player saw, the best lines. */

import { element, named } from "../../report/viewer/element.js";
import { durationText, grouped, unbroken } from "../../report/viewer/words.js";
import { findingsAt, positionAt, shareOf, store, valueAt } from "./state.js";

/** @import { GameState } from "./documents.js" */
/** @import { Step } from "../../report/viewer/ply.js" */

export class Evaluation {
  /* `parts` are those of the view; `on.analysis(lines)` asks for an analysis, 0 ends it, `on.arrows(list)` draws some,
     `on.look(ply)` goes to a ply. */
  constructor(parts, on) {
    this.parts = parts;
    this.on = on;
    const ask = () => on.analysis(parts.analysis.checked ? Number(parts.lines.value) : 0);
    parts.analysis.addEventListener("change", () => { ask(); this.best(store.game, store.ply); });
    parts.lines.addEventListener("change", () => parts.analysis.checked && ask());
    this.lines = 0; // of the analysis, as the last state had them
    this.noted = null; // the move whose note is shown
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
    this.note(state, ply);
    this.best(state, ply);
  }

  bar(state, ply) {
    const seen = valueAt(state, ply);
    const { bar, level, score, seen: words } = this.parts;
    const share = seen ? shareOf(seen.value) : 0.5;
    score.textContent = seen ? seen.value.text : "";
    level.style.setProperty("--share", `${Math.round(1000 * share) / 10}%`);
    bar.classList.toggle("game-bar-low", share < 0.5);
    words.textContent = seen ? `${seen.value.sentence}, by ${seen.by}` : "";
    bar.setAttribute("aria-label", words.textContent || "No evaluation yet");
  }

  /* What a player saw before its move: the last one up to the ply that is looked at. */
  note(state, ply) {
    const place = state.moves.slice(0, ply).findLastIndex(({ note }) => note);
    const move = state.moves[place] ?? null;
    if (move === this.noted) return;
    this.noted = move;
    this.parts.note.hidden = !move;
    if (!move) return;
    const { text, note } = move;
    const arrows = (list) => { this.on.look(place); this.on.arrows(list); };
    this.parts.note.replaceChildren(
      element("h2.game-noted", {}, "What ", named(state.names[positionAt(state, place).turn]), " saw before ", element("strong", {}, text)),
      element("p", {}, unbroken([note.sentence, note.facts].filter(Boolean).join(", "))),
      note.line.length > 1 ? element("p", {}, "Line: ", lineButtons(note.line, arrows)) : "");
  }

  best(state, ply) {
    const { best, analysis } = this.parts;
    const findings = findingsAt(state, ply);
    best.hidden = !analysis.checked;
    if (findings?.failure) best.replaceChildren(element("p.game-wrong", {}, findings.failure));
    else if (!findings?.lines.length) {
      best.replaceChildren(element("p.small", {}, state.outcome ? "The game is over." : ply === state.moves.length ? "Searching …" : "The position of the game is analysed."));
    } else {
      const lines = findings.lines.map(({ text, sentence, known, moves }) => element(known ? `li.known-${known}` : "li", {},
        element("strong.best-score", { title: sentence }, text || "–"), element("span", {}, lineButtons(moves, this.on.arrows))));
      const facts = [
        "+ is better for White", findings.lines.some(({ text }) => text.includes("#")) ? "# is moves to the win" : "", findings.depth ? `depth ${findings.depth}` : "",
        `by ${findings.by}`, findings.nodes ? `${grouped(findings.nodes)} nodes` : "", durationText(findings.seconds),
      ];
      best.replaceChildren(element("ol.best-lines", {}, lines), element("p.small", {}, unbroken(facts.filter(Boolean).join(", "))));
    }
  }
}

/**
 * Moves of a line as buttons: a click draws arrows of the moves so far.
 * @param {Step[]} line
 */
function lineButtons(line, onarrows) {
  const arrows = (place) => line.slice(0, place + 1).map(({ path }, index) => ({ path, kind: index === place ? "line" : "past" }));
  return line.flatMap(({ text }, place) => [element("button.link.line-move", { type: "button", onclick: () => onarrows(arrows(place)) }, text), " "]);
}
