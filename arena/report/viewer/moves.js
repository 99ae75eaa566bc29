/* The moves of a game as numbered buttons, two a row. */

import { element, markCurrent } from "./element.js";

export class MoveList {
  /* `host` gets the buttons and scrolls; `onply` is called with the ply of one that is clicked. */
  constructor(host, onply) {
    this.host = host;
    this.onply = onply;
    this.buttons = [];
  }

  /* Show these moves, errors with their `marks`; a row begins with the colour that moved first. */
  fill(texts, marks = []) {
    this.buttons = texts.map((text, place) => element("button", { type: "button", onclick: () => this.onply(place + 1) },
      listedText(text), marks[place] ? element("b.viewer-error", {}, ` ${marks[place]}`) : null));
    this.host.replaceChildren(...this.buttons.flatMap((button, place) => (place % 2 ? [button] : [element("span", {}, `${place / 2 + 1}.`), button])));
  }

  /* Mark the move that led to a ply, and bring it into view with the next one. */
  mark(ply) {
    const { host } = this;
    const button = this.buttons[ply - 1];
    markCurrent(this.buttons, button);
    if (!button) host.scrollTop = 0;
    else if (button.offsetTop < host.scrollTop) host.scrollTop = button.offsetTop;
    else {
      const next = this.buttons[ply] ?? button;
      host.scrollTop = Math.max(host.scrollTop, next.offsetTop + next.offsetHeight - host.clientHeight);
    }
  }
}

/* A move as the list has it: why a side passes is said. */
function listedText(text) {
  return text === "pass" ? "pass (no move)" : text;
}
