/* What the state of a game at the board means: who is to move, what stands where, who is below. */

/** @import { Colour, Findings, GameState, Line } from "./documents.js" */
/** @import { Note, Points, Position } from "../../report/viewer/ply.js" */

/** @type {Colour[]} */
export const COLOURS = ["white", "black"];

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
 * Whether Black is below, as long as nobody turns the board: one person has the own side below; of two, who began, or
 * who is to move if the board `follows`; without a person, or where row 0 is always on top, White is below.
 * @param {GameState} state
 * @param {boolean} follows
 */
export function isBlackBelow(state, follows) {
  const persons = personsOf(state);
  if (state.upright && !follows) return false;
  const below = persons.length === 2 ? (follows ? state.turn : state.first) : persons[0] ?? "white";
  return below === "black";
}

/* What a position is known by: how it came about, so that a move taken back does not mix it up with another. */
export function keyOf({ game, start, moves }, ply) {
  return [game, start.fen, ...moves.slice(0, ply).map(({ text }) => text)].join(" ");
}
