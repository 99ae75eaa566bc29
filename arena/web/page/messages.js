/* Messages to the person, and files. */

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

/* Have a text saved as a file by the browser. */
export function saveAs(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
