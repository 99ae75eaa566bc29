"use strict";

/* How a game stands: the bar beside the board, the best lines, the graph of scores. Values are men, from White's view. */
(function (arena) {
  const { element } = arena;
  const SLOPE = 2.5; // men at which the bar is three quarters full, about

  class Evaluation {
    /* `parts` are those of the view; `on.analysis(isOn, lines)` asks for an analysis, `on.arrows(list)` draws some, `on.ply(ply)`
       goes to a ply. */
    constructor(parts, on) {
      Object.assign(this, { parts, on, found: new Map() });
      this.graph = new arena.Graph(parts.graph, (ply) => on.ply(ply));
      const ask = () => on.analysis(parts.analysis.checked, Number(parts.lines.value));
      parts.analysis.addEventListener("change", ask);
      parts.lines.addEventListener("change", () => parts.analysis.checked && ask());
    }

    get isOn() {
      return this.parts.analysis.checked;
    }

    set isOn(value) {
      this.parts.analysis.checked = value;
    }

    /* How many lines are asked for; with 0 the analysis is off. */
    set lines(count) {
      this.isOn = count > 0;
      if (count) this.parts.lines.value = String(count);
    }

    /* What the analysis found for a ply. */
    take(event, state, ply) {
      this.found.set(key(state, event.ply), event);
      this.show(state, ply);
    }

    /* Show how a state stands at a ply. */
    show(state, ply) {
      this.bar(state, ply);
      this.best(ply, state);
      this.curves(state, ply);
    }

    at(state, ply) {
      return this.found.get(key(state, ply));
    }

    bar(state, ply) {
      const seen = this.value(state, ply);
      const { bar, level, score } = this.parts;
      score.textContent = "";
      level.style.removeProperty("--share");
      bar.setAttribute("aria-label", "No evaluation yet");
      if (!seen) return;
      const share = seen.wins_in ? (seen.wins_in > 0 ? 1 : 0) : 0.5 + 0.5 * Math.tanh(seen.value / SLOPE / 1.8);
      level.style.setProperty("--share", `${Math.round(1000 * share) / 10}%`);
      score.textContent = words(seen);
      bar.classList.toggle("game-bar-low", share < 0.5);
      bar.setAttribute("aria-label", `Evaluation: ${words(seen)} for White`);
    }

    /* {value, wins_in} of a ply: of the analysis, else of what the players saw last, within a move; null without. */
    value(state, ply) {
      const found = this.at(state, ply)?.lines[0];
      if (found && isKnown(found)) return found;
      for (let back = ply; back > Math.max(0, ply - 2); back -= 1) {
        const { note } = state.moves[back - 1];
        if (note && isKnown(note)) return note;
      }
      return null;
    }

    best(ply, state) {
      const { best } = this.parts;
      const found = this.at(state, ply);
      best.hidden = !this.isOn && !found;
      if (best.hidden) return;
      if (found?.failure) {
        best.replaceChildren(element("p.game-wrong", {}, found.failure));
        return;
      }
      if (!found?.lines.length) {
        best.replaceChildren(element("p.small", {}, state.outcome ? "The game is over." : ply === state.moves.length ? "Searching …" : "Nothing was analysed here."));
        return;
      }
      const lines = found.lines.map(({ score, moves }) => element("li", {},
        element("strong.best-score", {}, arena.signed(score) || "–"), element("span", {}, arena.line(moves, this.on.arrows, "best").flatMap((each) => [each, " "]))));
      const said = [found.lines[0].score ? `for ${this.isWhite(state, ply + 1) ? "White" : "Black"}` : "", found.depth ? `depth ${found.depth}` : "", found.nodes ? `${arena.grouped(found.nodes)} nodes` : "", arena.duration(found.seconds)];
      best.replaceChildren(element("ol.best-lines", {}, lines), element("p.small", {}, arena.unbroken(said.filter(Boolean).join(", "))));
    }

    curves(state, ply) {
      const positions = [{ score: null, wins: null, white: false }, ...state.moves.map(({ note }, place) => {
        const white = this.isWhite(state, place + 1);
        const sign = white ? 1 : -1;
        const found = [note, this.at(state, place + 1)?.lines[0]].find((each) => each && isKnown(each));
        if (!found) return { score: null, wins: null, white };
        return { score: found.wins_in ? null : sign * found.value, wins: found.wins_in ? sign * found.wins_in : null, white };
      })];
      this.parts.scores.hidden = positions.filter(({ score, wins }) => score !== null || wins !== null).length < 2;
      if (this.parts.scores.hidden) return;
      const name = (colour) => element(`span.viewer-${colour}`, {}, arena.named(state.sides[colour].person ? arena.capital(colour) : state.sides[colour].name));
      this.parts.legend.replaceChildren("Scores in men, up is better for White: ", name("white"), ", ", name("black"));
      this.graph.show(positions, `Scores over ${state.moves.length} plies`);
      this.graph.go(ply);
    }

    isWhite(state, ply) {
      return arena.mover(state, ply) === "white";
    }
  }

  /* A position by how it came about, so that a move taken back does not mix it up with another. */
  function key({ game, start, moves }, ply) {
    return [game, start.fen, ...moves.slice(0, ply).map(({ text }) => text)].join(" ");
  }

  function isKnown({ value, wins_in: wins }) {
    return (value !== null && value !== undefined) || Boolean(wins);
  }

  function words({ value, wins_in: wins }) {
    if (wins) return `${wins > 0 ? "+" : "−"}#${Math.abs(wins)}`;
    return arena.men(value, 1);
  }

  arena.Evaluation = Evaluation;
})((window.arena = window.arena || {}));
