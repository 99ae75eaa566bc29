/* The list of games of a report. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { chosen, listOf } from "../../arena/report/viewer/games.js";

const GAMES = listOf({
  number: [1, 2, 3, 4], white: ["a", "b", "a", "c"], black: ["b", "a", "c", "a"], opening: [1, 1, 2, 2],
  result: ["white", "white", "draw", "black"], end: ["no moves", "no moves", "repetition", "no moves"],
  points: [null, null, null, { white: 2, black: 7 }], plies: [40, 60, 20, 60], swing: [2.5, null, 9, 2.5], error: ["", "", "", "ended"],
});
const numbers = (form) => chosen(GAMES, form).map(({ number }) => number);

test("columns become games", () => {
  assert.deepEqual(GAMES[3], {
    place: 3, number: 4, white: "c", black: "a", opening: 2, result: "black", end: "no moves", points: { white: 2, black: 7 }, plies: 60, swing: 2.5, error: "ended",
  });
});

test("games are in the order that is asked for, equal ones by number, and those without a swing last", () => {
  assert.deepEqual(numbers({}), [3, 1, 4, 2]);
  assert.deepEqual(numbers({ order: "number" }), [1, 2, 3, 4]);
  assert.deepEqual(numbers({ order: "shortest" }), [3, 1, 2, 4]);
});

test("each filter leaves out the others", () => {
  assert.deepEqual(numbers({ player: "a", opponent: "b", order: "number" }), [1, 2]);
  assert.deepEqual(numbers({ opponent: "c", order: "number" }), [3, 4]);
  assert.deepEqual(numbers({ player: "b", opponent: "b", order: "number" }), [1, 2]);
  assert.deepEqual(numbers({ end: "repetition" }), [3]);
  assert.deepEqual(numbers({ result: "white", order: "number" }), [1, 2]);
});

test("won and lost are the player's", () => {
  assert.deepEqual(numbers({ player: "a", result: "won", order: "number" }), [1, 4]);
  assert.deepEqual(numbers({ player: "a", result: "lost", order: "number" }), [2]);
});
