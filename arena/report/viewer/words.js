/* Numbers, results and positions in words. */

/** @import { Points } from "./ply.js" */

/* A text whose numbers stay beside their units. */
export function unbroken(text) {
  return text.replace(/(\d) (?=(?:(?:s|ms|min|h|ply|plies|nodes|games|pieces|men)\b|%|±))/g, "$1\u00a0");
}

/* A whole number with commas between thousands. */
export function grouped(number) {
  return number.toLocaleString("en");
}

/* A number of things: `1 game`, `1,234 games`. */
export function counted(number, noun, several = `${noun}s`) {
  return `${grouped(number)}\u00a0${number === 1 ? noun : several}`;
}

/* A result in words. */
export function resultText(result) {
  return { white: "White won", black: "Black won", draw: "drawn", "*": "no result" }[result] ?? result;
}

/**
 * Each colour's points: "White 9, Black 7".
 * @param {Points} points
 */
export function pointsText({ white, black }) {
  return `White ${white}, Black ${black}`;
}

/* A score in men with its sign, none for what is rounded to zero: -0.004 -> "0.00". */
export function menText(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) ? (value > 0 ? "+" : "−") + text : text;
}

/* Seconds with a unit: 0.0123 -> "12.3 ms". */
export function durationText(seconds) {
  const [value, unit] = seconds >= 1 ? [seconds, "s"] : seconds >= 1e-3 ? [1e3 * seconds, "ms"] : [1e6 * seconds, "µs"];
  return `${Number(value.toPrecision(3))}\u00a0${unit}`;
}

/* A position, {pieces, turn}, as FEN; `names` are those of squares, where they are no numbers. */
export function fenOf({ pieces, turn }, names = null) {
  return `${turn[0].toUpperCase()}:W${numbered(pieces, names, "w", "K")}:B${numbered(pieces, names, "b", "K")}`;
}

/* A position in words. */
export function positionText({ pieces, turn }, names = null) {
  const of = (man) => numbered(pieces, names, man, "king ", ", ") || "none";
  return `${turn === "white" ? "White" : "Black"} to move. White: ${of("w")}. Black: ${of("b")}.`;
}

/* The squares of one side, in the order of their numbers, those of kings with a mark. */
function numbered(pieces, names, man, king, comma = ",") {
  const named = (place) => names?.[place] ?? `${place + 1}`;
  return [...pieces]
    .map((letter, place) => (letter === man ? named(place) : letter === man.toUpperCase() ? king + named(place) : ""))
    .filter(Boolean).join(comma);
}
