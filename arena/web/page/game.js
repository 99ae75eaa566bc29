/* A game at the board: the state that the server sends, looked at, and what a person does to it. */

import { fenOf, grouped, unbroken } from "../../report/viewer/words.js";
import { ask, say } from "./dialogs.js";
import { Evaluation } from "./evaluation.js";
import { goesOn, isBlackBelow, isChanged, moverOf, personsOf, pointsAt, positionAt, requestOf, rulesOf } from "./game_state.js";
import { capital, newsText } from "./game_words.js";
import { Hold } from "./hold.js";
import { Moves, noteElements } from "./notes.js";
import { Panel } from "./panel.js";
import { address, get, post } from "./server.js";
import { Sides } from "./sides.js";
import { store } from "./store.js";

/** @import { GameState, Offer, Thinking } from "./documents.js" */
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
    this.hold = new Hold(parts, (message) => this.event(message));
    /** @type {Sides|null} */
    this.sides = null;
    this.panel = new Panel(parts, () => this.refresh());
    this.moves = new Moves(parts.moves, (ply) => this.look(ply));
    const arrows = (list) => {
      table.board.arrows(list);
      parts.board.scrollIntoView({ block: "nearest" });
    };
    this.evaluation = new Evaluation(parts, {
      analysis: (on, lines) => this.act("analysis", { on, lines }).then(() => this.evaluation.show()),
      arrows, outlook: (list) => this.hold.isOpen && table.hand.judge(list), ply: (ply) => this.look(ply),
    });
    this.arrows = arrows;
    parts.turn.addEventListener("change", () => this.render());
    parts.save.addEventListener("click", (event) => {
      if (parts.lost.hidden) return;
      event.preventDefault();
      this.hold.save();
    });
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
  async open(state, flipped) {
    this.leave();
    await this.table.take(rulesOf(state));
    this.receive(state);
    Object.assign(store, { ply: store.game.moves.length, isTurned: false });
    Object.assign(this, { shown: store.game.moves.length, skip: 0, noted: null, offered: null });
    if (flipped !== undefined) store.isTurned = this.flipped !== flipped;
    this.evaluation.asks(state.analysing);
    this.sides = new Sides(this.parts.seats, this.offer, (sides) => this.seat(sides));
    this.sides.show(rulesOf(state), requestOf(state));
    this.hold.open();
    this.render();
  }

  /**
   * Keep a state.
   * @param {GameState} state
   */
  receive(state) {
    Object.assign(store, { game: state, received: performance.now() });
  }

  leave() {
    this.hold.close();
    this.busy += 1;
  }

  event(message) {
    if (message.type === "state") this.take(message);
    else if (message.type === "analysis") this.evaluation.take(message);
    else if (message.type === "thinking") this.thinks(message);
  }

  /** @param {Thinking} message */
  thinks({ depth, nodes }) {
    if (!this.live || store.game.outcome) return;
    const words = [depth ? `depth ${depth}` : "", nodes ? `${grouped(nodes)} nodes` : ""];
    this.parts.subline.textContent = unbroken(words.filter(Boolean).join(", "));
  }

  /* Show a newer state; moves that were added walk over the board. */
  async take(newer) {
    if (newer.game !== store.game.game || newer.number < store.game.number) return undefined;
    const before = store.game;
    const wasLive = this.live;
    this.receive(newer);
    const state = store.game;
    const news = newsText(before, state);
    if (news) this.parts.spoken.textContent = news;
    if (!wasLive) {
      store.ply = Math.min(store.ply, state.moves.length);
      return this.render();
    }
    store.ply = state.moves.length;
    const added = goesOn(before, state) ? state.moves.slice(this.shown) : [];
    if (this.walks && !added.length && goesOn(before, state)) return this.around();
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
      outlook: this.evaluation.outlook,
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
    parts.save.href = address(`/api/games/${state.game}/pdn`);
    parts.undrawn.textContent = state.draws ? "" : "No draws are detected.";
    parts.actions.fromhere.hidden = this.live || isChanged(state);
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

  async play(text, path, skip) {
    this.skip = skip;
    try {
      await this.act("move", { text });
    } catch {
      this.skip = 0;
      this.render();
    }
  }

  /* Do something to the game. A promise of the answer, which may come after newer news: states are numbered. */
  async act(name, body = {}) {
    try {
      const answer = await post(`/api/games/${store.game.game}/${name}`, { version: store.game.version, ...body }, { quiet: true });
      await this.take(answer);
      return answer;
    } catch (error) {
      if (error.status === 409) await this.refresh();
      else say(error.message);
      throw error;
    }
  }

  async refresh() {
    if (!this.hold.isOpen) return;
    const { game } = store.game;
    const state = await get(`/api/games/${game}`, { quiet: true }).catch(() => null);
    if (state && store.game.game === game) await this.take(state);
  }

  seat(sides) {
    return this.act("seat", sides).catch(() => this.sides.show(rulesOf(store.game), requestOf(store.game)));
  }

  async hint() {
    const { version } = store.game;
    const button = this.parts.actions.hint;
    button.classList.add("game-waits");
    try {
      const hint = await post(`/api/games/${store.game.game}/hint`, { version }, { quiet: true });
      if (version !== store.game.version || !this.live) return;
      this.arrows([{ path: hint.path, kind: "hint" }]);
      const words = `Hint: ${hint.text}${hint.score ? ` (${hint.score})` : ""}`;
      this.parts.subline.textContent = words;
      this.parts.spoken.textContent = words;
    } catch (error) {
      if (error.status !== 409) say(error.message);
    } finally {
      button.classList.remove("game-waits");
    }
  }

  async draw() {
    const { person, persons } = this;
    if (persons.length === 2 && !(await ask(this.parts, "Do both agree on a draw?", "Both agree", "Play on"))) return;
    const { refused } = await this.act("draw", { colour: person });
    if (refused) say(refused);
  }

  async resign() {
    const { person } = this;
    const whose = this.persons.length === 2 ? `${capital(person)} resigns?` : "Resign this game?";
    if (await ask(this.parts, whose, "Resign", "Play on")) await this.act("resign", { colour: person });
  }
}
