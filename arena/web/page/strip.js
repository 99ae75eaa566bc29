/* The strip beside a board of who plays on that side. */

import { element, named } from "../../report/viewer/element.js";

/**
 * Show a player: a disc of its colour, marked while it is to move, its name, and what there is more.
 * @param {HTMLElement} host
 * @param {{colour: "white"|"black", name: string, isToMove: boolean}} player
 * @param {...(HTMLElement|null)} more
 */
export function showStrip(host, { colour, name, isToMove }, ...more) {
  host.replaceChildren(element(`span.disc.disc-${colour}`, { "aria-hidden": "true" }), named(name, "strip-name"), ...more.filter(Boolean));
  host.classList.toggle("to-move", isToMove);
}
