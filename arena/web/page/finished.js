/* The finished games of a run: a list with filters, which asks the server, and one game on the viewer's stage. */

import { element, pictureOf } from "../../report/viewer/element.js";
import { gameLine } from "../../report/viewer/list.js";
import { Stage } from "../../report/viewer/stage.js";
import { grouped } from "../../report/viewer/words.js";
import { say } from "./dialogs.js";
import { COMPILING, LONG } from "./game_words.js";
import { addressOf, gamesText, pathOf } from "./run_words.js";
import { address, askOffer, get, post } from "./server.js";
import { store } from "./store.js";
import { showStrip } from "./strip.js";

/** @import { BoardDocument, GameDocument } from "./documents.js" */

const AT_ONCE = 50; // games asked for at once
const PAUSE = 250; // milliseconds without a change after which the list is asked for
const AGAIN = 3000; // milliseconds until it is asked for again because a game has ended, at least
const SHARE = 0.005; // of the time that the server may take for that
const ORDERS = [["latest", "latest first"], ["number", "number"], ["longest", "longest first"], ["shortest", "shortest first"]];
const RESULTS = [["", "any"], ["white", "White won"], ["black", "Black won"], ["draw", "drawn"], ["won", "won by the player"], ["lost", "lost by the player"]];

export class FinishedGames {
  constructor(host, run) {
    this.run = run;
    this.names = "";
    this.ends = "";
    this.asked = 0; // lists that were asked for, so that a late answer is known as one
    this.when = -Infinity; // when the last was, by `performance.now()`
    this.took = 0; // milliseconds until its answer
    this.games = 0; // finished games of the run
    /** @type {number|undefined} */
    this.listed = undefined; // finished games when the list was asked for
    this.isSeen = false;
    /** @type {{count: number, all: boolean}|null} */
    this.found = null;
    /** @type {ReturnType<typeof setTimeout>|null} */
    this.due = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    const select = (label, name, options) => element("label", {}, `${label} `, element("select", { name }, options.map(option)));
    this.form = element("form", { oninput: () => this.later(), onsubmit: (event) => event.preventDefault(), onreset: () => this.later() },
      select("Player", "player", [["", "any"]]), select("Against", "opponent", [["", "any"]]), select("Result", "result", RESULTS),
      select("Ended by", "end", [["", "any"]]), element("label", {}, "Opening ", element("input", { name: "opening", type: "number", min: "1", max: "999999999", inputmode: "numeric" })),
      select("Sorted by", "order", ORDERS), element("button", { type: "reset" }, "Clear filters"));
    this.count = element("p.small", { role: "status" });
    this.list = element("ol.viewer-list", { "aria-label": "Finished games", tabindex: "-1" });
    this.more = element("button.viewer-more", { type: "button", hidden: true, onclick: () => this.ask(this.list.childElementCount) }, "More games");
    const part = element("div.viewer.watch-finished", {}, element("h2", {}, "Finished games"),
      element("details.viewer-filters", {}, element("summary", {}, "Filter and sort"), this.form), this.count, this.list, this.more);
    host.append(part);
    new IntersectionObserver((seen) => { this.isSeen = seen.at(-1).isIntersecting; this.again(); }).observe(part);
  }

  /* The players who may be chosen, and whether there are further games. */
  know(players, games) {
    const names = [...players].sort((a, b) => a.localeCompare(b));
    if (names.join("\n") !== this.names) {
      this.names = names.join("\n");
      for (const name of ["player", "opponent"]) fill(this.form.elements[name], names.map((player) => [player, player]));
    }
    this.games = games;
    this.tell();
    this.again();
  }

  /* Ask, and later if games have ended and the list is on the screen, unless further ones than the first were asked for. */
  again() {
    if (!this.wantsMore || this.due) return;
    const wait = Math.max(AGAIN, this.took / SHARE) - (performance.now() - this.when);
    this.due = setTimeout(() => { this.due = null; if (this.wantsMore) this.ask(0); }, Math.max(0, wait));
  }

  get wantsMore() {
    return this.games !== this.listed && (this.isSeen || this.listed === undefined) && this.list.childElementCount <= AT_ONCE;
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(0), PAUSE);
  }

  async ask(first) {
    const own = this.form.elements.result;
    for (const choice of own.options) choice.disabled = ["won", "lost"].includes(choice.value) && !this.form.elements.player.value;
    if (own.selectedOptions[0].disabled) own.value = "";
    this.asked += 1;
    const mine = this.asked;
    this.when = performance.now();
    this.listed = this.games;
    const wanted = Object.fromEntries([...new FormData(this.form)].filter(([, value]) => value));
    const words = new URLSearchParams({ ...wanted, from: String(first), count: String(AT_ONCE) });
    const found = await get(`${pathOf(this.run, "games")}?${words}`, { quiet: true }).catch(() => null);
    this.took = performance.now() - this.when;
    if (mine !== this.asked || !found) return;
    const rows = found.games.map((game) => this.row(game));
    if (first) this.list.append(...rows);
    else this.list.replaceChildren(...rows);
    this.found = { count: found.count, all: Object.keys(wanted).length < 2 };
    this.tell();
    this.more.hidden = this.list.childElementCount >= found.count;
    const ends = found.ends.map(({ value, text }) => [value, text]);
    if (ends.join() !== this.ends) {
      this.ends = ends.join();
      fill(this.form.elements.end, ends);
    }
  }

  /* Say how many games are listed, and of how many where there are more by now. */
  tell() {
    if (!this.found) return;
    const { count, all } = this.found;
    const words = gamesText(Math.max(count, this.games));
    this.count.textContent = !all ? `${gamesText(count)} of these` : count < this.games ? `The first ${grouped(count)} of ${words}` : words;
  }

  row(game) {
    return element("li", {}, element("a.viewer-game", { href: addressOf(this.run, "game", game.game) }, gameLine({ ...game, number: game.game })));
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
    this.asked = 0; // games that were asked for, so that a late answer is known as one
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
    const turn = stage.positions[ply].turn === "W" ? "white" : "black";
    for (const [host, isWhite] of [[this.above, stage.board.flipped], [this.below, !stage.board.flipped]]) {
      const colour = isWhite ? "white" : "black";
      showStrip(host, { colour, name: game[colour], isToMove: colour === turn && ply < stage.plies });
    }
  }

  go(number) {
    if (number >= 1 && number <= this.game.last) location.hash = addressOf(this.run, "game", number);
  }

  async open(number, ply = 0) {
    this.asked += 1;
    const mine = this.asked;
    this.missing.hidden = true;
    let game = null;
    try {
      game = await get(pathOf(this.run, "games", encodeURIComponent(number)), { quiet: true });
    } catch (error) {
      if (mine !== this.asked) return;
      this.missing.textContent = `Game ${number} cannot be shown: ${error.message}`;
      this.missing.hidden = false;
      this.section.hidden = true;
    }
    if (mine !== this.asked || !game) return;
    this.game = { ...game, swing: null };
    if (!this.stage) this.take(game.board);
    this.section.hidden = false;
    this.save.href = address(pathOf(this.run, "games", game.number, "pdn"));
    this.stage.open(this.game, game, ply);
    this.part.querySelector("[data-part=board]").focus({ preventScroll: true });
  }

  close() {
    this.asked += 1;
    if (this.stage) this.stage.pause();
  }

  /* Begin a game at the position that is shown, the same side below: a person for the side to move, or for both to look
     into it. The way back leads to this position. */
  async play(analysed) {
    if (!this.game) return;
    const offer = await askOffer();
    const { variant, number } = this.game;
    const usual = offer.usual[variant] || Object.values(offer.usual)[0];
    const toMove = this.stage.positions[this.ply].turn === "W" ? "white" : "black";
    const sides = analysed ? { white: "human", black: "human" } : { white: usual, black: usual, [toMove]: "human" };
    const waiting = setTimeout(() => say(COMPILING), LONG);
    const state = await post("/api/games", { variant, ...sides, from: { run: this.run, game: number, ply: this.ply } }).finally(() => clearTimeout(waiting));
    history.replaceState(null, "", addressOf(this.run, "game", number, this.ply));
    store.kept = { game: state.game, flipped: this.stage.board.flipped };
    location.hash = `#/game/${state.game}${analysed ? "/analysis" : ""}`;
  }
}

function option([value, words]) {
  return element("option", { value }, words);
}

/* Put further choices behind the first one of a select, and keep what is chosen. */
function fill(select, choices) {
  const { value } = select;
  select.replaceChildren(select.options[0], ...choices.map(option));
  select.value = choices.some(([known]) => known === value) ? value : "";
}

