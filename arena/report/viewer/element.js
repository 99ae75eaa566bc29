/* Elements of a page, and what is done with them. */

import { unbroken } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element: `tag` may have classes, as in "p.small.note". Attributes: `on...` are listeners, `null`, `undefined` and
 * `false` are left out, `true` is an empty one. Children are elements, texts, or lists of both; null is nothing.
 * @returns {any}
 */
export function element(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(9).filter((child) => child !== null && child !== undefined));
  return made;
}

/** An element of a picture. @returns {any} */
export function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** The svg element of a text that arena.rules.board drew. @returns {any} */
export function pictureOf(text) {
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

/* A player's name, which may be that of a class: it breaks behind `:`, `/` and `.`, but not in a number. */
export function named(name, classes = "") {
  const parts = unbroken(name).split(/(?<=[:/]|\.(?!\d))/);
  return element(classes ? `bdi.${classes}` : "bdi", {}, parts.flatMap((part, place) => (place ? [element("wbr"), part] : [part])));
}

/** The elements of a host with `data-part`, by that. @returns {Record<string, any>} */
export function partsOf(host) {
  return Object.fromEntries([...host.querySelectorAll("[data-part]")].map((part) => [part.getAttribute("data-part"), part]));
}

/* Mark one of some buttons as the current one, if it is among them. */
export function markCurrent(all, current) {
  for (const each of all) {
    if (each === current) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
  }
}

/* Copy the text of an input, which is selected; whether the browser did. */
export async function copied(input) {
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}
