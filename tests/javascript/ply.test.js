/* The plies of a stored game. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { numbersOf, plies, pointOf } from "../../arena/report/viewer/ply.js";

const STORED = {
  board: "b.w.", turn: "W", fault: "", steps: "3x1=W/2 pass 1-4",
  score: [125, null, -50], own: [null, 7, null], wins: [null, null, 3], time: [1500000, null, 250], depth: [4, 0, 6], nodes: [100, 0, 2],
};

test("each step moves, captures and crowns, and a pass changes nothing", () => {
  assert.deepEqual(plies(STORED).map(({ pieces, turn }) => [pieces, turn]), [["b.w.", "W"], ["W...", "B"], ["W...", "W"], ["...W", "B"]]);
  assert.deepEqual(plies(STORED)[1].move, { origin: 3, target: 1, captured: [2] });
  assert.deepEqual(plies(STORED)[2].move, { origin: 0, target: 0, captured: [] });
});

test("scores are men and times seconds, and what is not known stays null", () => {
  const [, first, second] = plies(STORED);
  assert.deepEqual([first.score, first.own, first.wins, first.seconds], [1.25, null, null, 1.5]);
  assert.deepEqual([second.score, second.own, second.seconds], [null, 7, null]);
});

test("a game without moves has its start alone", () => {
  assert.equal(plies({ ...STORED, steps: "" }).length, 1);
});

test("a point of the graph has White's view, whoever saw it", () => {
  assert.deepEqual(pointOf(true, { score: 1.5, wins: null }), { white: true, score: 1.5, wins: null });
  assert.deepEqual(pointOf(false, { score: 1.5, wins: 4 }), { white: false, score: -1.5, wins: -4 });
  assert.deepEqual(pointOf(false), { white: false, score: null, wins: null });
});

test("the squares of a move's text are its numbers", () => {
  assert.deepEqual(["11-15", "3x10x19", "pass"].map(numbersOf), [[11, 15], [3, 10, 19], []]);
});
