/* The finished games of a run: the latest ones, and one game on the viewer's stage. */

import { element, pictureOf } from "../../report/viewer/element.js";
import { gameLine } from "../../report/viewer/list.js";
import { Stage } from "../../report/viewer/stage.js";
import { counted } from "../../report/viewer/words.js";
import { say } from "./dialogs.js";
import { COMPILING, LONG } from "./game_words.js";
import { showStrip } from "./panel.js";
import { addressOf, pathOf } from "./run_words.js";
import { address, askOffer, get, newest, post } from "./server.js";
import { HUMAN } from "./sides.js";
import { store } from "./store.js";

/** @import { BoardDocument, GameDocument } from "./documents.js" */

/* The latest games of a run, more of them by a button. */
export class FinishedGames {
  /**
   * @param {HTMLElement} host
   * @param {string} run
   */
  constructor(host, run) {
    this.run = run;
    this.latest = newest();
    this.games = -1; // finished games of the run when the list was asked for
    this.heading = element("h2", {}, "Games");
    this.list = element("ol.viewer-list", { "aria-label": "Games", tabindex: "-1" });
    this.more = element("button.viewer-more", { type: "button", hidden: true, onclick: () => this.ask(this.list.childElementCount) }, "More games");
    host.append(element("div.viewer.watch-finished", {}, this.heading, this.list, this.more));
  }

  /* Show the latest games, as there are so many now; a list that was gone through stays. */
  know(games) {
    if (games === this.games || this.list.scrollTop) return;
    this.games = games;
    this.ask(0);
  }

  async ask(first) {
    const isLatest = this.latest();
    const page = await get(`${pathOf(this.run, "games")}?from=${first}`, { quiet: true }).catch(() => null);
    if (!isLatest() || !page) return;
    const rows = page.games.map((game) => element("li", {}, element("a.viewer-game", { href: addressOf(this.run, "game", game.game) }, gameLine({ ...game, number: game.game }))));
    if (first) this.list.append(...rows);
    else this.list.replaceChildren(...rows);
    this.heading.textContent = counted(page.count, "game");
    this.more.hidden = this.list.childElementCount >= page.count;
  }
}

/* A game of a run on the stage, and what can be done from there. */
export class FinishedGame {
  /**
   * @param {HTMLElement} host
   * @param {string} run
   */
  constructor(host, run) {
    this.run = run;
    this.latest = newest();
    this.ply = 0;
    /** @type {(GameDocument & {swing: number|null})|null} */
    this.game = null;
    const stage = /** @type {HTMLTemplateElement} */ (document.querySelector("template[data-stage]")).content.cloneNode(true);
    this.missing = element("p.viewer-missing", { role: "status", hidden: true });
    this.on = element("button.main", { type: "button", onclick: () => this.play(false) }, "Play on from here");
    this.analyse = element("button", { type: "button", onclick: () => this.play(true) }, "Analyse");
    this.part = element("div.viewer.watch-stage", {}, this.missing, stage);
    this.part.querySelector(".viewer-read").append(element("div.watch-on", {}, this.on, this.analyse));
    const picture = this.part.querySelector("[data-part=board]");
    picture.before(this.above = element("p.watch-side"));
    picture.after(this.below = element("p.watch-side"));
    this.save = element("a.button", { download: true }, "Save as PDN");
    this.part.querySelector(".viewer-fen").append(this.save);
    host.append(this.part);
    this.section = this.part.querySelector(".viewer-stage");
    this.section.hidden = true;
    /** @type {Stage|null} */
    this.stage = null;
  }

  /* Have the board of the run's rules. */
  take(/** @type {BoardDocument} */ board) {
    this.part.querySelector("[data-part=board]").append(pictureOf(board.svg));
    this.stage = new Stage(this.section, board.look, {
      beside: (step) => { if (this.game) this.go(this.game.number + step); },
      onply: (game, ply) => { this.ply = ply; this.sides(); },
    });
    const { flip } = this.stage.actions;
    this.stage.actions.flip = () => { flip(); this.sides(); };
  }

  /* Say who plays on which side of the board, and who is to move. */
  sides() {
    const { stage, ply, game } = this;
    const { turn } = stage.positions[ply];
    for (const [host, isWhite] of [[this.above, stage.board.flipped], [this.below, !stage.board.flipped]]) {
      const colour = isWhite ? "white" : "black";
      showStrip(host, { colour, name: game[colour], isToMove: colour === turn && ply < stage.plies });
    }
  }

  go(number) {
    if (number >= 1 && number <= this.game.last) location.hash = addressOf(this.run, "game", number);
  }

  async open(number, ply = 0) {
    const isLatest = this.latest();
    const game = await get(pathOf(this.run, "games", encodeURIComponent(number)), { quiet: true }).catch((error) => error);
    if (!isLatest()) return;
    const isMissing = game instanceof Error;
    this.section.hidden = isMissing;
    this.missing.hidden = !isMissing;
    if (isMissing) this.missing.textContent = `Game ${number} cannot be shown: ${game.message}`;
    if (isMissing) return;
    this.game = { ...game, swing: null };
    if (!this.stage) this.take(game.board);
    this.save.href = address(pathOf(this.run, "games", game.number, "pdn"));
    this.stage.open(this.game, game, ply);
    this.part.querySelector("[data-part=board]").focus({ preventScroll: true });
  }

  close() {
    this.latest();
  }

  /* Begin a game at the position that is shown, the same side below: a person for the side to move, or for both to look
     into it. The way back leads to this position. */
  async play(analysed) {
    if (!this.game) return;
    const offer = await askOffer();
    const { variant, number } = this.game;
    const usual = offer.usual[variant] || Object.values(offer.usual)[0];
    const sides = { white: usual, black: usual, [this.stage.positions[this.ply].turn]: HUMAN };
    if (analysed) Object.assign(sides, { white: HUMAN, black: HUMAN });
    const waiting = setTimeout(() => say(COMPILING), LONG);
    const begun = await post("/api/games", { variant, ...sides, from: { run: this.run, game: number, ply: this.ply } }).finally(() => clearTimeout(waiting));
    history.replaceState(null, "", addressOf(this.run, "game", number, this.ply));
    store.kept = { game: begun.game, flipped: this.stage.board.flipped };
    location.hash = `#/game/${begun.game}${analysed ? "/analysis" : ""}`;
  }
}
