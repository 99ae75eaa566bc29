"use strict";

/* A game on the board: its moves, scores and facts, and the ways to go through it. */
(function (arena) {
  const { made } = arena;

  class Stage {
    /* `host` has the elements by `data-part`; `look` is for the board; `beside(step)` opens another game, and `onply`
       is called with the game and the ply that are shown. */
    constructor(host, look, { beside, onply }) {
      this.parts = Object.fromEntries([...host.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
      this.host = host;
      this.onply = onply;
      this.beside = beside;
      this.board = new arena.Board(this.parts.board.querySelector("svg"), look);
      this.graph = new arena.Graph(this.parts.graph, (ply) => this.go(ply));
      this.actions = {
        first: () => this.go(0), back: () => this.go(this.ply - 1), forward: () => this.go(this.ply + 1),
        last: () => this.go(this.plies), play: () => this.play(), flip: () => this.board.flip(),
        previous: () => beside(-1), next: () => beside(1), copy: () => this.copy(),
      };
      for (const button of host.querySelectorAll("[data-action]")) {
        button.addEventListener("click", () => {
          if (button.dataset.action !== "play") this.pause();
          this.actions[button.dataset.action]();
        });
      }
      host.addEventListener("keydown", (event) => this.key(event));
    }

    get plies() {
      return this.positions.length - 1;
    }

    /* Show a game at a ply. */
    open(game, { positions, fault }, ply) {
      this.pause();
      Object.assign(this, { game, positions });
      this.parts.title.replaceChildren(`Game ${game.number}: `, arena.named(game.white), " – ", arena.named(game.black), ` ${arena.points(game.result)}`);
      this.parts.legend.replaceChildren("Scores in men, up is better for White: ", ...this.legend(true), ", ", ...this.legend(false));
      this.facts(game, fault);
      this.parts.moves.replaceChildren(...this.texts());
      this.graph.show(positions, `Scores of ${game.white} and ${game.black} over ${this.plies} plies`);
      this.go(ply);
    }

    go(ply) {
      this.ply = Math.max(0, Math.min(this.plies, ply));
      const position = this.positions[this.ply];
      this.board.show(position.pieces, position.move, arena.description(position));
      this.graph.go(this.ply);
      this.parts.status.replaceChildren(...this.sentence(position));
      this.parts.fen.value = arena.fen(position);
      this.parts.copied.textContent = "";
      for (const [name, end] of [["first", 0], ["back", 0], ["forward", this.plies], ["last", this.plies]]) {
        this.host.querySelector(`[data-action=${name}]`).setAttribute("aria-disabled", String(this.ply === end));
      }
      this.mark();
      if (this.ply === this.plies) this.pause();
      this.onply(this.game, this.ply);
    }

    /* Go through the game by itself, from its beginning if it is at its end; a second time, stop. */
    play() {
      if (this.timer) return this.pause();
      if (this.ply === this.plies) this.go(0);
      this.button("Pause", true);
      const step = () => {
        this.timer = setTimeout(step, 1000 * Number(this.parts.speed.value));
        this.go(this.ply + 1);
      };
      this.timer = setTimeout(step, 1000 * Number(this.parts.speed.value));
      return undefined;
    }

    pause() {
      clearTimeout(this.timer);
      this.timer = null;
      this.button("Play", false);
    }

    button(words, playing) {
      const button = this.host.querySelector("[data-action=play]");
      button.setAttribute("aria-label", words);
      button.title = `${words} (space)`;
      button.classList.toggle("playing", playing);
    }

    key(event) {
      const { target, key } = event;
      if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input, select, textarea")) return;
      const action = {
        ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", f: "flip", n: "next", p: "previous",
      }[key] || (key === " " && !target.closest("button") ? "play" : null);
      if (!action) return;
      event.preventDefault();
      if (action !== "play") this.pause();
      this.actions[action]();
    }

    async copy() {
      this.parts.fen.select();
      let done = false;
      try {
        await navigator.clipboard.writeText(this.parts.fen.value);
        done = true;
      } catch {
        done = document.execCommand("copy");
      }
      this.parts.copied.textContent = done ? "copied" : "press Ctrl+C";
    }

    /* What the last move was, in words. */
    sentence({ text, white, score, own, wins, depth, nodes, seconds }) {
      if (text === undefined) return [`After the opening, ${this.plies} ${this.plies === 1 ? "ply" : "plies"} follow.`];
      const player = arena.named(white ? this.game.white : this.game.black);
      const words = [];
      if (wins) words.push(`sees a ${wins > 0 ? "win" : "loss"} in ${Math.abs(wins)} plies`);
      else if (score !== null) words.push(`score ${arena.men(score, 2)} men`);
      else if (own !== null) words.push(`score ${own}, in its own unit`);
      if (nodes) words.push(`depth ${depth}`, `${arena.grouped(nodes)} nodes`);
      if (seconds) words.push(arena.duration(seconds));
      return [`Ply ${this.ply} of ${this.plies}: `, made("strong", "", text), " by ", player, words.length ? `, ${arena.unbroken(words.join(", "))}.` : "."];
    }

    /* A player as the name of a curve. */
    legend(white) {
      const name = made("span", white ? "viewer-white" : "viewer-black");
      name.append(arena.named(white ? this.game.white : this.game.black));
      const scored = this.positions.some((position) => position.white === white && (position.score ?? position.wins) !== null);
      return [name, ` (${white ? "White" : "Black"}${scored ? "" : ", gives none"})`];
    }

    facts(game, fault) {
      const rows = [
        ["White", game.white], ["Black", game.black], ["Opening", String(game.opening)], ["Result", arena.points(game.result)],
        ["Ended by", game.end], ["Plies", String(game.plies)],
        ["Greatest swing", game.swing === null ? "" : `${game.swing.toFixed(1)} men`], ["Error", game.error],
        ["Not shown", fault && `the moves from ply ${this.positions.length} on: ${fault}`],
      ];
      this.parts.facts.replaceChildren(...rows.filter(([, value]) => value).flatMap(([name, value]) => {
        const said = made("dd");
        said.append(arena.named(value));
        return [made("dt", "", name), said];
      }));
    }

    /* The moves as buttons, two a row; a row begins with the colour that moved first. */
    texts() {
      this.buttons = this.positions.slice(1).map(({ text }, place) => {
        const button = made("button", "", text);
        button.type = "button";
        button.addEventListener("click", () => { this.pause(); this.go(place + 1); });
        return button;
      });
      return this.buttons.flatMap((button, place) => (place % 2 ? [button] : [made("span", "", `${place / 2 + 1}.`), button]));
    }

    /* Mark the move that led to the position, and bring it into view. */
    mark() {
      const { moves } = this.parts;
      this.buttons.forEach((button, place) => {
        if (place + 1 === this.ply) button.setAttribute("aria-current", "true");
        else button.removeAttribute("aria-current");
      });
      const button = this.buttons[this.ply - 1];
      if (!button) moves.scrollTop = 0;
      else if (button.offsetTop < moves.scrollTop) moves.scrollTop = button.offsetTop;
      else if (button.offsetTop + button.offsetHeight > moves.scrollTop + moves.clientHeight) {
        moves.scrollTop = button.offsetTop + button.offsetHeight - moves.clientHeight;
      }
    }
  }

  /* A score in men with its sign, none for what is rounded to zero: -0.004 -> "0.00". */
  arena.men = (value, digits) => {
    const text = Math.abs(value).toFixed(digits);
    return Number(text) ? (value > 0 ? "+" : "−") + text : text;
  };

  /* Seconds with a unit: 0.0123 -> "12.3 ms". */
  arena.duration = (seconds) => {
    const [value, unit] = seconds >= 1 ? [seconds, "s"] : seconds >= 1e-3 ? [1e3 * seconds, "ms"] : [1e6 * seconds, "µs"];
    return `${Number(value.toPrecision(3))}\u00a0${unit}`;
  };
  arena.Stage = Stage;
})((window.arena = window.arena || {}));
