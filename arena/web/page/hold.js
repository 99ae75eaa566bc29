/* A game as this window holds it: the connection to the server, and what can be done when it is lost. */

import { saveAs, say, showLost } from "./dialogs.js";
import { requestOf } from "./game_state.js";
import { pdnOf } from "./game_words.js";
import { Link } from "./link.js";
import { post } from "./server.js";
import { store } from "./store.js";

/** @import { GameState } from "./documents.js" */

export class Hold {
  /**
   * `parts` are those of the view; `onevent` gets what the server sends, and `onresumed` the state of the game that goes
   * on in place of one whose server was restarted.
   * @param {any} parts
   * @param {(message: any) => void} onevent
   * @param {(state: GameState) => Promise<void>} onresumed
   */
  constructor(parts, onevent, onresumed) {
    this.parts = parts;
    this.onevent = onevent;
    this.onresumed = onresumed;
    /** @type {Link|null} */
    this.link = null;
  }

  get isOpen() {
    return this.link !== null;
  }

  /* Connect to the game; with `take` though another window has it. */
  open(take) {
    if (this.link) this.link.close();
    const { token } = store;
    const retake = () => this.open(true);
    this.link = new Link(store.game.game, {
      event: this.onevent,
      back: () => { showLost(this.parts, ""); say("The connection is back."); },
      lost: (wasStopped) => this.lost(`${wasStopped ? "The server was stopped" : "The connection to the server is lost"}; trying again …`),
      refused: () => this.lost("The server was restarted, and this page belongs to the one before. Open the address that arena printed."),
      held: (wasMine) => showLost(this.parts, wasMine ? "Another window has taken this game over." : "This game is open in another window.",
        [[wasMine ? "Take it back" : "Take it over", retake], ["New game", () => { location.hash = "#/"; }]]),
      gone: () => (store.token === token ? this.lost("The server does not have this game any more.", true) : this.resume()),
    });
    if (take) showLost(this.parts, "");
    this.link.open(take);
  }

  /* Say that the server cannot be asked, with what can be done without it, and with a new game if it `isThere`. */
  lost(words, isThere = false) {
    const save = ["Save as PDN", () => this.save()];
    say("");
    showLost(this.parts, words, isThere ? [save, ["New game", () => { location.hash = "#/"; }]] : [save]);
  }

  /* Save the game from what this page holds. */
  save() {
    saveAs("game.pdn", pdnOf(store.game));
  }

  /* Play on from what this page holds with a server that was restarted; clocks start again. */
  async resume() {
    const { clock, outcome } = store.game;
    const words = "The server was restarted";
    if (outcome) return this.lost(`${words}: only this page has the game now.`, true);
    try {
      const state = await post("/api/games", { ...requestOf(store.game), pdn: pdnOf(store.game) }, { quiet: true });
      history.replaceState(null, "", `#/game/${state.game}`);
      await this.onresumed(state);
      return say(`${words}; the game continues${clock ? ", with new clocks" : ""}.`);
    } catch (error) {
      if (error.status === undefined) throw error;
      return this.lost(`${words}, and cannot resume the game: ${error.message}`, true);
    }
  }

  close() {
    if (this.link) this.link.close();
    this.link = null;
  }
}
