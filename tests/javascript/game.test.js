/* A game at the board: what its state means, in words and as PDN. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { changed, clockText, goesOn, isBlackBelow, keyOf, personsOf, shareOf, swapped, valueAt } from "../../arena/web/page/game_state.js";

const turn = (text, more = {}) => ({
  text, squares: { origin: 11, target: 15, captured: [] }, path: [11, 15], turn: "white", pieces: `after ${text}`, crowned: false, seconds: 0, note: null, ...more,
});
const person = { key: "human", name: "human", person: true };
const level = { key: "level-3", name: "level 3", person: false };
const state = (more = {}) => ({
  game: "g", variant: "english", first: "black", turn: "black", start: { fen: "B:W32:B1", turn: "black", pieces: "start" },
  sides: { white: level, black: person }, moves: [], legal: [], thinking: false, paused: false, outcome: null,
  failure: "", ...more,
});

test("a person has the own side below; of two, who began", () => {
  assert.equal(isBlackBelow(state()), true);
  assert.equal(isBlackBelow(state({ upright: true })), false);
  assert.equal(isBlackBelow(state({ sides: { white: person, black: level } })), false);
  assert.equal(isBlackBelow(state({ sides: { white: level, black: level } })), false);
  const two = state({ sides: { white: person, black: person }, turn: "white" });
  assert.deepEqual([personsOf(two), isBlackBelow(two)], [["white", "black"], true]);
});

test("colours are swapped with the seconds of their players", () => {
  const request = { variant: "english", draws: false, white: "level-3", black: "human", seconds: { white: 2.5, black: null } };
  assert.deepEqual(swapped(request), { ...request, white: "human", black: "level-3", seconds: { white: null, black: 2.5 } });
});

test("a state goes on from one whose moves it begins with", () => {
  const [one, two, other] = [["a"], ["a", "b"], ["c", "b"]].map((texts) => state({ moves: texts.map((text) => turn(text)) }));
  assert.deepEqual([goesOn(one, two), goesOn(two, one), goesOn(one, other)], [true, false, false]);
  assert.notEqual(keyOf(one, 1), keyOf(other, 1));
  assert.equal(keyOf(one, 1), keyOf(two, 1));
});

test("a position is worth what its analysis found, else what a player saw within a move", () => {
  const note = (value) => turn("x", { note: { value, plies_to_win: 0 } });
  const played = state({ moves: [note(1), turn("y"), turn("z")] });
  assert.deepEqual([0, 1, 2, 3].map((ply) => valueAt(played, ply)?.value.value), [undefined, 1, 1, undefined]);
  assert.deepEqual(valueAt(played, 1, { lines: [{ value: 2, plies_to_win: 0 }], by: "neural" }), { value: { value: 2, plies_to_win: 0 }, by: "neural" });
  assert.equal(valueAt(played, 1, { lines: [{ value: null, plies_to_win: 0 }] }).value.value, 1);
  assert.equal(valueAt(played, 1, { lines: [] }).value.value, 1);
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

test("a clock shows hours, and tenths when few seconds are left", () => {
  assert.deepEqual([3725, 245.9, 20, 19.96, 9.54, -1].map(clockText), ["1:02:05", "4:05", "0:20", "0:20.0", "0:09.5", "0:00.0"]);
});
