"use strict";

/* The view of the board: a game is set up, played, and ends; a position is set up by hand. */
(function (arena) {
  const LONG = 700; // milliseconds of waiting for a game after which the reason is said
  const KEYS = {
    u: "undo", h: "hint", f: "flip", m: "stop", p: "pass", " ": "pause", ",": "back", ".": "forward", Home: "first", End: "now", "?": "keys",
  };
  let ready = null; // a promise: the parts are found, what is on offer is known
  let parts = null;
  let table = null;
  let game = null;
  let setup = null;
  let editor = null;
  let turned = false; // whether the board of the setup was turned by hand
  let kept = {}; // {game, flipped}: which side a game is first shown from, other than usual
  let asked = 0; // counts previews and games, so that a late answer is known as one

  async function begin(element) {
    const offer = await arena.offer();
    parts = Object.fromEntries([...element.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    table = new arena.Table(parts.board, {
      move: (text, path, skip) => game.play(text, path, skip),
      settle: () => game.settle(),
      say: arena.say,
      choice: choose,
      begin: (numbers) => start(setup.request, numbers),
    });
    game = new arena.Game(parts, table);
    game.offer = offer;
    setup = new arena.Setup(parts, offer, {
      preview: (what) => preview(what),
      begin: () => start(setup.request),
      pdn: (pdn) => load(pdn).catch(() => {}),
    });
    editor = new arena.Editor(parts, table);
    for (const [name, button] of Object.entries(actions)) {
      for (const each of element.querySelectorAll(`[data-action=${name}]`)) each.addEventListener("click", () => button());
    }
    document.addEventListener("keydown", (event) => key(event, element));
  }

  const mode = () => parts.game.dataset.mode;

  const actions = {
    undo: () => game.act("undo").catch(() => {}),
    hint: () => game.hint(),
    flip: () => flip(),
    stop: () => game.act("stop").catch(() => {}),
    pass: () => game.play(game.state.legal.find(({ paths }) => paths.some((path) => !path.length)).text, [], 0),
    pause: () => game.act("pause", { on: !game.state.paused }).catch(() => {}),
    draw: () => game.draw().catch(() => {}),
    resign: () => game.resign().catch(() => {}),
    fresh: () => fresh(),
    first: () => game.look(0),
    back: () => game.look(game.ply - 1),
    forward: () => game.look(game.ply + 1),
    now: () => game.look(game.state.moves.length),
    again: () => again(false),
    swapped: () => again(true),
    swap: () => setup.swap(),
    goon: () => { location.hash = `#/game/${game.state.game}`; },
    copy: () => arena.copied(parts.fen).then(arena.say),
    keys: () => parts.help.showModal(),
    edit: () => edit(setup.position),
    editnow: () => edit(lookedAt()),
    editdone: () => { setup.place(editor.found); leave(); },
    editstart: () => editor.put(editor.start),
    editclear: () => editor.clear(),
    editcancel: () => (atGame() ? arena.views.game.show(null, game.state.game) : set()),
    fromhere: () => start({ ...requested(), counts: false, fen: lookedAt().fen }, [], game.flipped),
  };

  const atGame = () => location.hash.startsWith("#/game/");

  /* Go to where a game is set up. */
  function leave() {
    if (atGame()) location.hash = "#/";
    else set();
  }

  /* Have a new game set up; one that counts is resigned, if the person says so. */
  async function fresh() {
    const { counts, outcome, moves } = game.state;
    if (counts && !outcome && moves.length) {
      if (!(await arena.ask(parts, "This game counts: to leave it is to resign it.", "Resign", "Play on"))) return;
      const { recorded } = await game.remove().catch(() => ({}));
      if (recorded) arena.say(recorded);
    }
    leave();
  }

  /* Play on from a game of a PDN: which one is asked for where it has several. */
  async function load(pdn) {
    const { count, games } = await arena.post("/api/pdn", { pdn });
    const line = ({ number, white, black, result, date, plies }) =>
      [`${number}. ${white || "?"} – ${black || "?"}`, result, plies === 1 ? "1 ply" : `${plies} plies`, date].filter(Boolean).join(" · ");
    const question = `Which of the ${arena.grouped(count)} games?`;
    const number = games.length > 1 ? await arena.pick(parts, question, games.map((each) => [each.number, line(each)])) : 1;
    if (number) await start({ ...setup.request, fen: undefined, pdn, number: Number(number) });
  }

  /* Set up a game. */
  function set() {
    game.leave();
    game.panel.mode("setup");
    parts.actions.goon.hidden = !game.state || Boolean(game.state.outcome);
    arena.lost(parts, "");
    if (setup.sides.variant) setup.changed();
    else setup.usual();
  }

  /* Show what is set up, on a board that begins the game when a piece is touched. */
  async function preview({ variant, position, white, black }) {
    asked += 1;
    const mine = asked;
    const usual = await table.take(variant).catch(() => null);
    if (!usual || mine !== asked || mode() !== "setup") return;
    const { pieces, turn } = position || usual;
    const flipped = (white !== arena.HUMAN && black === arena.HUMAN) !== turned;
    table.turn(flipped);
    const name = (key) => (key === arena.HUMAN ? "You" : setup.name(key));
    game.panel.names({ white: name(white), black: name(black) }, turn, pieces, flipped);
    table.offer({ pieces, last: null, words: "", turn, legal: [], mustCapture: false, begins: true });
  }

  /* Begin a game, and pick squares in it: these, and those that are picked on the board while it is being begun.
     `flipped` says whether Black is below, where that is not the usual side. */
  async function start(request, numbers = [], flipped = undefined) {
    asked += 1;
    const byHand = numbers.length > 0;
    parts.begin.disabled = true;
    if (mode() === "setup" && !request.pdn) table.wait(numbers);
    const waiting = setTimeout(() => { parts.invitation.textContent = "One moment: these rules are being compiled …"; }, LONG);
    try {
      const state = await arena.post("/api/games", request, { quiet: true });
      turned = false;
      history.pushState(null, "", `#/game/${state.game}`);
      await game.open(state, flipped);
      if (!byHand) parts.board.scrollIntoView({ block: "nearest" });
      for (const number of numbers) if (state.legal.length) table.hand.pick(number, true);
    } catch (error) {
      if (error.status === undefined) throw error;
      if (mode() === "setup" && parts.wrong.closest("details").open) parts.wrong.textContent = error.message;
      else arena.say(error.message);
      if (mode() === "setup") setup.changed();
    } finally {
      clearTimeout(waiting);
      parts.begin.disabled = false;
      setup.invite();
    }
  }

  /* What the game at the table was asked for; one that counts names no position, for it begins from the usual one. */
  function requested() {
    const { variant, sides, start: { fen }, clock, counts, pace } = game.state;
    const asked = { variant, white: sides.white.key, black: sides.black.key, pace };
    if (clock) asked.clock = clock;
    return counts ? { ...asked, counts } : { ...asked, fen };
  }

  function again(swaps) {
    const asked = requested();
    if (swaps) [asked.white, asked.black] = [asked.black, asked.white];
    start(asked);
  }

  function lookedAt() {
    const { pieces, turn } = game.position;
    return { pieces, turn: turn === "W" ? "white" : "black", fen: arena.fen(game.position) };
  }

  async function edit(position) {
    const variant = mode() === "setup" ? setup.variant.name : game.state.variant;
    const usual = await table.take(variant);
    const from = position || usual;
    if (game.state && setup.variant.name !== variant) {
      setup.form.elements.variant.value = variant;
      setup.usual();
    }
    game.leave();
    game.panel.mode("edit");
    editor.open({ variant, pieces: from.pieces, turn: from.turn, start: usual });
  }

  function flip() {
    if (mode() === "setup") {
      turned = !turned;
      setup.changed();
    } else if (mode() === "edit") table.turn(!table.board.flipped);
    else {
      game.turned = !game.turned;
      game.render();
    }
  }

  /* Have the person say which of several moves is meant. */
  function choose(texts) {
    parts.choice.hidden = false;
    parts.choice.replaceChildren("Which one? ", ...texts.map((text) => arena.element("button", {
      type: "button", onclick: () => game.play(text, [], 0),
    }, text)));
    parts.choice.querySelector("button").focus();
  }

  function key(event, element) {
    if (element.hidden || event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input, select, textarea") || (event.key === " " && event.target.closest("button, summary, a"))) return;
    const name = KEYS[event.key];
    const inGame = mode() === "game" || mode() === "over";
    if (!name || (!inGame && name !== "flip" && name !== "keys")) return;
    const button = parts.actions[name];
    if (button && (button.hidden || button.disabled) && !["back", "forward", "first", "now"].includes(name)) return;
    event.preventDefault();
    actions[name]();
  }

  arena.views.game = {
    /* Have a game that is to be shown begin with Black below, or White. */
    keep(id, flipped) {
      kept = { game: id, flipped };
    },
    async show(element, id, extra) {
      document.title = "draughts-arena";
      ready ||= begin(element).catch((error) => { ready = null; throw error; });
      await ready;
      if (!id) return set();
      if (!game.state || game.state.game !== id || !game.link) {
        try {
          const state = await arena.get(`/api/games/${encodeURIComponent(id)}`, { quiet: true });
          await game.open(state, kept.game === id ? kept.flipped : undefined);
        } catch (error) {
          arena.say(error.status === 404 ? "The server does not have this game any more." : error.message);
          location.replace("#/");
          return undefined;
        }
      } else game.render();
      if (extra === "analysis") {
        game.evaluation.isOn = true;
        await game.act("analysis", { on: true, lines: Number(parts.lines.value) }).catch(() => { game.evaluation.isOn = false; });
      }
      return undefined;
    },
    hide() {
      if (game) game.leave();
    },
  };
})((window.arena = window.arena || {}));
