/* Questions, messages, and what to do when a game cannot be held by this window. */

import { element } from "../../report/viewer/element.js";

const SHOWN = 7000; // milliseconds that a message stays

/** @type {ReturnType<typeof setTimeout>|undefined} */
let hiding;

/* Show a message for a while, or until the next one if it `stays`; an empty one hides the last. */
export function say(text, stays = false) {
  const line = /** @type {HTMLElement} */ (document.querySelector("[data-say]"));
  clearTimeout(hiding);
  line.textContent = text;
  line.hidden = !text;
  if (text && !stays) hiding = setTimeout(() => say(""), SHOWN);
}

/* Ask; a promise of whether the answer is yes. */
export function ask(parts, question, yes = "Yes", no = "No") {
  const { asking } = parts;
  parts.question.textContent = question;
  parts.yes.textContent = yes;
  parts.no.textContent = no;
  asking.returnValue = "no";
  asking.showModal();
  return new Promise((resolve) => {
    asking.addEventListener("close", () => resolve(asking.returnValue === "yes"), { once: true });
  });
}

/* Say in place of the game what happened to it, with what can be done: [[words, action], ...]; no words hide it. */
export function showLost({ lost }, words, actions = []) {
  lost.hidden = !words;
  if (!words) return;
  lost.replaceChildren(element("p", {}, words), element("div.game-after", {},
    actions.map(([text, action], place) => element(place ? "button" : "button.main", { type: "button", onclick: action }, text))));
}

/* Have a text saved as a file by the browser. */
export function saveAs(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
