"use strict";

/* What stands around the board: who plays, who is to move, clocks, what can be done, how it ended. */
(function (arena) {
  const { element } = arena;
  const TICK = 200; // milliseconds between two looks at a clock
  const HASTE = 20; // seconds below which a clock shows tenths
  const COLOURS = ["white", "black"];

  class Panel {
    /* `parts` are those of the view; `ontimeout()` is called when the clock of the side to move has run down. */
    constructor(parts, ontimeout) {
      Object.assign(this, { parts, ontimeout, ran: 0 });
      setInterval(() => this.tick(), TICK);
      parts.actions = Object.fromEntries([...parts.game.querySelectorAll("[data-action]")].map((button) => [button.dataset.action, button]));
    }

    /* Show only what belongs to a mode: setup, game, over or edit. */
    mode(name) {
      this.parts.game.dataset.mode = name;
      for (const part of this.parts.game.querySelectorAll("[data-of]")) part.classList.toggle("off", !part.dataset.of.split(" ").includes(name));
      this.parts.palette.hidden = name !== "edit";
    }

    /* Show a state as it was received now; `pieces` are those on the board, `flipped` if Black is below. */
    show(state, { pieces, flipped, live }) {
      this.state = state;
      this.received = performance.now();
      this.strips(pieces, flipped);
      const { headline, subline, status } = this.parts;
      headline.textContent = arena.headline(state);
      subline.textContent = arena.subline(state);
      status.classList.toggle("game-waits", state.thinking && !state.outcome);
      status.classList.toggle("game-yours", live && state.legal.length > 0);
      status.classList.toggle("game-ended", Boolean(state.outcome));
      this.tools(state, live);
      this.tick();
    }

    /* The strips above and below the board when there is no game yet. */
    names(names, turn, pieces, flipped) {
      const side = (colour) => ({ name: names[colour], person: names[colour] === "You" });
      this.state = { sides: { white: side("white"), black: side("black") }, turn, clocks: null, outcome: null, running: false };
      this.strips(pieces, flipped);
    }

    strips(pieces, flipped) {
      const [upper, lower] = flipped ? COLOURS : [...COLOURS].reverse();
      this.clocks = {};
      this.strip(this.parts.upper, upper, pieces);
      this.strip(this.parts.lower, lower, pieces);
    }

    strip(host, colour, pieces) {
      const { sides, turn, outcome, clocks } = this.state;
      const left = [...pieces].filter((letter) => letter.toLowerCase() === colour[0]).length;
      const clock = clocks ? element("span.game-clock", { "role": "timer", "aria-label": `${arena.capital(colour)}'s clock` }) : null;
      this.clocks[colour] = clock;
      host.replaceChildren(...[
        element(`span.disc.disc-${colour}`, { "aria-hidden": "true" }),
        arena.named(sides[colour].person ? (bothPersons(sides) ? arena.capital(colour) : "You") : sides[colour].name, "game-name"),
        element("span.game-left", {}, `${left}\u00a0${left === 1 ? "piece" : "pieces"}`),
        clock,
      ].filter(Boolean));
      host.classList.toggle("game-to-move", !outcome && turn === colour);
    }

    tools(state, live) {
      const { actions, game } = this.parts;
      const { sides, outcome, counts } = state;
      const persons = COLOURS.filter((colour) => sides[colour].person).length;
      const over = Boolean(outcome);
      const set = (name, isThere, can) => {
        actions[name].hidden = !isThere;
        actions[name].disabled = !can;
      };
      set("undo", !counts, state.moves.some((_, place) => !persons || sides[arena.mover(state, place + 1)].person));
      set("hint", !counts && !over, live && state.legal.length > 0);
      set("stop", persons < 2 && !over && !counts, state.thinking);
      set("pass", live && state.legal.some(({ paths }) => paths.some((path) => !path.length)), true);
      set("pause", !persons && !over, true);
      set("draw", persons > 0 && !over, true);
      set("resign", persons > 0 && !over, true);
      set("fresh", !over, true);
      actions.pause.querySelector("span").textContent = state.paused ? "Go on" : "Pause";
      actions.pause.querySelector("path").setAttribute("d", state.paused ? "M7 4l12 8-12 8z" : "M8 5v14M16 5v14");
      actions.again.hidden = arena.isChanged(state);
      actions.swapped.hidden = persons === 2 || arena.isChanged(state);
      actions.editnow.hidden = arena.isChanged(state);
      game.querySelector(".game-analysis").hidden = counts;
      this.parts.turning.hidden = persons < 2;
    }

    tick() {
      const { state } = this;
      if (!state || !state.clocks || !this.clocks) return;
      for (const colour of COLOURS) {
        const runs = state.running && !state.outcome && state.turn === colour;
        const passed = runs ? (performance.now() - this.received) / 1000 : 0;
        const left = Math.max(0, state.clocks[colour] - passed);
        const shown = this.clocks[colour];
        if (!shown) continue;
        shown.textContent = arena.clock(left);
        shown.classList.toggle("game-haste", left < HASTE);
        if (runs && !left && this.ran !== state.version) {
          this.ran = state.version;
          this.ontimeout();
        }
      }
    }
  }

  /* Whether a game is of rules that were changed: the server begins no other one by them. */
  arena.isChanged = ({ variant }) => variant.endsWith("*");

  /* What a clock shows: `1:02:05`, `4:05`, with tenths when few seconds are left: `0:09.5`. */
  arena.clock = (seconds) => {
    const left = Math.max(0, seconds);
    const [whole, tenths] = (left < HASTE ? left.toFixed(1) : String(Math.floor(left))).split(".");
    const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
    const two = (number) => String(number).padStart(2, "0");
    return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(rest)}${tenths ? `.${tenths}` : ""}`;
  };

  /* The colour whose ply that is, counted from 1. */
  arena.mover = ({ start }, ply) => ((start.fen[0] === "W") === (ply % 2 === 1) ? "white" : "black");

  arena.capital = (word) => word[0].toUpperCase() + word.slice(1);

  /* What is going on, in a few words. */
  arena.headline = ({ sides, turn, outcome, thinking, paused }) => {
    if (outcome) return ended(sides, outcome);
    if (sides[turn].person) return bothPersons(sides) ? `${arena.capital(turn)} to move` : "Your move";
    if (paused) return "Paused";
    return `${arena.capital(sides[turn].name)} ${thinking ? "is thinking …" : "to move"}`;
  };

  /* What more there is to say. */
  arena.subline = ({ outcome, failure, must_capture: mustCapture, legal, paused, sides, turn }) => {
    if (failure) return failure;
    if (outcome) return `${outcome.text}.`;
    if (legal.length && mustCapture) return `A capture is compulsory: ${legal.map(({ text }) => text).slice(0, 4).join(", ")}${legal.length > 4 ? " …" : ""}`;
    if (legal.length === 1) return `The only legal move is ${legal[0].text}.`;
    return paused && !sides[turn].person ? "Go on when you like." : "";
  };

  function ended(sides, { result, text }) {
    const winner = { "1-0": "white", "0-1": "black" }[result];
    if (!winner || sides.white.person === sides.black.person) return text.split(": ")[0];
    return sides[winner].person ? "You win" : "You lose";
  }

  function bothPersons(sides) {
    return sides.white.person && sides.black.person;
  }

  arena.Panel = Panel;
})((window.arena = window.arena || {}));
