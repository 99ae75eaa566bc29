/* The page: a game is set up, played, and ends. Its address says which: `#/` is one that is being set up, `#/game/ID`
   one of the server's. */

import { partsOf } from "../../report/viewer/element.js";
import { Game } from "./game.js";
import { commandOf } from "./keys.js";
import { say } from "./messages.js";
import { keepToken, request } from "./server.js";
import { Setup } from "./setup.js";
import { isBlackBelow, store, swapped } from "./state.js";
import { Table } from "./table.js";

const COMPILING = "The rules are being compiled: some 20 seconds, the first time only.";
const LONG = 700; // milliseconds of waiting for a game after which that is said
const host = /** @type {HTMLElement} */ (document.querySelector("main"));
/** @type {Promise<void>|null} */
let ready = null; // a promise: the parts are found, what is on offer is known
/** @type {any} */
let parts = null;
/** @type {Table} */
let table = null;
/** @type {Game} */
let game = null;
/** @type {Setup} */
let setup = null;

async function begin() {
  const offer = await request("/api/offer");
  parts = partsOf(host);
  table = new Table(parts.board, { move: (text, skip) => game.play(text, skip), say, choice: (texts) => game.choose(texts) });
  game = new Game(parts, table, offer);
  setup = new Setup(parts, offer, { preview, begin: () => start(setup.request) });
  for (const button of host.querySelectorAll("[data-action]")) {
    button.addEventListener("click", () => actions[/** @type {HTMLElement} */ (button).dataset.action]());
  }
  parts.asking.addEventListener("close", () => { if (parts.asking.returnValue === "yes") game.ask("resign"); });
  document.addEventListener("keydown", key);
}

const actions = {
  undo: () => game.ask("undo"),
  hint: () => game.ask("hint"),
  flip: () => { store.isTurned = !store.isTurned; game.render(); },
  stop: () => game.ask("stop"),
  pass: () => game.play("pass"),
  pause: () => game.ask(store.game.paused ? "resume" : "pause"),
  sides: () => game.swap(),
  resign: () => game.resign(),
  fresh: () => { location.hash = "#/"; },
  first: () => game.look(0),
  back: () => game.look(store.ply - 1),
  forward: () => game.look(store.ply + 1),
  now: () => game.look(store.game.moves.length),
  again: () => start({ ...store.game.request, fen: store.game.start.fen }),
  swapped: () => start({ ...swapped(store.game.request), fen: store.game.start.fen }),
  swap: () => setup.swap(),
  copy: () => game.copy(),
  save: () => game.save(),
  keys: () => parts.help.showModal(),
};

/* Show what is set up. */
async function preview() {
  const { variant, sides: { value } } = setup;
  const usual = await table.take(variant.name).catch(({ message }) => say(message));
  if (!usual || setup.variant !== variant || parts.game.dataset.mode !== "setup") return;
  const position = store.position || usual;
  const flipped = isBlackBelow({ request: value, first: variant.first, upright: variant.upright });
  table.turn(flipped);
  game.panel.strips({ names: { white: setup.name(value.white), black: setup.name(value.black) }, request: value, turn: position.turn }, position, flipped);
  table.offer({ pieces: position.pieces, turn: position.turn, last: null, legal: [] });
}

/* Begin a game. */
async function start(asked) {
  const isSetUp = parts.game.dataset.mode === "setup";
  if (isSetUp && !parts.setup.reportValidity()) return;
  let problem = "";
  parts.begin.disabled = true;
  const waiting = setTimeout(() => say(COMPILING, true), LONG);
  try {
    const { game: id } = await request("/api/games", asked);
    history.pushState(null, "", `#/game/${id}`);
    await game.open(id);
    parts.board.scrollIntoView({ block: "nearest" });
    parts.board.focus({ preventScroll: true });
  } catch (error) {
    if (error.status === undefined) throw error;
    problem = error.message;
    if (isSetUp && asked.fen && !store.position) setup.refuse(problem);
  } finally {
    clearTimeout(waiting);
    say(problem);
    parts.begin.disabled = false;
  }
}

function key(event) {
  const name = document.querySelector("dialog[open]") ? undefined : commandOf(event);
  if (!name || (parts.game.dataset.mode === "setup" && name !== "keys")) return;
  const { hidden, disabled } = parts.actions[name];
  if (hidden || disabled) return;
  event.preventDefault();
  actions[name]();
}

async function show(id) {
  ready ||= begin().catch((error) => { ready = null; throw error; });
  await ready;
  if (!id) {
    game.leave();
    parts.game.dataset.mode = "setup";
    setup.changed();
  } else if (store.game?.game !== id || !game.isHere) await game.open(id);
}

/* Show what the address names. */
function follow() {
  keepToken();
  host.hidden = false;
  const [, id] = /^#\/game\/([^/]+)$/.exec(location.hash) ?? [];
  show(id).catch((error) => { if (error.status === undefined) throw error; say(error.message); });
}

window.addEventListener("hashchange", follow);
follow();
