/* A game as this window holds it: the connection to the server, and what can be done when it is lost. */

import { saveAs, say, showLost } from "./dialogs.js";
import { pdnOf } from "./game_words.js";
import { Link } from "./link.js";
import { store } from "./store.js";

export class Hold {
  /**
   * `parts` are those of the view; `onevent` gets what the server sends.
   * @param {any} parts
   * @param {(message: any) => void} onevent
   */
  constructor(parts, onevent) {
    this.parts = parts;
    this.onevent = onevent;
    /** @type {Link|null} */
    this.link = null;
  }

  get isOpen() {
    return this.link !== null;
  }

  /* Connect to the game, also where another window has it. */
  open() {
    if (this.link) this.link.close();
    this.link = new Link(store.game.game, {
      event: this.onevent,
      back: () => { showLost(this.parts, ""); say("The connection is back."); },
      lost: () => this.lost("The connection to the server is lost; trying again …"),
      refused: () => this.lost("The server was restarted, and this page belongs to the one before. Open the address that arena printed."),
      taken: () => showLost(this.parts, "Another window has taken this game over.",
        [["Take it back", () => this.open()], ["New game", () => { location.hash = "#/"; }]]),
      gone: () => this.lost("The server does not have this game any more.", true),
    });
    showLost(this.parts, "");
    this.link.open();
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

  close() {
    if (this.link) this.link.close();
    this.link = null;
  }
}
