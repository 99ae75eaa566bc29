/* A game at the board: the state that the server sends, shown at the ply that is looked at, and what a person does to it. */

import { copied, element } from "../../report/viewer/element.js";
import { MoveList } from "../../report/viewer/moves.js";
import { fenOf } from "../../report/viewer/words.js";
import { Evaluation } from "./findings.js";
import { saveAs, say } from "./messages.js";
import { Panel } from "./panel.js";
import { Link } from "./server.js";
import { Sides } from "./sides.js";
import { capital, isBlackBelow, positionAt, store, swapped } from "./state.js";

/** @import { GameState, Offer } from "./documents.js" */
/** @import { Table } from "./table.js" */

const MANY = 2; // moves that came at once and are still shown one by one
const LOST = "The connection to the server is lost; trying again … If arena was started anew, open the address that it printed.";
const NO_GAME = "The server does not have this game any more.";

export class Game {
  /**
   * `parts` are those of the view, `table` has the board.
   * @param {any} parts
   * @param {Table} table
   * @param {Offer} offer
   */
  constructor(parts, table, offer) {
    this.parts = parts;
    this.table = table;
    this.skip = 0; // squares of the next move where a person already put the piece
    this.isHere = false; // whether the game is at the table
    this.link = new Link({ state: (state) => this.take(state), lost: () => this.lose(LOST), gone: () => (this.isHere ? this.lose(NO_GAME) : this.miss()) });
    this.sides = new Sides(parts.seats, offer, (sides) => this.ask("seat", sides));
    this.panel = new Panel(parts);
    this.moves = null; // those in the list
    this.list = new MoveList(parts.moves, (ply) => this.look(ply));
    this.arrows = (list) => {
      table.board.arrows(list);
      parts.board.scrollIntoView({ block: "nearest" });
    };
    this.evaluation = new Evaluation(parts, { analysis: (lines) => this.ask("analyse", { lines }), arrows: this.arrows, look: (ply) => this.look(ply) });
  }

  /* Be at the table with a game, from now on. */
  async open(id) {
    this.leave();
    const state = await this.link.open(id);
    if (!state) return;
    this.keep(state);
    await this.table.take(state.request.variant);
    if (this.link.id !== id) return;
    this.isHere = true;
    Object.assign(store, { ply: store.game.moves.length, isTurned: false });
    this.again();
  }

  /** Keep a state, which may come before there is a board. @param {GameState} state */
  keep(state) {
    if (state.clocks !== store.game?.clocks) store.received = performance.now();
    store.game = state;
  }

  leave() {
    this.link.close();
    this.isHere = false;
    this.parts.lost.hidden = true;
  }

  /* Say that the server cannot be asked. */
  lose(words) {
    say("");
    this.parts.lost.hidden = false;
    this.parts.loss.textContent = words;
  }

  /* Go to where games are set up, as the server does not have the one that was to be shown. */
  miss() {
    say(NO_GAME);
    location.replace("#/");
  }

  /* Ask something of the game as it stands: the next state answers. */
  ask(what, body = {}) {
    this.link.send({ do: what, version: store.game.version, ...body });
  }

  play(text, skip = 0) {
    this.skip = skip;
    this.ask("move", { text });
  }

  /** Show a newer state; moves that were added walk over the board, and a hint that has come is an arrow. @param {GameState} newer */
  take(newer) {
    const { game: before, ply } = store;
    this.keep(newer);
    if (!this.isHere) return;
    const { skip } = this;
    const wasLive = ply === before.moves.length;
    const isBack = !this.parts.lost.hidden;
    store.ply = wasLive ? newer.moves.length : Math.min(ply, newer.moves.length);
    if (newer.error || isBack) {
      this.parts.lost.hidden = true;
      say(newer.error || "The connection is back.");
      this.again();
      return;
    }
    this.render();
    const added = before.moves.every((move, place) => newer.moves[place] === move) ? newer.moves.slice(before.moves.length) : [];
    const hint = newer.hint?.done && !before.hint?.done ? newer.hint : null;
    if (newer.version !== before.version || hint) this.speak(newer, added, hint);
    if (newer.version !== before.version) this.skip = 0;
    if (!wasLive) return;
    if (added.length && added.length <= MANY) this.table.walk(added, positionAt(newer, ply).pieces, skip);
    if (hint) this.arrows(hint.lines.slice(0, 1).map(({ path }) => ({ path, kind: "hint" })));
  }

  /* Say to who does not see the board what was played, and what is to be done, or a hint. */
  speak({ headline, subline, thinking }, added, hint) {
    const moves = added.map(({ white, text, crowned }) => `${white ? "White" : "Black"} ${text}${crowned ? ", crowned" : ""}.`);
    const next = thinking ? [] : [hint ? "" : `${headline}.`, subline];
    this.parts.spoken.textContent = [...moves, ...next].filter(Boolean).join(" ");
  }

  /* Show the state anew, the person's pieces where they stand: what was done on the page may not have arrived. */
  again() {
    this.skip = 0;
    this.table.offered = "";
    this.sides.shown = "";
    this.render();
  }

  /* Show the state at the ply that is looked at. */
  render() {
    const { game: state, ply } = store;
    const { parts } = this;
    const { moves } = state;
    const live = ply === moves.length;
    const flipped = isBlackBelow(state) !== store.isTurned;
    const position = positionAt(state, ply);
    this.table.turn(flipped);
    this.table.offer({
      key: [state.game, state.version, ply].join(" "), pieces: position.pieces, last: ply ? moves[ply - 1].squares : null, turn: state.turn,
      legal: live && !state.outcome ? state.legal : [],
    });
    this.panel.show(state, { flipped, live });
    this.sides.show(state.request);
    if (moves !== this.moves) this.list.fill(moves.map(({ text }) => text));
    this.moves = moves;
    if (!moves.length) parts.moves.replaceChildren(element("p.small", {}, "No moves yet."));
    this.list.mark(ply);
    this.evaluation.show(state, ply);
    parts.bar.classList.toggle("game-bar-turned", flipped);
    parts.looking.hidden = live;
    parts.lookingat.textContent = `You look at the position after ${ply ? `move ${ply} of ${moves.length}` : "the start"}.`;
    parts.choice.hidden = true;
    parts.fen.value = live ? state.fen : fenOf(position);
    parts.undrawn.textContent = state.undrawn ? "No draws are detected." : "";
  }

  /* Look at a ply; the game goes on meanwhile. */
  look(ply) {
    store.ply = Math.max(0, Math.min(store.game.moves.length, ply));
    this.render();
  }

  async copy() {
    say((await copied(this.parts.fen)) ? "Copied." : "Press Ctrl+C to copy.");
  }

  save() {
    saveAs("game.pdn", store.game.pdn);
  }

  /* Each player goes on with the other side. */
  swap() {
    const { white, black, seconds } = swapped(store.game.request);
    this.ask("seat", { white, black, seconds });
  }

  /* Have the person say which of several moves is meant. */
  choose(texts) {
    const { choice } = this.parts;
    choice.hidden = false;
    choice.replaceChildren("Which one? ", ...texts.map((text) => element("button", { type: "button", onclick: () => this.play(text) }, text)));
    choice.querySelector("button").focus();
  }

  /* Ask whether to resign, and for whom where two persons play. */
  resign() {
    const { turn, request } = store.game;
    this.parts.question.textContent = request.white === request.black ? `${capital(turn)} resigns?` : "Resign this game?";
    this.parts.asking.returnValue = "";
    this.parts.asking.showModal();
  }
}
