/* A game at the board: the state that the server sends, looked at, and what a person does to it. */

import { fenOf } from "../../report/viewer/words.js";
import { ask, saveAs, say } from "./dialogs.js";
import { Evaluation } from "./evaluation.js";
import { goesOn, isBlackBelow, keyOf, moverOf, personsOf, pointsAt, positionAt, requestOf } from "./game_state.js";
import { capital } from "./game_words.js";
import { Link, NO_GAME } from "./link.js";
import { Moves, noteElements } from "./notes.js";
import { Panel } from "./panel.js";
import { Sides } from "./sides.js";
import { store } from "./store.js";

/** @import { GameState, Offer } from "./documents.js" */
/** @import { Ply } from "../../report/viewer/ply.js" */
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
    this.offer = offer;
    this.shown = 0; // moves that are shown or walk over the board
    this.skip = 0; // squares of the next move where a person already put the piece
    this.busy = 0; // counts what is shown, so that a walk knows that it is old
    this.walks = false;
    /** @type {number|null} */
    this.offered = null; // the version whose moves a person is picking
    /** @type {Ply|null} */
    this.noted = null; // the move whose note is shown
    this.isHere = false; // whether the game is at the table
    /** @type {((state: GameState|null) => void)|null} */
    this.entered = null; // gets the first state of a game, null if there is none
    this.link = new Link(parts, {
      state: (state) => (this.entered ? this.entered(state) : this.take(state)),
      back: () => this.isHere && this.restore(),
      gone: () => (this.entered ? this.miss() : this.link.gone()),
    });
    /** @type {Sides|null} */
    this.sides = null;
    this.panel = new Panel(parts);
    this.moves = new Moves(parts.moves, (ply) => this.look(ply));
    const arrows = (list) => {
      table.board.arrows(list);
      parts.board.scrollIntoView({ block: "nearest" });
    };
    this.evaluation = new Evaluation(parts, {
      analysis: (lines) => this.ask("analyse", { lines }),
      arrows, ply: (ply) => this.look(ply),
    });
    this.arrows = arrows;
    parts.turn.addEventListener("change", () => this.render());
    parts.save.addEventListener("click", () => saveAs("game.pdn", store.game.pdn));
  }

  /* Whether the position is looked at in which the game is. */
  get live() {
    return store.ply === store.game.moves.length;
  }

  get persons() {
    return personsOf(store.game);
  }

  /* The person who acts: the one at the board, of two whoever is to move. */
  get person() {
    return this.persons.length === 1 ? this.persons[0] : store.game.turn;
  }

  /* Be at the table with a game, from now on; with Black below if `flipped`, White if not, the usual side without it. */
  async open(id, flipped) {
    this.leave();
    const mine = this.busy;
    const state = await new Promise((resolve) => { this.entered = resolve; this.link.open(id); });
    if (!state) return;
    this.entered = null;
    this.receive(state);
    await this.table.take(state.rules);
    if (mine !== this.busy) return;
    this.isHere = true;
    Object.assign(store, { ply: store.game.moves.length, isTurned: false });
    Object.assign(this, { shown: store.game.moves.length, skip: 0, noted: null, offered: null });
    if (flipped !== undefined) store.isTurned = this.flipped !== flipped;
    this.panel.red(state.red);
    this.evaluation.asks(state.lines);
    this.sides = new Sides(this.parts.seats, this.offer, (sides) => this.ask("seat", sides));
    this.sides.show(state.rules, requestOf(state));
    this.render();
    if (!store.game.moves.length) this.table.board.appear();
  }

  /** Keep a state, and what its analysis found. @param {GameState} state */
  receive(state) {
    Object.assign(store, { game: state, received: performance.now() });
    if (state.analysis) store.findings.set(keyOf(state, state.analysis.ply), state.analysis);
  }

  leave() {
    this.entered?.(null);
    this.entered = null;
    this.link.close();
    this.isHere = false;
    this.busy += 1;
  }

  /* Go to where games are set up, as the server does not have the one that was to be shown. */
  miss() {
    say(NO_GAME);
    location.replace("#/");
  }

  /* Have the person's pieces where they stand, though a move was made on the board: it may not have arrived. */
  restore() {
    Object.assign(this, { skip: 0, offered: null });
    this.render();
  }

  /* Ask something of the game: the next state answers. */
  ask(what, body = {}) {
    this.link.send({ do: what, ...body });
  }

  /* Ask what is meant for the game as it stands. */
  act(what, body = {}) {
    this.ask(what, { version: store.game.version, ...body });
  }

  /* Show a newer state; moves that were added walk over the board. */
  async take(newer) {
    const before = store.game;
    const wasLive = this.live;
    this.receive(newer);
    if (!this.isHere) return undefined;
    const state = store.game;
    if (state.news) this.parts.spoken.textContent = state.news;
    if (JSON.stringify(requestOf(before)) !== JSON.stringify(requestOf(state))) this.sides.show(state.rules, requestOf(state));
    if (state.lines !== before.lines) this.evaluation.asks(state.lines);
    if (state.error) {
      say(state.error);
      store.ply = wasLive ? state.moves.length : Math.min(store.ply, state.moves.length);
      this.sides.show(state.rules, requestOf(state));
      return this.restore();
    }
    if (state.version === before.version) {
      this.around();
      if (this.live && state.hint?.done && !before.hint?.done) this.advise(state.hint);
      return undefined;
    }
    if (!wasLive) {
      store.ply = Math.min(store.ply, state.moves.length);
      return this.render();
    }
    store.ply = state.moves.length;
    const added = goesOn(before, state) ? state.moves.slice(this.shown) : [];
    this.busy += 1;
    const mine = this.busy;
    if (added.length && added.length <= MANY) {
      const pieces = positionAt(state, this.shown).pieces;
      this.shown = state.moves.length;
      this.around();
      const skip = this.skip;
      this.skip = 0;
      this.walks = true;
      if (!(await this.table.walk(added, pieces, { isOld: () => mine !== this.busy, skip }))) return undefined;
    }
    return this.render();
  }

  /* End a walk under way, so that a person need not wait for it. */
  settle() {
    if (this.walks) this.render();
  }

  /* Show the state at the ply that is looked at. */
  render() {
    const { game: state, ply } = store;
    this.busy += 1;
    this.walks = false;
    this.shown = state.moves.length;
    this.around();
    const { hand } = this.table;
    if (this.live && this.offered === state.version && hand.steps.length) return;
    this.offered = this.live ? state.version : null;
    const move = ply ? state.moves[ply - 1] : null;
    const pieces = positionAt(state, ply).pieces;
    this.table.offer({
      pieces, last: move && move.squares, words: "", turn: state.turn,
      legal: this.live && !state.outcome ? state.legal : [], mustCapture: state.must_capture,
    });
  }

  /* Show what stands around the board. */
  around() {
    const { game: state, ply } = store;
    const { parts } = this;
    const flipped = this.flipped;
    this.table.turn(flipped);
    parts.bar.classList.toggle("game-bar-turned", flipped);
    this.panel.mode(state.outcome ? "over" : "game");
    this.panel.show(state, { pieces: positionAt(state, ply).pieces, points: pointsAt(state, ply), flipped, live: this.live });
    this.moves.show(state, ply);
    this.evaluation.show();
    this.note();
    parts.looking.hidden = this.live;
    parts.lookingat.textContent = `You look at the position after ${ply === 0 ? "the start" : `move ${ply} of ${state.moves.length}`}.`;
    parts.choice.hidden = true;
    parts.fen.value = this.live ? state.fen : fenOf(positionAt(state, ply));
    parts.printed.textContent = this.live ? state.printed : "";
    parts.printing.hidden = !parts.printed.textContent;
    parts.undrawn.textContent = state.draws ? "" : "No draws are detected.";
    parts.actions.fromhere.hidden = this.live || state.changed;
    for (const [name, end] of [["first", 0], ["back", 0], ["forward", state.moves.length], ["now", state.moves.length]]) {
      parts.game.querySelector(`.game-steps [data-action=${name}]`).disabled = ply === end;
    }
  }

  note() {
    const { game: state, ply } = store;
    const { parts } = this;
    const place = state.moves.slice(0, ply).findLastIndex((move) => move.note);
    parts.note.hidden = place < 0;
    const move = state.moves[place];
    if (place < 0 || this.noted === move) return;
    this.noted = move;
    const colour = moverOf(state, place + 1);
    parts.note.replaceChildren(...noteElements(move, state.sides[colour].person ? "the program" : state.sides[colour].name, colour, (list) => {
      this.look(place);
      this.arrows(list);
    }));
  }

  /* Whether Black is below. */
  get flipped() {
    return isBlackBelow(store.game, this.parts.turn.checked) !== store.isTurned;
  }

  /* Look at a ply; the game goes on meanwhile. */
  look(ply) {
    store.ply = Math.max(0, Math.min(store.game.moves.length, ply));
    this.render();
  }

  play(text, path, skip) {
    this.skip = skip;
    this.act("move", { text });
  }

  /* Show a hint that has come. */
  advise(hint) {
    const [best] = hint.lines;
    if (best) this.arrows([{ path: best.path, kind: "hint" }]);
    this.parts.spoken.textContent = store.game.subline;
  }

  async draw() {
    const { person, persons } = this;
    if (persons.length === 2 && !(await ask(this.parts, "Do both agree on a draw?", "Both agree", "Play on"))) return;
    this.act("draw", { colour: person });
  }

  async resign() {
    const { person } = this;
    const whose = this.persons.length === 2 ? `${capital(person)} resigns?` : "Resign this game?";
    if (await ask(this.parts, whose, "Resign", "Play on")) this.act("resign", { colour: person });
  }
}
