/* The moves of a game as numbered buttons, two a row. */

import { element, markCurrent } from "./element.js";

export class MoveList {
  /* `host` gets the buttons and scrolls; `onply` is called with the ply of one that is clicked. */
  constructor(host, onply) {
    this.host = host;
    this.onply = onply;
    this.buttons = [];
  }

  /* Show these moves; a row begins with the colour that moved first. */
  fill(texts) {
    this.buttons = texts.map((text, place) => element("button", { type: "button", onclick: () => this.onply(place + 1) }, listedText(text)));
    this.host.replaceChildren(...this.buttons.flatMap((button, place) => (place % 2 ? [button] : [element("span", {}, `${place / 2 + 1}.`), button])));
  }

  /* Mark the move that led to a ply, and bring it into view. */
  mark(ply) {
    const { host } = this;
    const button = this.buttons[ply - 1];
    markCurrent(this.buttons, button);
    if (!button) host.scrollTop = 0;
    else if (button.offsetTop < host.scrollTop) host.scrollTop = button.offsetTop;
    else if (button.offsetTop + button.offsetHeight > host.scrollTop + host.clientHeight) {
      host.scrollTop = button.offsetTop + button.offsetHeight - host.clientHeight;
    }
  }
}

/* A move as the list has it: why a side passes is said. */
function listedText(text) {
  return text === "pass" ? "pass (no move)" : text;
}
