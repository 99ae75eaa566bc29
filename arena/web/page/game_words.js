/* A game at the board in words. */

import { grouped, menText, unbroken } from "../../report/viewer/words.js";
import { arePersons, goesOn, moverOf } from "./game_state.js";

/** @import { GameState } from "./documents.js" */
/** @import { Ply } from "../../report/viewer/ply.js" */

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

/* A number of things: `1 piece`, `2 pieces`. */
export function counted(number, noun) {
  return `${number}\u00a0${noun}${number === 1 ? "" : "s"}`;
}

/* A score with a true minus sign. */
export function trueMinus(score) {
  return score.replace(/^-/, "−");
}

/* What a clock shows: `1:02:05`, `4:05`, with tenths when few seconds are left: `0:09.5`. */
export function clockText(seconds) {
  const left = Math.max(0, seconds);
  const [whole, tenths] = (left < HASTE ? left.toFixed(1) : String(Math.floor(left))).split(".");
  const [hours, minutes, rest] = [Math.floor(+whole / 3600), Math.floor((+whole % 3600) / 60), +whole % 60];
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(rest)}${tenths ? `.${tenths}` : ""}`;
}

/** What is going on, in a few words. @param {GameState} state */
export function headlineOf({ sides, turn, outcome, thinking, paused }) {
  if (outcome) return ended(sides, outcome);
  if (sides[turn].person) return arePersons(sides) ? `${capital(turn)} to move` : "Your move";
  if (paused) return "Paused";
  return `${capital(sides[turn].name)} ${thinking ? "is thinking …" : "to move"}`;
}

/**
 * What more there is to say: what failed, how it ended, the hint, how deep the search is, what is compulsory.
 * @param {GameState} state
 */
export function sublineOf(state) {
  if (state.failure) return state.failure;
  if (state.outcome) return [state.outcome.printed, `${state.outcome.text}.`].filter(Boolean).join(". ");
  if (state.hint?.done) return hintText(state);
  const { depth, nodes } = state.thinking || {};
  if (depth) return unbroken([`depth ${depth}`, nodes ? `${grouped(nodes)} nodes` : ""].filter(Boolean).join(", "));
  const last = state.moves.at(-1);
  const passed = last && !last.squares.origin ? moveText(last, last.white ? "White" : "Black") : "";
  return [passed, askedOf(state)].filter(Boolean).join(" ");
}

/** What the side to move can do, where that is little. @param {GameState} state */
function askedOf({ must_capture: mustCapture, legal, paused, sides, turn }) {
  if (legal.length === 1 && legal[0].text === "pass") return `${arePersons(sides) ? `${capital(turn)} has` : "You have"} no move and must pass.`;
  if (legal.length && mustCapture) return `A capture is compulsory: ${legal.map(({ text }) => text).slice(0, 4).join(", ")}${legal.length > 4 ? " …" : ""}`;
  if (legal.length === 1) return `The only legal move is ${legal[0].text}.`;
  return paused && !sides[turn].person ? "Go on when you like." : "";
}

/**
 * A move in words, by the name of its colour.
 * @param {Ply} move
 * @param {string} name
 */
export function moveText({ text, squares: { origin, target, captured }, crowned }, name) {
  if (!origin) return `${name} has no move and passes.`;
  const took = captured.length ? `, takes ${captured.length === 1 ? "one piece" : `${captured.length}\u00a0pieces`}` : "";
  return `${name}: ${text.includes("x") ? `${origin} takes to ${target}` : `${origin} to ${target}`}${took}${crowned ? ", crowned" : ""}.`;
}

/**
 * What was played since an earlier state, and how it ended, for who does not see the board; empty without news.
 * @param {GameState} before
 * @param {GameState} state
 */
export function newsText(before, state) {
  const added = goesOn(before, state) ? state.moves.slice(before.moves.length) : [];
  const words = added.map((move, place) => moveText(move, capital(moverOf(state, before.moves.length + place + 1))));
  if (state.moves.length < before.moves.length) words.push("Taken back.");
  if (state.outcome && !before.outcome) words.push(`${headlineOf(state)}. ${state.outcome.text}.`);
  else if (state.legal.length && words.length) words.push(headlineOf(state), state.failure || askedOf(state));
  return words.filter(Boolean).join(" ");
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

/** The hint that was asked for: the move, for whom, and by whom; empty without one. @param {GameState} state */
export function hintText({ hint, turn }) {
  if (!hint?.done) return "";
  const [best] = hint.lines;
  if (!best) return "No hint was found in time.";
  return `Hint by ${hint.by}: ${best.moves[0]}${best.score ? `, ${trueMinus(best.score)} for ${capital(turn)}` : ""}`;
}

function ended(sides, { result, text }) {
  if (result === "draw" || sides.white.person === sides.black.person) return text.split(": ")[0];
  return sides[result].person ? "You win" : "You lose";
}

function two(number) {
  return String(number).padStart(2, "0");
}
