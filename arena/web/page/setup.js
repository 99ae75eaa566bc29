"use strict";

/* The form that sets up a game: rules, players, clock, position. */
(function (arena) {
  const { element } = arena;
  const TYPED = 350; // milliseconds after the last key before a FEN is tried, or rules are compiled
  const LONG = 700; // milliseconds of compiling after which it is shown
  const LOOK = 500; // milliseconds between two looks at how much is compiled
  const CLOCKS = [[0, 0], [1, 0], [3, 2], [5, 3], [10, 5], [15, 10]]; // minutes each, and seconds added per move

  /* Have what a game {variant, white, black} needs compiled, until `isOld()`; `show(share)` is called with how much of it
     is, if that takes long, and with 1 when it is all. */
  arena.compile = async (asked, isOld, show) => {
    const began = performance.now();
    while (!isOld()) {
      const { share } = await arena.post("/api/compilation", asked, { quiet: true });
      if (isOld()) return;
      if (share === 1) return void show(share);
      if (performance.now() - began > LONG) show(share);
      await new Promise((resolve) => { setTimeout(resolve, LOOK); });
    }
  };

  /* How much is compiled, in words. */
  arena.compiling = (variant, share) => `Compiling the rules of ${variant}, once: ${share ? `${Math.round(100 * share)}\u00a0%` : "…"}`;

  class Setup {
    /* `on.preview({variant, pieces, turn, white, black})` shows what is set up; `on.begin()` begins it, `on.pdn(text)` a file. */
    constructor(parts, offer, on) {
      Object.assign(this, { parts, offer, on, position: null, compiles: 0 });
      this.form = parts.setup;
      const { variant, fen } = this.form.elements;
      variant.append(...offer.variants.map(({ name }) => element("option", { value: name }, name)));
      this.sides = new arena.Sides(parts.players, offer, () => this.changed());
      variant.addEventListener("change", () => this.usual());
      fen.addEventListener("input", () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.typed(), TYPED); });
      this.clocks();
      this.form.addEventListener("submit", (event) => { event.preventDefault(); on.begin(); });
      parts.file.addEventListener("change", () => this.load());
      if (offer.record) {
        parts.counting.hidden = false;
        parts.counting.querySelector("span").textContent = `Counts for ${offer.record.person} in ${offer.record.folder}; no undo, hint or analysis; left for 10 minutes, or by New game, it is resigned`;
      }
    }

    /* Buttons for usual clocks; the one that is set is pressed, and stands behind the heading. */
    clocks() {
      const { minutes, increment } = this.form.elements;
      const { presets, clockwords } = this.parts;
      const name = (each, added) => (each ? `${each}+${added}` : "No clock");
      const buttons = CLOCKS.map(([each, added]) => element("button", {
        type: "button", onclick: () => { [minutes.value, increment.value] = each ? [each, added] : ["", ""]; tell(); },
      }, name(each, added)));
      const tell = () => {
        const set = [Number(minutes.value), Number(minutes.value) > 0 ? Number(increment.value) : 0];
        buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(CLOCKS[place].join() === set.join())));
        clockwords.textContent = `: ${name(...set).toLowerCase()}`;
      };
      presets.replaceChildren(...buttons);
      for (const field of [minutes, increment]) field.addEventListener("input", tell);
      tell();
    }

    /* Compile what is set up, and show how far that is. */
    compile(asked) {
      const { compiling, about, game } = this.parts;
      const [bar, words] = compiling.children;
      const show = (share) => {
        compiling.hidden = share === 1;
        about.hidden = !compiling.hidden;
        if (share) bar.value = share;
        else bar.removeAttribute("value");
        words.textContent = arena.compiling(asked.variant, share);
      };
      this.compiles += 1;
      const mine = this.compiles;
      const isOld = () => mine !== this.compiles || game.dataset.mode !== "setup";
      show(1);
      clearTimeout(this.compilation);
      this.compilation = setTimeout(() => arena.compile(asked, isOld, show).catch(() => { if (!isOld()) show(1); }), TYPED);
    }

    get variant() {
      return this.offer.variants.find(({ name }) => name === this.form.elements.variant.value);
    }

    /* The usual start and players of the variant: a person begins. */
    usual() {
      const { name, first } = this.variant;
      const other = this.offer.usual[name];
      this.put(null);
      this.sides.show(name, first === "white" ? { white: arena.HUMAN, black: other } : { white: other, black: arena.HUMAN });
      this.changed();
    }

    swap() {
      const { white, black } = this.sides.value;
      this.sides.show(this.variant.name, { white: black, black: white });
      this.changed();
    }

    /* Have a position set up: {fen, pieces, turn}, or null for the usual start. */
    place(position) {
      this.put(position);
      this.changed();
    }

    put(position) {
      this.position = position;
      this.form.elements.fen.value = position ? position.fen : "";
      this.parts.wrong.textContent = "";
    }

    changed() {
      const { white, black } = this.sides.value;
      const { variant } = this;
      const persons = [white, black].filter((key) => key === arena.HUMAN).length;
      this.parts.about.textContent = `${variant.about} · ${variant.columns}\u00a0×\u00a0${variant.rows}, ${variant.first === "white" ? "White" : "Black"} begins`;
      this.parts.pacing.hidden = persons > 0;
      this.invite();
      this.on.preview({ variant: variant.name, position: this.position, white, black });
      this.compile({ variant: variant.name, white, black });
    }

    /* Say who plays and how to begin. */
    invite() {
      const { white, black } = this.sides.value;
      const persons = [white, black].filter((key) => key === arena.HUMAN).length;
      if (!this.sides.variant) return;
      const mover = this.turn === "white" ? white : black;
      this.parts.opening.textContent = mover === arena.HUMAN && persons === 1 ? "Your move" : "A new game";
      this.parts.invitation.textContent = this.invitation(white, black, persons);
    }

    /* The colour that begins. */
    get turn() {
      return this.position ? this.position.turn : this.variant.first;
    }

    invitation(white, black, persons) {
      const [mover, other] = this.turn === "white" ? [white, black] : [black, white];
      const colour = arena.capital(this.turn);
      if (persons === 2) return `Two people at one board: ${colour} begins. Move a piece.`;
      if (!persons) return `${this.name(white)} plays ${this.name(black)}. Press Begin to watch.`;
      if (mover === arena.HUMAN) return `You are ${colour} and begin against ${this.name(other)}. Move a piece, and the game is on.`;
      return `You are ${colour === "White" ? "Black" : "White"}; ${this.name(mover)} begins. Press Begin.`;
    }

    name(key) {
      const player = this.offer.players.find((each) => each.key === key);
      return player ? player.name : key;
    }

    /* What POST /api/games takes; a FEN as it stands in the form, so that a wrong one is refused. */
    get request() {
      const { minutes, increment, pace, counts } = this.form.elements;
      const asked = { variant: this.variant.name, ...this.sides.value };
      const fen = this.form.elements.fen.value.trim();
      if (fen) asked.fen = fen;
      if (Number(minutes.value) > 0) asked.clock = { seconds: 60 * Number(minutes.value), increment: Number(increment.value || 0) };
      if (!this.parts.pacing.hidden) asked.pace = Number(pace.value || 0);
      if (counts.checked && this.offer.record) asked.counts = true;
      return asked;
    }

    async typed() {
      const { fen: field } = this.form.elements;
      const [fen, variant] = [field.value.trim(), this.variant.name];
      const isOld = () => field.value.trim() !== fen || this.variant.name !== variant;
      const { wrong } = this.parts;
      wrong.textContent = "";
      if (!fen) {
        this.position = null;
        return this.changed();
      }
      try {
        const position = await arena.post("/api/position", { variant, fen }, { quiet: true });
        if (isOld()) return undefined;
        this.position = position;
        return this.changed();
      } catch (error) {
        if (!isOld()) wrong.textContent = error.message;
        return undefined;
      }
    }

    async load() {
      const [file] = this.parts.file.files;
      if (!file) return;
      const text = await file.text();
      this.parts.file.value = "";
      this.on.pdn(text);
    }
  }

  arena.Setup = Setup;
})((window.arena = window.arena || {}));
