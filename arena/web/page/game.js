"use strict";

/* A game at the board: the state that the server sends, looked at, and what a person does to it. */
(function (arena) {
  const MANY = 2; // moves that came at once and are still shown one by one

  class Game {
    /* `parts` are those of the view, `table` has the board. */
    constructor(parts, table) {
      Object.assign(this, { parts, table, state: null, ply: 0, shown: 0, skip: 0, turned: false, busy: 0 });
      this.panel = new arena.Panel(parts, () => this.refresh());
      this.moves = new arena.Moves(parts.moves, (ply) => this.look(ply));
      const arrows = (list) => {
        table.board.arrows(list);
        parts.board.scrollIntoView({ block: "nearest" });
      };
      this.evaluation = new arena.Evaluation(parts, {
        analysis: (on, lines) => this.act("analysis", { on, lines }).then(() => this.evaluation.show(this.state, this.ply)),
        arrows, ply: (ply) => this.look(ply),
      });
      this.arrows = arrows;
      parts.turn.addEventListener("change", () => this.render());
      parts.save.addEventListener("click", (event) => {
        if (parts.lost.hidden) return;
        event.preventDefault();
        this.save();
      });
    }

    get live() {
      return this.ply === this.state.moves.length;
    }

    get persons() {
      return ["white", "black"].filter((colour) => this.state.sides[colour].person);
    }

    /* The person who acts: the one at the board, of two whoever is to move. */
    get person() {
      return this.persons.length === 1 ? this.persons[0] : this.state.turn;
    }

    /* Be at the table with a game, from now on; with Black below if `flipped`, White if not, the usual side without it. */
    async open(state, flipped) {
      this.leave();
      await this.table.take(state.variant);
      Object.assign(this, { state, ply: state.moves.length, shown: state.moves.length, turned: false, skip: 0, noted: null, offered: null });
      if (flipped !== undefined) this.turned = this.flipped !== flipped;
      this.evaluation.lines = state.analysing;
      this.sides = new arena.Sides(this.parts.seats, this.offer, (sides) => this.seat(sides));
      this.sides.show(state.variant, { white: state.sides.white.key, black: state.sides.black.key });
      this.connect(false);
      arena.lost(this.parts, "");
      this.render();
    }

    connect(take) {
      if (this.link) this.link.close();
      const { token } = arena;
      const retake = () => this.connect(true);
      this.link = new arena.Link(this.state.game, {
        event: (message) => this.event(message),
        back: () => { arena.lost(this.parts, ""); arena.say("The connection is back."); },
        lost: (wasStopped) => this.lost(`${wasStopped ? "The server was stopped" : "The connection to the server is lost"}; trying again …`),
        refused: () => this.lost("The server was restarted, and this page belongs to the one before. Open the address that arena printed."),
        held: (wasMine) => arena.lost(this.parts, wasMine ? "Another window has taken this game over." : "This game is open in another window.",
          [[wasMine ? "Take it back" : "Take it over", retake], ["New game", () => { location.hash = "#/"; }]]),
        gone: () => (arena.token === token ? this.lost("The server does not have this game any more.", true) : this.resume()),
      });
      if (take) arena.lost(this.parts, "");
      this.link.open(take);
    }

    /* Say that the server cannot be asked, with what can be done without it, and with a new game if it `isThere`. */
    lost(words, isThere = false) {
      const save = ["Save as PDN", () => this.save()];
      arena.say("");
      arena.lost(this.parts, words, isThere ? [save, ["New game", () => { location.hash = "#/"; }]] : [save]);
    }

    /* Save the game from what this page holds. */
    save() {
      arena.saveAs("game.pdn", arena.pdn(this.state));
    }

    /* Play on from what this page holds with a server that was restarted; clocks start again. */
    async resume() {
      const { variant, sides, clock, pace, counts, outcome } = this.state;
      const words = "The server was restarted";
      if (outcome) return this.lost(`${words}: only this page has the game now.`, true);
      if (counts) return this.lost(`${words}, and a game that counts ends with its server.`, true);
      const asked = { variant, white: sides.white.key, black: sides.black.key, pace, pdn: arena.pdn(this.state) };
      if (clock) asked.clock = clock;
      try {
        const state = await arena.post("/api/games", asked, { quiet: true });
        history.replaceState(null, "", `#/game/${state.game}`);
        await this.open(state, this.flipped);
        return arena.say(`${words}; the game continues${clock ? ", with new clocks" : ""}.`);
      } catch (error) {
        if (error.status === undefined) throw error;
        return this.lost(`${words}, and cannot resume the game: ${error.message}`, true);
      }
    }

    leave() {
      if (this.link) this.link.close();
      this.link = null;
      this.busy += 1;
    }

    /* Leave the game for good; the server resigns one that counts. A promise of {recorded}. */
    async remove() {
      const { game } = this.state;
      this.leave();
      const removed = await arena.remove(`/api/games/${game}`);
      this.state = null;
      return removed;
    }

    event(message) {
      if (message.type === "state") this.take(message);
      else if (message.type === "analysis") this.evaluation.take(message, this.state, this.ply);
      else if (message.type === "thinking") this.thinks(message);
    }

    thinks({ depth, nodes }) {
      if (!this.live || this.state.outcome) return;
      const words = [depth ? `depth ${depth}` : "", nodes ? `${arena.grouped(nodes)} nodes` : ""];
      this.parts.subline.textContent = arena.unbroken(words.filter(Boolean).join(", "));
    }

    /* Show a newer state; moves that were added walk over the board. */
    async take(state) {
      if (state.game !== this.state.game || state.version < this.state.version) return undefined;
      const before = this.state;
      const wasLive = this.live;
      this.state = state;
      this.tell(before, state);
      if (!wasLive) {
        this.ply = Math.min(this.ply, state.moves.length);
        return this.render();
      }
      this.ply = state.moves.length;
      const added = goesOn(before, state) ? state.moves.slice(this.shown) : [];
      if (this.walks && !added.length && goesOn(before, state)) return this.around();
      this.busy += 1;
      const mine = this.busy;
      if (added.length && added.length <= MANY) {
        const pieces = this.piecesAt(this.shown);
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

    /* Announce what was played and how it ended, for who does not see it. */
    tell(before, state) {
      const added = goesOn(before, state) ? state.moves.slice(before.moves.length) : [];
      const words = added.map((move, place) => {
        const white = this.evaluation.isWhite(state, before.moves.length + place + 1);
        return arena.described(move, white ? "White" : "Black");
      });
      if (state.moves.length < before.moves.length) words.push("Taken back.");
      if (state.outcome && !before.outcome) words.push(`${arena.headline(state)}. ${state.outcome.text}.`);
      else if (state.legal.length && (added.length || words.length)) words.push(arena.headline(state), arena.subline(state));
      if (words.length) this.parts.spoken.textContent = words.filter(Boolean).join(" ");
      if (state.recorded && state.recorded !== before.recorded) arena.say(state.recorded);
    }

    /* Show the state at the ply that is looked at. */
    render() {
      const { state, ply } = this;
      this.busy += 1;
      this.walks = false;
      this.shown = state.moves.length;
      this.around();
      const { hand } = this.table;
      if (this.live && this.offered === state.version && hand.steps.length) return;
      this.offered = this.live ? state.version : null;
      const move = ply ? state.moves[ply - 1] : null;
      const pieces = this.piecesAt(ply);
      this.table.offer({
        pieces, last: move && move.squares, words: "", turn: state.turn,
        legal: this.live && !state.outcome ? state.legal : [], mustCapture: state.must_capture,
      });
    }

    /* Show what stands around the board. */
    around() {
      const { state, ply, parts } = this;
      const flipped = this.flipped;
      this.table.turn(flipped);
      parts.bar.classList.toggle("game-bar-turned", flipped);
      this.panel.mode(state.outcome ? "over" : "game");
      this.panel.show(state, { pieces: this.piecesAt(ply), flipped, live: this.live });
      this.moves.show(state, ply);
      this.evaluation.show(state, ply);
      this.note();
      parts.looking.hidden = this.live;
      parts.lookingat.textContent = `You look at the position after ${ply === 0 ? "the start" : `move ${ply} of ${state.moves.length}`}.`;
      parts.choice.hidden = true;
      parts.fen.value = this.live ? state.fen : arena.fen(this.position);
      parts.save.href = arena.address(`/api/games/${state.game}/pdn`);
      parts.recorded.textContent = state.recorded || (state.counts ? "This game counts." : "");
      parts.actions.fromhere.hidden = this.live || arena.isChanged(state);
      for (const [name, end] of [["first", 0], ["back", 0], ["forward", state.moves.length], ["now", state.moves.length]]) {
        parts.game.querySelector(`.game-steps [data-action=${name}]`).disabled = ply === end;
      }
    }

    note() {
      const { state, ply, parts } = this;
      const place = state.moves.slice(0, ply).findLastIndex((move) => move.note);
      parts.note.hidden = place < 0;
      const move = state.moves[place];
      if (place < 0 || this.noted === move) return;
      this.noted = move;
      const colour = this.evaluation.isWhite(state, place + 1) ? "white" : "black";
      parts.note.replaceChildren(...arena.noted(move, state.sides[colour].person ? "the program" : state.sides[colour].name, colour, (list) => {
        this.look(place);
        this.arrows(list);
      }));
    }

    get flipped() {
      const { persons, state } = this;
      const below = persons.length === 2 && this.parts.turn.checked ? state.turn : persons.length === 1 ? persons[0] : persons.length ? state.first : "white";
      return (below === "black") !== this.turned;
    }

    piecesAt(ply) {
      return ply ? this.state.moves[ply - 1].pieces : this.state.start.pieces;
    }

    /* {pieces, turn: "W" or "B"} at the ply that is looked at. */
    get position() {
      const white = this.evaluation.isWhite(this.state, this.ply + 1);
      return { pieces: this.piecesAt(this.ply), turn: white ? "W" : "B" };
    }

    /* Look at a ply; the game goes on meanwhile. */
    look(ply) {
      this.ply = Math.max(0, Math.min(this.state.moves.length, ply));
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

    /* Do something to the game. What does not change its version is shown when the websocket says so: an answer may
       come after newer news. A promise of the answer. */
    async act(name, body = {}) {
      try {
        const state = await arena.post(`/api/games/${this.state.game}/${name}`, { version: this.state.version, ...body }, { quiet: true });
        if (state.version > this.state.version) await this.take(state);
        return state;
      } catch (error) {
        if (error.status === 409) await this.refresh();
        else arena.say(error.message);
        throw error;
      }
    }

    async refresh() {
      if (!this.link) return;
      const { game } = this.state;
      const state = await arena.get(`/api/games/${game}`, { quiet: true }).catch(() => null);
      if (state && this.state.game === game) await this.take(state);
    }

    seat(sides) {
      return this.act("seat", sides).catch(() => this.sides.show(this.state.variant, { white: this.state.sides.white.key, black: this.state.sides.black.key }));
    }

    async hint() {
      const { version } = this.state;
      const button = this.parts.actions.hint;
      button.classList.add("game-waits");
      try {
        const hint = await arena.post(`/api/games/${this.state.game}/hint`, { version }, { quiet: true });
        if (version !== this.state.version || !this.live) return;
        this.arrows([{ path: hint.path, kind: "hint" }]);
        const words = `Hint: ${hint.text}${hint.score ? ` (${hint.score})` : ""}`;
        this.parts.subline.textContent = words;
        this.parts.spoken.textContent = words;
      } catch (error) {
        if (error.status !== 409) arena.say(error.message);
      } finally {
        button.classList.remove("game-waits");
      }
    }

    async draw() {
      const { person, persons } = this;
      if (persons.length === 2 && !(await arena.ask(this.parts, "Do both agree on a draw?", "Both agree", "Play on"))) return;
      const { refused } = await this.act("draw", { colour: person });
      if (refused) arena.say(refused);
    }

    async resign() {
      const { person } = this;
      const whose = this.persons.length === 2 ? `${arena.capital(person)} resigns?` : "Resign this game?";
      if (await arena.ask(this.parts, whose, "Resign", "Play on")) await this.act("resign", { colour: person });
    }
  }

  /* Whether a state is an earlier one and more moves. */
  function goesOn(before, { moves }) {
    return before.moves.every(({ text }, place) => moves[place] && moves[place].text === text);
  }

  arena.Game = Game;
})((window.arena = window.arena || {}));
