/* What the state of a game at the board means: who is to move, what stands where, who is below, and how it is written. */

import { played } from "../../report/viewer/ply.js";

/** @import { Colour, Findings, GameState, Line } from "./documents.js" */
/** @import { Note, Points, Position } from "../../report/viewer/ply.js" */

/** @type {Colour[]} */
export const COLOURS = ["white", "black"];
export const HASTE = 20; // seconds below which a clock shows tenths
const SLOPE = 4.5; // men at which the bar is three quarters full, about

/* What a move comes to for the side that makes it, best first. */
export const OUTLOOKS = {
  win: { sign: "+", verb: "wins" }, draw: { sign: "=", verb: "draws" }, loss: { sign: "−", verb: "loses" },
};

/**
 * A state with what has changed of it: its moves go on behind the first `kept` ones.
 * @param {any} before
 * @param {any} message
 * @returns {GameState}
 */
export function changed(before, { kept = 0, moves, ...parts }) {
  const state = { moves: [], ...before, ...parts };
  if (!moves) return state;
  state.moves = state.moves.slice(0, kept);
  for (const move of moves) state.moves.push(played(state.moves.at(-1) ?? state.start, move));
  return state;
}

/* A request with the players, and their seconds per move, in each other's place. */
export function swapped({ white, black, seconds, ...request }) {
  return { ...request, white: black, black: white, seconds: { white: seconds.black, black: seconds.white } };
}

/**
 * Whether a state is an earlier one and more moves.
 * @param {GameState} before
 * @param {GameState} after
 */
export function goesOn(before, after) {
  return before.moves.every(({ text }, place) => after.moves[place]?.text === text);
}

/**
 * What is known of a position, from White's view, and by whom: by its analysis, else by what the players saw last,
 * within a move; null if nothing is.
 * @param {GameState} state
 * @param {number} ply
 * @param {Findings|undefined} findings
 * @returns {{value: Line|Note, by: string}|null}
 */
export function valueAt(state, ply, findings) {
  const best = findings?.lines[0];
  if (best && isKnown(best)) return { value: best, by: findings.by };
  for (let back = ply; back > Math.max(0, ply - 2); back -= 1) {
    const { note } = state.moves[back - 1];
    if (note && isKnown(note)) return { value: note, by: state.sides[positionAt(state, back - 1).turn].name };
  }
  return null;
}

/* Whether a value says anything. */
export function isKnown({ value, plies_to_win: wins }) {
  return (value !== null && value !== undefined) || Boolean(wins);
}

/* The share of the bar that is White's. */
export function shareOf({ value, plies_to_win: wins }) {
  return wins ? (wins > 0 ? 1 : 0) : 0.5 + 0.5 * Math.tanh(value / SLOPE);
}

/** The colours that persons play. @param {GameState} state */
export function personsOf({ sides }) {
  return COLOURS.filter((colour) => sides[colour].person);
}

/**
 * The position after so many plies, with the side to move, and points where the score decides.
 * @param {GameState} state
 * @param {number} ply
 * @returns {Position & {points?: Points|null}}
 */
export function positionAt(state, ply) {
  return ply ? state.moves[ply - 1] : state.start;
}

/**
 * Whether Black is below, as long as nobody turns the board: one person has the own side below; of two, who began;
 * without a person, or where row 0 is always on top, White is below.
 * @param {GameState} state
 */
export function isBlackBelow(state) {
  const persons = personsOf(state);
  const below = persons.length === 2 ? state.first : persons[0] ?? "white";
  return below === "black" && !state.upright;
}

/* What a position is known by: how it came about, so that a move taken back does not mix it up with another. */
export function keyOf({ game, start, moves }, ply) {
  return [game, start.fen, ...moves.slice(0, ply).map(({ text }) => text)].join(" ");
}

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

function two(number) {
  return String(number).padStart(2, "0");
}
