/* A game at the board: the state that the server sends, shown at the ply that is looked at, and what a person does to it. */

import { copied } from "../../report/viewer/element.js";
import { fenOf } from "../../report/viewer/words.js";
import { ask, saveAs, say } from "./dialogs.js";
import { Evaluation } from "./evaluation.js";
import { capital, goesOn, isBlackBelow, keyOf, personsOf, positionAt, swapped } from "./game_state.js";
import { Link, NO_GAME } from "./link.js";
import { Moves, Noted } from "./notes.js";
import { Panel } from "./panel.js";
import { Sides } from "./sides.js";
import { store } from "./store.js";

/** @import { GameState, Offer } from "./documents.js" */
/** @import { Table } from "./table.js" */

const MANY = 2; // moves that came at once and are still shown one by one

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
    this.link = new Link(parts, {
      state: (state) => this.take(state),
      back: () => this.isHere && this.again(),
      gone: () => (this.isHere ? this.link.gone() : this.miss()),
    });
    this.sides = new Sides(parts.seats, offer, (sides) => this.ask("seat", sides));
    this.panel = new Panel(parts);
    const look = (ply) => this.look(ply);
    const arrows = (list) => {
      table.board.arrows(list);
      parts.board.scrollIntoView({ block: "nearest" });
    };
    this.arrows = arrows;
    this.moves = new Moves(parts.moves, look);
    this.noted = new Noted(parts.note, look, arrows);
    this.evaluation = new Evaluation(parts, { analysis: (lines) => this.ask("analyse", { lines }), arrows });
    parts.save.addEventListener("click", () => saveAs("game.pdn", store.game.pdn));
  }

  /* Whether the position is looked at in which the game is. */
  get live() {
    return store.ply === store.game.moves.length;
  }

  get persons() {
    return personsOf(store.game);
  }

  /* Whether Black is below. */
  get flipped() {
    return isBlackBelow(store.game) !== store.isTurned;
  }

  /* Be at the table with a game, from now on; with Black below if `flipped`, White if not, the usual side without it. */
  async open(id, flipped) {
    this.leave();
    const state = await this.link.open(id);
    if (!state) return;
    this.receive(state);
    await this.table.take(state.request.variant);
    if (this.link.id !== id) return;
    this.isHere = true;
    Object.assign(store, { ply: store.game.moves.length, isTurned: false });
    if (flipped !== undefined) store.isTurned = this.flipped !== flipped;
    this.again();
  }

  leave() {
    this.link.close();
    this.isHere = false;
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

  /** Keep a state, and what its analysis found. @param {GameState} state */
  receive(state) {
    if (state.clocks !== store.game?.clocks) store.received = performance.now();
    store.game = state;
    if (state.analysis) store.findings.set(keyOf(state, state.analysis.ply), state.analysis);
  }

  /* Show a newer state; then moves that were added walk over the board, and a hint that has come is an arrow. */
  take(newer) {
    const { game: before, ply } = store;
    const wasLive = this.isHere && this.live;
    this.receive(newer);
    if (!this.isHere) return;
    store.ply = wasLive ? newer.moves.length : Math.min(ply, newer.moves.length);
    if (newer.news !== before.news) this.parts.spoken.textContent = newer.news;
    if (newer.error) {
      say(newer.error);
      this.again();
    } else this.render();
    if (!wasLive) return;
    const added = goesOn(before, newer) ? newer.moves.slice(ply) : [];
    if (added.length && added.length <= MANY) this.table.walk(added, positionAt(newer, ply).pieces, this.skip);
    if (newer.version !== before.version) this.skip = 0;
    if (newer.hint?.done && !before.hint?.done) this.arrows(newer.hint.lines.slice(0, 1).map(({ path }) => ({ path, kind: "hint" })));
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
    const { parts, live, flipped } = this;
    const { outcome, moves } = state;
    const position = positionAt(state, ply);
    this.table.turn(flipped);
    this.table.offer({
      key: [state.game, state.version, ply].join(" "), pieces: position.pieces, last: ply ? moves[ply - 1].squares : null, turn: state.turn,
      legal: live && !outcome ? state.legal : [],
    });
    this.panel.mode(outcome ? "over" : "game");
    this.panel.show(state, position, { flipped, live });
    this.sides.show(state.request);
    this.moves.show(state, ply);
    this.noted.show(state, ply);
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

  /* Each player goes on with the other side. */
  swap() {
    const { white, black, seconds } = swapped(store.game.request);
    this.ask("seat", { white, black, seconds });
  }

  async resign() {
    const whose = this.persons.length === 2 ? `${capital(store.game.turn)} resigns?` : "Resign this game?";
    if (await ask(this.parts, whose, "Resign", "Play on")) this.ask("resign");
  }
}
