/* A game at the board in words. */

import { menText } from "../../report/viewer/words.js";

export const COMPILING = "One moment: these rules are being compiled …";
export const LONG = 700; // milliseconds of waiting for a game after which that is said
export const HASTE = 20; // seconds below which a clock shows tenths
const SLOPE = 2.5; // men at which the bar is three quarters full, about

/* What a move comes to for the side that makes it, best first. */
export const OUTLOOKS = {
  win: { sign: "+", verb: "wins" }, draw: { sign: "=", verb: "draws" }, loss: { sign: "−", verb: "loses" },
};

export function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

/* What a clock shows: `1:02:05`, `4:05`, with tenths when few seconds are left: `0:09.5`. */
export function clockText(seconds) {
  const left = Math.max(0, seconds);
  const [whole, tenths] = (left < HASTE ? left.toFixed(1) : String(Math.floor(left))).split(".");
  const [hours, minutes, rest] = [Math.floor(+whole / 3600), Math.floor((+whole % 3600) / 60), +whole % 60];
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(rest)}${tenths ? `.${tenths}` : ""}`;
}

/* A value on the bar: `+1.2`, or `−#7` for a loss in 7 plies. */
export function valueText({ value, plies_to_win: wins }) {
  if (wins) return `${wins > 0 ? "+" : "−"}#${Math.abs(wins)}`;
  return menText(value, 1);
}

/* The share of the bar that is White's. */
export function shareOf({ value, plies_to_win: wins }) {
  return wins ? (wins > 0 ? 1 : 0) : 0.5 + 0.5 * Math.tanh(value / SLOPE / 1.8);
}

function two(number) {
  return String(number).padStart(2, "0");
}
