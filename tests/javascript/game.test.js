/* A game at the board: what its state means, in words and as PDN. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { changed, clockText, isBlackBelow, personsOf, shareOf, swapped, valueAt } from "../../arena/web/page/state.js";

const turn = (text, more = {}) => ({
  text, squares: { origin: 11, target: 15, captured: [] }, path: [11, 15], turn: "white", pieces: `after ${text}`, crowned: false, seconds: 0, note: null, ...more,
});
const seats = (white, black) => ({ request: { white, black } });
const state = (more = {}) => ({
  game: "g", variant: "english", first: "black", turn: "black", start: { fen: "B:W32:B1", turn: "black", pieces: "start" },
  names: { white: "level 3", black: "ann" }, ...seats("level-3", "human"), moves: [], legal: [], analysis: null, ...more,
});

test("a person has the own side below; of two, who began", () => {
  assert.equal(isBlackBelow(state()), true);
  assert.equal(isBlackBelow(state({ upright: true })), false);
  assert.equal(isBlackBelow(state(seats("human", "level-3"))), false);
  assert.equal(isBlackBelow(state(seats("level-3", "level-3"))), false);
  const two = state(seats("human", "human"));
  assert.deepEqual([personsOf(two), isBlackBelow(two)], [["white", "black"], true]);
});

test("colours are swapped with the seconds of their players", () => {
  const request = { variant: "english", draws: false, white: "level-3", black: "human", seconds: { white: 2.5, black: null } };
  assert.deepEqual(swapped(request), { ...request, white: "human", black: "level-3", seconds: { white: null, black: 2.5 } });
});

test("a position is worth what its analysis found, else what a player saw within a move", () => {
  const note = (value) => turn("x", { note: { value, plies_to_win: 0 } });
  const played = state({ moves: [note(1), turn("y"), turn("z")] });
  assert.deepEqual([0, 1, 2, 3].map((ply) => valueAt(played, ply)?.value.value), [undefined, 1, 1, undefined]);
  const found = (ply, ...lines) => valueAt({ ...played, analysis: { ply, by: "neural", lines } }, 1);
  const [best, unknown] = [{ value: 2, plies_to_win: 0 }, { value: null, plies_to_win: 0 }];
  assert.deepEqual(found(1, best), { value: best, by: "neural" });
  assert.deepEqual([found(1, unknown), found(1), found(2, best)].map(({ value }) => value.value), [1, 1, 1]);
});

test("the bar is full where a win is certain, half where nobody is ahead", () => {
  assert.deepEqual([{ value: null, plies_to_win: 7 }, { value: null, plies_to_win: -7 }, { value: 0, plies_to_win: 0 }].map(shareOf), [1, 0, 0.5]);
});

test("what has changed of a state keeps its other parts and the moves before", () => {
  const move = (text, path, captured = []) => ({ text, path, captured, crowned: false });
  const first = changed(null, { ...state(), start: { pieces: "bb.w", turn: "black" }, moves: [move("2-3", [2, 3])] });
  const second = changed(first, { kept: 1, moves: [move("4x2", [4, 2], [3])], turn: "black" });
  assert.deepEqual(second.moves.map(({ pieces, turn: next }) => [pieces, next]), [["b.bw", "white"], ["bw..", "black"]]);
  assert.deepEqual([second.moves[0], second.variant, changed(second, { kept: 0, moves: [] }).moves], [first.moves[0], "english", []]);
});

test("a clock shows hours, and is 0:00 only where no time is left", () => {
  assert.deepEqual([3725, 245.9, 20, 0.2, 0, -1].map(clockText), ["1:02:05", "4:06", "0:20", "0:01", "0:00", "0:00"]);
});
