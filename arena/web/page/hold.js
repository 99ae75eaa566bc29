/* A game as this window holds it: the websocket that says what happens in it, opened again when it is lost, and what
   can be done without the server. */

import { saveAs, say, showLost } from "./dialogs.js";
import { pdnOf } from "./game_words.js";
import { get, hangUp, openSocket } from "./server.js";
import { store } from "./store.js";

const [TAKEN, GONE] = [4009, 4404]; // close codes: another window has taken the game; the server does not have it
const WAITS = [300, 700, 1500, 3000, 5000]; // milliseconds before each attempt to open it again, the last for ever
const ANOTHER = ["New game", () => { location.hash = "#/"; }];

export class Hold {
  /**
   * `parts` are those of the view; `onevent` gets what the server sends.
   * @param {any} parts
   * @param {(message: any) => void} onevent
   */
  constructor(parts, onevent) {
    this.parts = parts;
    this.onevent = onevent;
    this.failures = 0; // attempts since the connection was lost
    /** @type {WebSocket|null} */
    this.socket = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
  }

  get isOpen() {
    return this.socket !== null;
  }

  /* Connect to the game at the table, also where another window has it. */
  open() {
    this.close();
    showLost(this.parts, "");
    this.connect(`/api/games/${encodeURIComponent(store.game.game)}`);
  }

  /* Connect to the game at a path. */
  connect(path) {
    const socket = openSocket(`${path}/events`);
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.socket) return;
      if (this.failures) {
        showLost(this.parts, "");
        say("The connection is back.");
      }
      this.failures = 0;
      this.onevent(JSON.parse(data));
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket !== this.socket) return;
      if (code === TAKEN) showLost(this.parts, "Another window has taken this game over.", [["Take it back", () => this.open()], ANOTHER]);
      else if (code === GONE) this.gone();
      else this.again(path);
    });
  }

  again(path) {
    this.lost("The connection to the server is lost; trying again …");
    const wait = WAITS[Math.min(this.failures, WAITS.length - 1)];
    this.failures += 1;
    const { socket } = this;
    this.timer = setTimeout(async () => {
      const error = await get(path, { quiet: true }).then(() => null, (wrong) => wrong);
      if (socket !== this.socket) return;
      if (!error) this.connect(path);
      else if (error.status === 404) this.gone();
      else if (error.status === 403) this.lost("The server was restarted, and this page belongs to the one before. Open the address that arena printed.");
      else this.again(path);
    }, wait);
  }

  gone() {
    this.lost("The server does not have this game any more.", [ANOTHER]);
  }

  /* Say that the server cannot be asked, with what can be done without it. */
  lost(words, actions = []) {
    say("");
    showLost(this.parts, words, [["Save as PDN", () => this.save()], ...actions]);
  }

  /* Save the game from what this page holds. */
  save() {
    saveAs("game.pdn", pdnOf(store.game));
  }

  close() {
    clearTimeout(this.timer);
    if (this.socket) hangUp(this.socket);
    this.socket = null;
    this.failures = 0;
  }
}
