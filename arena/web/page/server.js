/* The server, asked with the token: requests, and the websocket of this window to its game. */

import { say } from "./messages.js";
import { changed } from "./state.js";

/** @import { GameState } from "./documents.js" */

/**
 * An error of a request: `status` is that of the answer, 0 without one.
 * @typedef {Error & {status?: number}} RequestError
 */

const TOKEN = "token";
const SILENT = "The server does not answer: is arena still running?";
const GONE = 4404; // close code: the server does not have this game
const WAITS = [300, 700, 1500, 3000, 5000]; // milliseconds before each attempt to open a websocket again, the last for ever

/* Take the token out of the address, where neither the history nor somebody at the screen is to find it; a reload of
   this tab still has it. */
export function keepToken() {
  const [, way, given] = /^(.*)\?token=([\w-]+)$/.exec(location.hash) ?? [];
  if (!given) return;
  sessionStorage.setItem(TOKEN, given);
  history.replaceState(null, "", way);
}

/* The JSON that answers a request, a POST if it has a body. Rejects with a RequestError, whose line is for the person. */
export async function request(path, body = undefined) {
  /** @type {Record<string, string>} */
  const headers = { "X-Arena-Token": sessionStorage.getItem(TOKEN) || "" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method: body === undefined ? "GET" : "POST", headers, body: JSON.stringify(body) })
    .catch(() => { throw Object.assign(new Error(SILENT), { status: 0 }); });
  const document = await answer.json();
  if (answer.ok) return document;
  throw Object.assign(new Error(document.error), { status: answer.status });
}

/* What the person does goes up, what has changed of the game comes down; the websocket is opened again when it is lost. */
export class Link {
  /**
   * `on.state` gets each state but the first, `on.lost` is called when the connection is, `on.gone` where the server does not have the game.
   * @param {{state: (state: GameState) => void, lost: () => void, gone: () => void}} on
   */
  constructor(on) {
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
    const token = new URLSearchParams({ token: sessionStorage.getItem(TOKEN) || "" });
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/games/${encodeURIComponent(this.id)}?${token}`);
    /** @type {GameState|null} */
    let state = null;
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.socket) return;
      this.failures = 0;
      state = changed(state, JSON.parse(data));
      const heard = this.entered || this.on.state;
      this.entered = null;
      heard(state);
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket !== this.socket) return;
      if (code === GONE) {
        this.on.gone();
        return;
      }
      this.on.lost();
      this.timer = setTimeout(() => this.connect(), WAITS[Math.min(this.failures, WAITS.length - 1)]);
      this.failures += 1;
    });
  }

  /* Ask something of the game. */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else say(SILENT);
  }

  close() {
    clearTimeout(this.timer);
    const { socket } = this;
    this.entered?.(null);
    Object.assign(this, { id: "", entered: null, socket: null, failures: 0 });
    if (socket?.readyState === WebSocket.CONNECTING) socket.addEventListener("open", () => socket.close()); // browsers complain of it before
    else socket?.close();
  }
}
