/* A game on the board: its moves, scores and facts, and the ways to go through it. */

import { Board } from "./board.js";
import { copied, element, named, partsOf } from "./element.js";
import { Graph } from "./graph.js";
import { MoveList } from "./moves.js";
import { pointOf, seenBy } from "./ply.js";
import { counted, durationText, fenOf, grouped, menText, pointsText, positionText, resultText, unbroken } from "./words.js";

/** @import { Look } from "./board.js" */
/** @import { Ply, Points, Position } from "./ply.js" */

/**
 * What is said of a game; `swing` is in men.
 * @typedef {{id: string, white: string, black: string, opening: number, result: string, end: string,
 *   points: Points|null, plies: number, swing: number|null, error: string}} GameFacts
 */

const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", f: "flip", n: "next", p: "previous" };

export class Stage {
  /**
   * `host` has the elements by `data-part`; `beside(step)` opens another game, and `onply` is called with the game and
   * the ply that are shown.
   * @param {HTMLElement} host
   * @param {Look} look
   * @param {{beside: (step: number) => void, onply: (game: any, ply: number) => void}} on
   */
  constructor(host, look, { beside, onply }) {
    this.host = host;
    this.onply = onply;
    this.parts = partsOf(host);
    this.board = new Board(this.parts.board.querySelector("svg"), look);
    this.graph = new Graph(this.parts.graph, (ply) => this.go(ply));
    this.moves = new MoveList(this.parts.moves, (ply) => this.go(ply));
    /** @type {GameFacts|null} */
    this.game = null;
    /** @type {Ply[]} */
    this.played = [];
    /** @type {Position[]} */
    this.positions = [];
    this.ply = 0;
    this.actions = {
      first: () => this.go(0), back: () => this.go(this.ply - 1), forward: () => this.go(this.ply + 1),
      last: () => this.go(this.plies), flip: () => this.board.flip(),
      previous: () => beside(-1), next: () => beside(1), copy: () => this.copy(),
    };
    for (const button of this.buttons("")) button.addEventListener("click", () => this.actions[button.dataset.action]());
    host.addEventListener("keydown", (event) => this.key(event));
  }

  get plies() {
    return this.played.length;
  }

  /* Show a game at a ply. */
  open(game, { start, moves, fault }, ply) {
    this.game = game;
    this.played = moves;
    this.positions = [start, ...moves];
    const { title, legend, facts } = this.parts;
    title.replaceChildren(`Game ${game.id}: `, named(game.white), " – ", named(game.black), `, ${resultText(game.result)}`);
    legend.replaceChildren("Scores in men, up is better for White: ", ...this.legend(true), ", ", ...this.legend(false));
    legend.hidden = this.parts.graph.hidden = !this.scored(true) && !this.scored(false);
    facts.replaceChildren(...this.facts(game, fault));
    this.moves.fill(moves.map(({ text }) => text), moves.map(({ mark }) => mark));
    this.graph.show([pointOf(false), ...moves.map(({ white, note }) => pointOf(white, note))], `Scores of ${game.white} and ${game.black} over ${this.plies} plies`);
    this.go(ply);
  }

  go(ply) {
    this.ply = Math.max(0, Math.min(this.plies, ply));
    const position = this.positions[this.ply];
    const last = this.ply ? this.played[this.ply - 1] : null;
    const next = this.played[this.ply];
    this.board.show(position.pieces, last && last.squares, positionText(position));
    this.board.arrows(next?.better ? [{ path: next.betterPath, kind: "hint" }] : []);
    this.graph.go(this.ply);
    this.parts.status.replaceChildren(...this.sentence(last), ...this.warning(next));
    this.parts.fen.value = fenOf(position);
    this.parts.copied.textContent = "";
    for (const [name, end] of [["first", 0], ["back", 0], ["forward", this.plies], ["last", this.plies]]) {
      for (const button of this.buttons(`=${name}`)) button.setAttribute("aria-disabled", String(this.ply === end));
    }
    this.moves.mark(this.ply);
    this.onply(this.game, this.ply);
  }

  /**
   * The buttons with an action, such as `=play`; all for "".
   * @returns {NodeListOf<HTMLButtonElement>}
   */
  buttons(action) {
    return this.host.querySelectorAll(`[data-action${action}]`);
  }

  key(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input, select, textarea")) return;
    if (!KEYS[key]) return;
    event.preventDefault();
    this.actions[KEYS[key]]();
  }

  async copy() {
    this.parts.copied.textContent = (await copied(this.parts.fen)) ? "copied" : "press Ctrl+C";
  }

  /* What the last move was, in words. */
  sentence(ply) {
    if (!ply) return [`After the opening, ${counted(this.plies, "ply", "plies")} follow.`];
    const { text, white, seconds, note, mark, better } = ply;
    const { men, own, wins } = seenBy(ply);
    const words = [];
    if (wins) words.push(`sees a ${wins > 0 ? "win" : "loss"} in ${Math.abs(wins)} plies`);
    else if (men !== null) words.push(`score ${menText(men, 2)} men`);
    else if (own !== null) words.push(`score ${own}, in its own unit`);
    if (note?.nodes) words.push(`depth ${note.depth}`, `${grouped(note.nodes)} nodes`);
    if (seconds) words.push(durationText(seconds));
    const seen = words.length ? `, ${unbroken(words.join(", "))}.` : ".";
    const error = mark ? [element("b.viewer-error", {}, ` ${mark}`), ` (better ${better})`] : [];
    return [`Ply ${this.ply} of ${this.plies}: `, element("strong", {}, text), ...error, " by ", this.name(white), seen];
  }

  /* That the next move is an error, and what the arrow shows. */
  warning(next) {
    if (!next?.mark) return [];
    return [" Next ", element("strong", {}, next.text), element("b.viewer-error", {}, ` ${next.mark}`), `; the arrow shows ${next.better}.`];
  }

  name(white) {
    return named(white ? this.game.white : this.game.black);
  }

  /* Whether a player gave a score in the game. */
  scored(white) {
    return this.played.some(({ white: mover, note }) => mover === white && (note?.plies_to_win || (note?.value ?? null) !== null));
  }

  /* A player as the name of a curve. */
  legend(white) {
    return [element(`span.viewer-${white ? "white" : "black"}`, {}, this.name(white)), ` (${white ? "White" : "Black"}${this.scored(white) ? "" : ", gives none"})`];
  }

  facts(game, fault) {
    const rows = [
      ["Opening", String(game.opening)], ["Ended by", game.end], ["Points", game.points && pointsText(game.points)], ["Plies", String(game.plies)],
      ["Greatest swing", game.swing === null ? "" : `${game.swing.toFixed(1)} men`], ["Error", game.error],
      ["Not shown", fault && `the moves from ply ${this.positions.length} on: ${fault}`],
    ];
    return rows.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, named(value))]);
  }
}
