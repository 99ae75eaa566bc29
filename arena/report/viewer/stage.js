/* A game on the board: its moves, scores and facts, and the ways to go through it. */

import { Board } from "./board.js";
import { copied, element, named, partsOf, pictureOf } from "./element.js";
import { Graph } from "./graph.js";
import { MoveList } from "./moves.js";
import { pointOf, seenBy } from "./ply.js";
import { counted, durationText, fenOf, grouped, menText, pointsText, positionText, resultText, unbroken } from "./words.js";

/** @import { Inside, ListedGame, Rules } from "./games.js" */
/** @import { Ply, Position } from "./ply.js" */

const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", f: "flip", n: "next", p: "previous" };

export class Stage {
  /**
   * `host` has the elements by `data-part`; `beside(step)` opens another game, and `onply` is called with the game and
   * the ply that are shown.
   * @param {HTMLElement} host
   * @param {Inside} data
   * @param {{beside: (step: number) => void, onply: (game: any, ply: number) => void}} on
   */
  constructor(host, data, { beside, onply }) {
    this.host = host;
    this.data = data;
    this.onply = onply;
    this.parts = partsOf(host);
    /** @type {Board|null} */
    this.board = null;
    /** @type {Rules|null} */
    this.rules = null;
    this.graph = new Graph(this.parts.graph, (ply) => this.go(ply));
    this.moves = new MoveList(this.parts.moves, (ply) => this.go(ply));
    /** @type {ListedGame|null} */
    this.game = null;
    this.comment = "";
    /** @type {Ply[]} */
    this.played = [];
    /** @type {Position[]} */
    this.positions = [];
    this.ply = 0;
    this.actions = {
      first: () => this.go(0), back: () => this.go(this.ply - 1), forward: () => this.go(this.ply + 1),
      last: () => this.go(this.plies), flip: () => this.board.flip(),
      previous: () => beside(-1), next: () => beside(1), copy: () => this.copy("fen"), copyplay: () => this.copy("play"),
    };
    for (const button of this.buttons("")) button.addEventListener("click", () => this.actions[button.dataset.action]());
    host.addEventListener("keydown", (event) => this.key(event));
  }

  get plies() {
    return this.played.length;
  }

  /* Show a game at a ply. */
  open(game, { start, moves, fault, tags, comment }, ply) {
    const isFocused = this.parts.moves.contains(document.activeElement); // on a button that goes
    this.game = game;
    this.comment = comment;
    this.played = moves;
    this.positions = [start, ...moves];
    this.take(this.data.boards[game.board]);
    const { title, legend, facts } = this.parts;
    const players = [named(game.white || "?"), " – ", named(game.black || "?")];
    title.replaceChildren(...(game.white || game.black || moves.length ? [`Game ${game.id}: `, ...players, `, ${resultText(game.result)}`] : ["Position"]));
    legend.replaceChildren("Scores in men, up is better for White: ", ...this.legend(true), ", ", ...this.legend(false));
    legend.hidden = this.parts.graph.hidden = !this.scored(true) && !this.scored(false);
    facts.replaceChildren(...this.facts(game, tags, fault));
    this.moves.fill(moves.map(({ text }) => text), moves.map(({ mark }) => mark));
    this.graph.show([pointOf(false), ...moves.map(({ white, note }) => pointOf(white, note))], `Scores of ${game.white} and ${game.black} over ${this.plies} plies`);
    this.go(ply);
    if (isFocused) this.parts.board.focus({ preventScroll: true });
  }

  /* Have the board of some rules. */
  take(rules) {
    if (rules === this.rules) return;
    this.rules = rules;
    const picture = pictureOf(rules.svg);
    this.parts.board.replaceChildren(picture);
    this.board = new Board(picture, this.data.look);
  }

  go(ply) {
    this.ply = Math.max(0, Math.min(this.plies, ply));
    const position = this.positions[this.ply];
    const last = this.ply ? this.played[this.ply - 1] : null;
    const next = this.played[this.ply];
    const { names, rules } = this.rules;
    this.board.show(position.pieces, last && last.squares, positionText(position, names));
    const both = next?.better ? [{ path: next.path, kind: "played" }, { path: next.betterPath, kind: "hint" }] : [];
    this.board.arrows(both);
    this.graph.go(this.ply);
    const comment = last ? last.comment : this.comment;
    const told = comment ? [element("q", {}, comment)] : [];
    this.parts.status.replaceChildren(...this.sentence(last), ...this.warning(next), " ", ...told);
    this.parts.fen.value = fenOf(position, names);
    this.parts.play.value = `arena play ${rules} --browser --fen ${this.parts.fen.value}`;
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

  async copy(part) {
    this.parts.copied.textContent = (await copied(this.parts[part])) ? "copied" : "press Ctrl+C";
  }

  /* What the last move was, in words. */
  sentence(ply) {
    if (!ply) return this.plies ? [`${counted(this.plies, "ply", "plies")} follow.`] : [];
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
    return [" Next ", element("strong", {}, next.text), element("b.viewer-error", {}, ` ${next.mark}`), `; the green arrow shows ${next.better}.`];
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

  /* The tags of a PDN, or what a run has of a game. */
  facts(game, tags, fault) {
    const rows = [
      ...(tags ? Object.entries(tags) : [
        ["Opening", String(game.opening)], ["Ended by", game.end], ["Points", game.points && pointsText(game.points)], ["Plies", String(game.plies)],
        ["Greatest swing", game.swing === null ? "" : `${game.swing.toFixed(1)} men`], ["Error", game.error],
      ]),
      ["Not shown", fault && `the moves from ply ${this.positions.length} on: ${fault}`],
    ];
    return rows.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, named(value))]);
  }
}
