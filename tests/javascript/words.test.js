/* Numbers, results and positions in words. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { counted, durationText, fenOf, grouped, menText, pointsText, positionText, resultText, unbroken } from "../../arena/report/viewer/words.js";

test("a score in men has a sign unless it is rounded to zero", () => {
  assert.deepEqual([-0.04, 0.04, 0, -0.05, 1.25].map((men) => menText(men, 1)), ["0.0", "0.0", "0.0", "−0.1", "+1.3"]);
});

test("seconds have the unit in which they are read best", () => {
  assert.deepEqual([75, 1, 0.0123, 0.00005].map(durationText), ["75\u00a0s", "1\u00a0s", "12.3\u00a0ms", "50\u00a0µs"]);
});

test("points are White's, then Black's", () => {
  assert.equal(pointsText({ white: 9, black: 7 }), "White 9, Black 7");
});

test("a number stays beside its unit, and beside nothing else", () => {
  assert.equal(unbroken("12 ms of 3 <b> 4 % a 5 man"), "12\u00a0ms of 3 <b> 4\u00a0% a 5 man");
});

test("whole numbers have commas, results are words", () => {
  assert.equal(grouped(1234567), "1,234,567");
  assert.deepEqual([counted(1, "game"), counted(1234, "game"), counted(2, "ply", "plies")], ["1\u00a0game", "1,234\u00a0games", "2\u00a0plies"]);
  assert.deepEqual(["white", "draw", "*"].map(resultText), ["White won", "drawn", "no result"]);
});

test("a position as FEN and in words names kings and empty sides", () => {
  assert.equal(fenOf({ pieces: "b.Wb", turn: "white" }), "W:WK3:B1,4");
  assert.equal(fenOf({ pieces: "b.Wb", turn: "white" }, ["a1", "c1", "e1", "g1"]), "W:WKe1:Ba1,g1");
  assert.equal(positionText({ pieces: "b.Wb", turn: "black" }), "Black to move. White: king 3. Black: 1, 4.");
  assert.equal(positionText({ pieces: "..w.", turn: "white" }), "White to move. White: 3. Black: none.");
});
