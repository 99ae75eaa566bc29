/* The websocket of this window to its game: what the person does goes up, what has changed of the state comes down. It
   is opened again when it is lost. */

import { say, saveAs, showLost } from "./dialogs.js";
import { changed } from "./game_state.js";
import { socketAddress } from "./server.js";
import { store } from "./store.js";

/** @import { GameState } from "./documents.js" */

const GONE = 4404; // close code: the server does not have this game
const WAITS = [300, 700, 1500, 3000, 5000]; // milliseconds before each attempt to open it again, the last for ever
export const NO_GAME = "The server does not have this game any more.";
const ANOTHER = ["New game", () => { location.hash = "#/"; }];

export class Link {
  /**
   * `parts` are those of the view; `on.state` gets each state but the first, `on.back()` is called before the first one after the
   * connection was lost, `on.gone()` where the server does not have the game.
   * @param {any} parts
   * @param {{state: (state: GameState) => void, back: () => void, gone: () => void}} on
   */
  constructor(parts, on) {
    this.parts = parts;
    this.on = on;
    this.failures = 0; // attempts since the connection was lost
    this.id = ""; // of the game
    /** @type {((state: GameState|null) => void)|null} */
    this.entered = null; // gets the first state
    /** @type {WebSocket|null} */
    this.socket = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
  }

  /** Connect to a game. @returns {Promise<GameState|null>} its first state, null if the link is closed before. */
  open(id) {
    this.close();
    this.id = id;
    return new Promise((resolve) => { this.entered = resolve; this.connect(); });
  }

  connect() {
    showLost(this.parts, "");
    const socket = new WebSocket(socketAddress(this.id));
    /** @type {GameState|null} */
    let state = null;
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.socket) return;
      if (this.failures) {
        showLost(this.parts, "");
        say("The connection is back.");
        this.on.back();
      }
      this.failures = 0;
      const entered = this.entered || this.on.state;
      this.entered = null;
      state = changed(state, JSON.parse(data));
      entered(state);
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket !== this.socket) return;
      if (code === GONE) this.on.gone();
      else this.again();
    });
  }

  again() {
    this.lost("The connection to the server is lost; trying again … If arena was started anew, open the address that it printed.");
    const wait = WAITS[Math.min(this.failures, WAITS.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => this.connect(), wait);
  }

  /* Ask something of the game. */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else say("The server does not answer: is arena still running?");
  }

  gone() {
    this.lost(NO_GAME, [ANOTHER]);
  }

  /* Say that the server cannot be asked, with what can be done without it. */
  lost(words, actions = []) {
    say("");
    const save = ["Save as PDN", () => saveAs("game.pdn", store.game.pdn)];
    showLost(this.parts, words, store.game ? [save, ...actions] : actions);
  }

  close() {
    clearTimeout(this.timer);
    const { socket } = this;
    this.entered?.(null);
    Object.assign(this, { id: "", entered: null, socket: null, failures: 0 });
    if (!socket) return;
    if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener("open", () => socket.close()); // browsers complain of it before
    else socket.close();
  }
}
