/* The websocket of a game: what happens in it, as it happens; opened again when it is lost. */

import { get, hangUp, openSocket } from "./server.js";

const [TAKEN, GONE] = [4009, 4404]; // close codes: another window has taken the game; the server does not have it
const WAITS = [300, 700, 1500, 3000, 5000]; // milliseconds before each attempt to open it again, the last for ever

export class Link {
  /* `on.event(message)` gets the messages; `on.taken()` says that another window has taken the game over, `on.lost()`
     that the connection is gone, `on.back()` that it is there, `on.gone()` that the server does not know the game,
     `on.refused()` that it is another server, which does not know this page. */
  constructor(game, on) {
    this.game = game;
    this.on = on;
    this.failures = 0; // attempts since it was lost
    this.isOver = false;
    /** @type {WebSocket|null} */
    this.socket = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
  }

  open() {
    clearTimeout(this.timer);
    const socket = openSocket(`/api/games/${encodeURIComponent(this.game)}/events`);
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.socket) return;
      if (this.failures) this.on.back();
      this.failures = 0;
      this.on.event(JSON.parse(data));
    });
    socket.addEventListener("close", ({ code }) => {
      if (this.isOver || socket !== this.socket) return;
      if (code === TAKEN) this.on.taken();
      else if (code === GONE) this.on.gone();
      else this.again();
    });
  }

  close() {
    this.isOver = true;
    clearTimeout(this.timer);
    if (this.socket) hangUp(this.socket);
  }

  again() {
    this.on.lost();
    const wait = WAITS[Math.min(this.failures, WAITS.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(async () => {
      try {
        await get(`/api/games/${encodeURIComponent(this.game)}`, { quiet: true });
      } catch (error) {
        if (this.isOver) return;
        if (error.status === 404) this.on.gone();
        else if (error.status === 403) this.on.refused();
        else this.again();
        return;
      }
      if (!this.isOver) this.open();
    }, wait);
  }
}

