/* The list of games of a report. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { chosen, listOf } from "../../arena/report/viewer/games.js";

const GAMES = listOf({
  id: ["1a", "2b", "3c", "4d"], white: ["a", "b", "a", "c"], black: ["b", "a", "c", "a"], about: ["", "", "", "x"], opening: [1, 1, 2, 2],
  result: ["white", "white", "draw", "black"], end: ["no moves", "no moves", "repetition", "no moves"],
  points: [null, null, null, { white: 2, black: 7 }], plies: [40, 60, 20, 60], swing: [2.5, null, 9, 2.5], error: ["", "", "", "ended"],
});
const places = (form) => chosen(GAMES, form).map(({ place }) => place + 1);

test("columns become games", () => {
  assert.deepEqual(GAMES[3], {
    place: 3, id: "4d", white: "c", black: "a", about: "x", opening: 2, result: "black", end: "no moves", points: { white: 2, black: 7 }, plies: 60, swing: 2.5, error: "ended",
  });
});

test("games are in the order that is asked for, equal ones as in the list, and those without a swing last", () => {
  assert.deepEqual(places({}), [3, 1, 4, 2]);
  assert.deepEqual(places({ order: "opening" }), [1, 2, 3, 4]);
  assert.deepEqual(places({ order: "shortest" }), [3, 1, 2, 4]);
});

test("each filter leaves out the others", () => {
  assert.deepEqual(places({ player: "a", opponent: "b", order: "opening" }), [1, 2]);
  assert.deepEqual(places({ opponent: "c", order: "opening" }), [3, 4]);
  assert.deepEqual(places({ player: "b", opponent: "b", order: "opening" }), [1, 2]);
  assert.deepEqual(places({ end: "repetition" }), [3]);
  assert.deepEqual(places({ result: "white", order: "opening" }), [1, 2]);
});

test("won and lost are the player's", () => {
  assert.deepEqual(places({ player: "a", result: "won", order: "opening" }), [1, 4]);
  assert.deepEqual(places({ player: "a", result: "lost", order: "opening" }), [2]);
});
