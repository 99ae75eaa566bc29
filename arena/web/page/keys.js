/* What the keys of the board's view do. */

const KEYS = {
  u: "undo", h: "hint", f: "flip", m: "stop", p: "pass", " ": "pause", ",": "back", ".": "forward", Home: "first", End: "now", "?": "keys",
};
const TYPED = "textarea, input:not([type=checkbox])";

/**
 * The action that a key asks for; undefined where it is the browser's, or that of what has the focus.
 * @param {{key: string, ctrlKey: boolean, metaKey: boolean, shiftKey: boolean, altKey: boolean, target: any}} event
 * @returns {string|undefined}
 */
export function commandOf({ key, ctrlKey, metaKey, shiftKey, altKey, target }) {
  if (ctrlKey !== metaKey && !altKey && !shiftKey && key.toLowerCase() === "z") return target.closest(TYPED) ? undefined : "undo";
  if (ctrlKey || metaKey || altKey || target.closest(TYPED) || target.closest("select")) return undefined;
  if (key === " " && target.closest("button, summary, a, input")) return undefined;
  return KEYS[key];
}
