/* The state of the page, in one place, and what the state of a game means: who plays, what stands where, who is below. */

import { played } from "../../report/viewer/ply.js";

/** @import { Colour, Findings, GameState, Line, PositionDocument } from "./documents.js" */
/** @import { Note, Points, Position } from "../../report/viewer/ply.js" */

/** @type {Colour[]} */
export const COLOURS = ["white", "black"];
export const HUMAN = "human"; // the key of a person
const SLOPE = 4.5; // men at which the bar is three quarters full, about

export const store = {
  /* The game at the board, when its clocks were received, by `performance.now()`, and the ply of it that is looked at. */
  /** @type {GameState|null} */
  game: null,
  received: 0,
  ply: 0,
  /* Whether its board was turned by hand. */
  isTurned: false,
  /* The position that is set up, null for the usual one. */
  /** @type {PositionDocument|null} */
  position: null,
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
 * What is known of a position, from White's view, and by whom: by its analysis, else by what the players saw last,
 * within a move; null if nothing is.
 * @param {GameState} state
 * @param {number} ply
 * @returns {{value: Line|Note, by: string}|null}
 */
export function valueAt(state, ply) {
  const best = findingsAt(state, ply)?.lines[0];
  if (best && isKnown(best)) return { value: best, by: state.analysis.by };
  for (let back = ply; back > Math.max(0, ply - 2); back -= 1) {
    const { note } = state.moves[back - 1];
    if (note && isKnown(note)) return { value: note, by: state.names[positionAt(state, back - 1).turn] };
  }
  return null;
}

/** What the analysis has found after so many plies. @returns {Findings|null} */
export function findingsAt({ analysis }, ply) {
  return analysis?.ply === ply ? analysis : null;
}

/* Whether a value says anything. */
function isKnown({ value, plies_to_win: wins }) {
  return (value ?? null) !== null || Boolean(wins);
}

/* The share of the bar that is White's. */
export function shareOf({ value, plies_to_win: wins }) {
  return wins ? (wins > 0 ? 1 : 0) : 0.5 + 0.5 * Math.tanh(value / SLOPE);
}

/** The colours that persons play. @param {{request: Record<Colour, string>}} state */
export function personsOf({ request }) {
  return COLOURS.filter((colour) => request[colour] === HUMAN);
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
 * @param {{request: Record<Colour, string>, first: Colour, upright: boolean}} state
 */
export function isBlackBelow(state) {
  const persons = personsOf(state);
  const below = persons.length === 2 ? state.first : persons[0] ?? "white";
  return below === "black" && !state.upright;
}

export function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

/* What a clock shows: `1:02:05`, `4:05`. */
export function clockText(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(left / 3600), Math.floor((left % 3600) / 60), left % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
