/* The boards of games under way: one a worker, each ply as it is played, or slower; held while paused. */

import { Board } from "../../report/viewer/board.js";
import { element, pictureOf } from "../../report/viewer/element.js";
import { extended, seenBy } from "../../report/viewer/ply.js";
import { durationText, menText, pointsText, resultText } from "../../report/viewer/words.js";
import { clockText } from "./game_words.js";
import { showStrip } from "./strip.js";

/** @import { BoardDocument, LiveGame } from "./documents.js" */
/** @import { Ply } from "../../report/viewer/ply.js" */

const ENDED = 1500; // milliseconds that the end of a game stays
const BEHIND = 400; // plies that wait to be shown, beyond which the games between the one shown and the last are left out
const HELD = 100; // games that a board keeps while it is held, beyond which those between the first and the latest go
const PACES = [["live", 0], ["at most 2 plies per second", 500], ["at most 1 ply per second", 1000], ["a ply every 3 seconds", 3000]];

export class LiveBoards {
  /**
   * `board` is that of the run's rules.
   * @param {HTMLElement} host
   * @param {BoardDocument} board
   */
  constructor(host, board) {
    this.board = board;
    /** @type {Map<number, WorkerBoard>} */
    this.workers = new Map();
    /** @type {number[]} */
    this.present = []; // workers of the last message
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    this.paused = false;
    this.pace = 0;
    this.button = element("button.watch-pause", { type: "button", onclick: () => this.pause(!this.paused) }, "Pause");
    const speed = element("select", { onchange: () => { this.pace = Number(speed.value); this.tick(); } },
      PACES.map(([words, pace]) => element("option", { value: pace }, words)));
    this.behind = element("span.small", { role: "status" });
    this.grid = element("div.watch-grid");
    this.part = element("section", { "aria-label": "Games being played", hidden: true }, element("h2", {}, "Being played"),
      element("div.watch-controls", {}, this.button, element("label", {}, "Speed ", speed), this.behind), this.grid);
    host.append(this.part);
  }

  /* What the server tells of the games under way. */
  take({ games, workers }) {
    for (const game of games) {
      if (!this.workers.has(game.worker)) this.workers.set(game.worker, new WorkerBoard(this.board, this.grid));
      this.workers.get(game.worker).take(game);
    }
    this.present = workers;
    this.tick();
  }

  /* Take away the boards of workers that are gone. */
  clear() {
    for (const [worker, shown] of this.workers) {
      if (this.present.includes(worker)) continue;
      shown.remove();
      this.workers.delete(worker);
    }
  }

  pause(on) {
    this.paused = on;
    this.button.textContent = on ? "Go on" : "Pause";
    this.button.setAttribute("aria-pressed", String(on));
    this.tick();
  }

  /* Show what is due, and again when the next is; while paused only boards that show nothing yet. */
  tick() {
    clearTimeout(this.timer);
    const now = performance.now();
    let next = Infinity;
    if (!this.paused) this.clear();
    this.part.hidden = !this.workers.size;
    for (const each of this.workers.values()) {
      if (!this.paused) next = Math.min(next, each.step(now, this.pace));
      else if (each.isNew) each.step(now, this.pace);
    }
    const waiting = [...this.workers.values()].reduce((sum, each) => sum + each.waiting, 0);
    this.behind.textContent = waiting > 1 ? `${waiting} plies have been played since` : "";
    if (next < Infinity) this.timer = setTimeout(() => this.tick(), Math.max(next - now, 30));
  }

  stop() {
    clearTimeout(this.timer);
  }
}

/* One worker's board, and the games that it has still to show. */
class WorkerBoard {
  constructor(board, grid) {
    /** @type {LiveGame[]} */
    this.games = [];
    this.due = 0; // when the next ply is shown, by `performance.now()`
    this.shown = -1; // plies of the first game that are shown; -1 before it is
    this.ended = 0; // when its end was shown, 0 before
    /** @type {number|undefined} */
    this.passed = undefined; // when the last game began that was shown to its end
    const picture = pictureOf(board.svg);
    this.board = new Board(picture, board.look);
    this.above = element("p.watch-side");
    this.below = element("p.watch-side");
    this.line = element("p.small.watch-line");
    this.card = element("article.card.watch-game", {}, this.above, element("div.watch-board", {}, picture), this.below, this.line);
    grid.append(this.card);
  }

  /* Whether nothing has been shown yet. */
  get isNew() {
    return this.shown < 0 && this.passed === undefined;
  }

  get waiting() {
    return this.games.reduce((sum, game) => sum + game.moves.length, 0) - Math.max(this.shown, 0);
  }

  take(game) {
    const known = this.games.find(({ began }) => began === game.began);
    if (known) {
      Object.assign(known, { moves: extended(known.moves, game), result: game.result, termination: game.termination });
    } else if (!this.games.some(({ began }) => began > game.began) && game.began > (this.passed || 0)) {
      this.games.push(game);
      if (this.games.length > HELD) this.games.splice(1, 1);
    }
  }

  /* Show the next ply if it is due; returns when the next one is, Infinity if nothing waits. Live, all is due at once.
     A game whose end was never sent is over when a later one is there. */
  step(now, pace) {
    if (!this.games.length) return Infinity;
    if (pace && now < this.due) return this.due;
    if (!pace) this.skip(now);
    else if (this.waiting > BEHIND) this.games.splice(1, this.games.length - 2);
    const [game, later] = this.games;
    if (this.shown < game.moves.length) {
      this.shown = pace && !this.isNew ? this.shown + 1 : game.moves.length;
      this.draw();
      this.due = now + pace;
      return this.shown < game.moves.length || later || game.result ? this.due : Infinity;
    }
    if (game.result && !this.ended) {
      this.ended = now;
      this.draw();
    }
    if (!later) return Infinity;
    const until = this.ended ? this.ended + Math.max(pace, ENDED) : now;
    if (now < until) return until;
    this.next();
    return this.step(now, pace);
  }

  /* Leave out all games but the last one, and the one before for a moment, to show how it ended. */
  skip(now) {
    const [game, later] = this.games;
    if (!later) return;
    const seen = this.shown >= 0 && (!game.result || game.moves.length - this.shown < 4);
    if (seen && this.games.length === 2 && (!this.ended || now < this.ended + ENDED)) return;
    while (this.games.length > 1) this.next();
  }

  next() {
    this.passed = this.games.shift().began;
    this.shown = -1;
    this.ended = 0;
  }

  draw() {
    const [game] = this.games;
    const ply = game.moves[this.shown - 1];
    const last = ply ? ply.text : "";
    this.board.show(ply ? ply.pieces : game.start.pieces, ply ? ply.squares : null, `Game ${game.game}: ${game.white} against ${game.black}, ply ${this.shown} ${last}`);
    this.strip(this.above, "black");
    this.strip(this.below, "white");
    const took = ply && ply.seconds !== null ? `, ${durationText(ply.seconds)}` : "";
    const ended = this.over(game) ? ` · ${resultText(game.result)}, ${game.termination}` : "";
    const points = ply?.points ? ` · points: ${pointsText(ply.points)}` : "";
    const moved = last ? [": ", element("strong", {}, last)] : [];
    this.line.replaceChildren(`Game ${game.game} · ply ${this.shown}`, ...moved, `${took}${points}${ended}`);
  }

  /* Show a player, with what it saw before its last move, and its clock then. */
  strip(host, colour) {
    const [game] = this.games;
    const isWhite = colour === "white";
    const plies = game.moves.slice(0, this.shown);
    const isWhiteToMove = plies.length ? !plies.at(-1).white : game.start.turn === "white";
    const own = plies.findLast(({ white }) => white === isWhite);
    showStrip(host, { colour, name: game[colour], isToMove: !this.over(game) && isWhiteToMove === isWhite },
      element("span.watch-score", {}, own ? scoreText(own) : ""),
      element("span.watch-clock", {}, own && own.clock !== null ? clockText(own.clock) : ""));
  }

  over(game) {
    return Boolean(game.result) && this.shown >= game.moves.length;
  }

  remove() {
    this.card.remove();
  }
}

/**
 * What a player saw, from its own view.
 * @param {Ply} ply
 */
function scoreText(ply) {
  const { men, own, wins } = seenBy(ply);
  if (wins) return `${wins > 0 ? "wins" : "loses"} in ${Math.abs(wins)}`;
  if (men !== null) return menText(men, 2);
  return own === null ? "" : String(own);
}
