/* The page: a game is set up, played, and ends. Its address says which: `#/` is one that is being set up, `#/game/ID`
   one of the server's. */

import { element, partsOf } from "../../report/viewer/element.js";
import { fenOf } from "../../report/viewer/words.js";
import { say, showLost } from "./dialogs.js";
import { Game } from "./game.js";
import { capital, positionAt, swapped } from "./game_state.js";
import { commandOf } from "./keys.js";
import { get, keepToken, post } from "./server.js";
import { Setup } from "./setup.js";
import { HUMAN } from "./sides.js";
import { store } from "./store.js";
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
let latest = 0; // counts previews and games, of which a later one overtakes the others

async function begin() {
  const offer = await get("/api/offer");
  parts = partsOf(host);
  table = new Table(parts.board, {
    move: (text, skip) => game.play(text, skip),
    say,
    choice: choose,
    begin: (numbers) => start(setup.request, numbers),
  });
  game = new Game(parts, table, offer);
  setup = new Setup(parts, offer, { preview, begin: () => start(setup.request) });
  for (const [name, button] of Object.entries(actions)) {
    for (const each of host.querySelectorAll(`[data-action=${name}]`)) each.addEventListener("click", () => button());
  }
  document.addEventListener("keydown", key);
}

const mode = () => parts.game.dataset.mode;

const actions = {
  undo: () => game.ask("undo"),
  hint: () => game.ask("hint"),
  flip: () => flip(),
  stop: () => game.ask("stop"),
  pass: () => game.play(store.game.legal.find(({ paths }) => paths.some((path) => !path.length)).text),
  pause: () => game.ask(store.game.paused ? "resume" : "pause"),
  sides: () => game.swap(),
  resign: () => game.resign(),
  fresh: () => { location.hash = "#/"; },
  first: () => game.look(0),
  back: () => game.look(store.ply - 1),
  forward: () => game.look(store.ply + 1),
  now: () => game.look(store.game.moves.length),
  again: () => again(false),
  swapped: () => again(true),
  swap: () => setup.swap(),
  goon: () => { location.hash = `#/game/${store.game.game}`; },
  copy: () => game.copy(),
  keys: () => parts.help.showModal(),
  fromhere: () => start({ ...store.game.request, fen: fenOf(positionAt(store.game, store.ply)) }, [], game.flipped),
};

/* Set up a game. */
function set() {
  game.leave();
  game.panel.mode("setup");
  parts.actions.goon.hidden = !store.game || Boolean(store.game.outcome);
  showLost(parts, "");
  if (setup.sides.variant) setup.changed();
  else setup.usual();
}

/* Show what is set up, on a board that begins the game when a piece is touched. */
async function preview({ variant, position, white, black }) {
  if (mode() !== "setup") return;
  latest += 1;
  const mine = latest;
  const usual = await table.take(variant).catch(() => null);
  if (!usual || mine !== latest || mode() !== "setup") return;
  const { pieces, points, turn } = position || usual;
  const { upright } = setup.variant;
  const flipped = (white !== HUMAN && black === HUMAN && !upright) !== store.isSetupTurned;
  table.turn(flipped);
  const own = (colour) => (white === black ? capital(colour) : "You");
  const name = (player, colour) => (player === HUMAN ? own(colour) : setup.name(player));
  game.panel.strips({ white: name(white, "white"), black: name(black, "black") }, turn, { pieces, points }, flipped);
  table.offer({ pieces, last: null, turn, legal: [], begins: true });
}

/* Begin a game, and pick squares in it: these, and those that are picked on the board while it is being begun.
   `flipped` says whether Black is below, where that is not the usual side. */
async function start(request, numbers = [], flipped = undefined) {
  const byHand = numbers.length > 0;
  const isSetUp = mode() === "setup";
  if (isSetUp && !parts.setup.reportValidity()) {
    setup.changed();
    return;
  }
  latest += 1;
  let problem = "";
  parts.begin.disabled = true;
  if (isSetUp) table.wait(numbers);
  const waiting = setTimeout(() => say(COMPILING, true), LONG);
  try {
    const { game: id } = await post("/api/games", request, { quiet: true });
    store.isSetupTurned = false;
    history.pushState(null, "", `#/game/${id}`);
    await game.open(id, flipped);
    if (!byHand) parts.board.scrollIntoView({ block: "nearest" });
    parts.board.focus({ preventScroll: true });
    for (const number of numbers) if (game.isHere && store.game.legal.length) table.hand.pick(number, true);
  } catch (error) {
    if (error.status === undefined) throw error;
    problem = error.message;
    if (isSetUp && request.fen && !store.position) setup.refuse(problem);
    if (mode() === "setup") setup.changed();
  } finally {
    clearTimeout(waiting);
    say(problem);
    parts.begin.disabled = false;
  }
}

function again(swaps) {
  const request = { ...store.game.request, fen: store.game.start.fen };
  start(swaps ? swapped(request) : request);
}

function flip() {
  if (mode() === "setup") {
    store.isSetupTurned = !store.isSetupTurned;
    setup.changed();
  } else {
    store.isTurned = !store.isTurned;
    game.render();
  }
}

/* Have the person say which of several moves is meant. */
function choose(texts) {
  parts.choice.hidden = false;
  parts.choice.replaceChildren("Which one? ", ...texts.map((text) => element("button", {
    type: "button", onclick: () => game.play(text),
  }, text)));
  parts.choice.querySelector("button").focus();
}

function key(event) {
  const name = document.querySelector("dialog[open]") ? undefined : commandOf(event);
  if (!name || (mode() === "setup" && name !== "flip" && name !== "keys")) return;
  const button = parts.actions[name];
  if (button && (button.hidden || button.disabled) && !["back", "forward", "first", "now"].includes(name)) return;
  event.preventDefault();
  actions[name]();
}

async function show(id) {
  ready ||= begin().catch((error) => { ready = null; throw error; });
  await ready;
  if (!id) set();
  else if (store.game?.game === id && game.isHere) game.render();
  else await game.open(id);
}

/* Show what the address names. */
function follow() {
  keepToken();
  host.hidden = false;
  const [, id] = /^#\/game\/([^/]+)$/.exec(location.hash) ?? [];
  show(id).catch((error) => { if (error.status === undefined) throw error; });
}

window.addEventListener("hashchange", follow);
follow();
