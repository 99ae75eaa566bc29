/* A run in words. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, dateText, eloText, farText, incidentText, pathOf, rateText, spanText, testText } from "../../arena/web/page/run_words.js";

const RUN = { games: 1200, planned: 4000, exact: true, complete: false, playing: true, rate: 2, seconds_left: 1400, format: "round_robin" };

test("Elo has half of its interval behind it, if that is not nothing", () => {
  assert.equal(eloText({ elo: -12.4, elo_low: -32, elo_high: 8 }), "−12\u00a0±\u00a020");
  assert.equal(eloText({ elo: 0.2, elo_low: 0, elo_high: 0.4 }), "0");
  assert.equal(eloText({ elo: 5, elo_low: null, elo_high: null }), "+5");
  assert.equal(eloText({ elo: null }), "");
});

test("spans have their two largest units", () => {
  assert.deepEqual([-1, 59, 65, 700, 3700, 90000].map(spanText).map((text) => text.replaceAll("\u00a0", " ")),
    ["0 s", "59 s", "1 min 5 s", "11 min", "1 h 1 min", "1 d 1 h"]);
});

test("slow games are counted by the minute", () => {
  assert.deepEqual([12.345, 0.5].map(rateText), ["12.3\u00a0games/s", "30\u00a0games/min"]);
});

test("how far a run is depends on who plays it", () => {
  const text = (more) => farText({ ...RUN, ...more }).replaceAll("\u00a0", " ").replaceAll("\u202f", " ");
  assert.equal(text({}), "1 200 of 4 000 games, 2 games/s, 23 min left");
  assert.equal(text({ exact: false, rate: null }), "1 200 of at most 4 000 games, at most 23 min left");
  assert.equal(text({ playing: null }), "1 200 of 4 000 games, perhaps being played elsewhere");
  assert.equal(text({ playing: false }), "1 200 of 4 000 games, no process is playing it");
  assert.equal(text({ complete: true, games: 1 }), "complete, 1 game");
  assert.equal(text({ format: "free" }), "1 200 games at the board");
});

test("a sequential test and what went wrong are said with their numbers", () => {
  assert.equal(testText({ llr: -1.234, lower: -2.94, upper: 2.94, pairs: 1, verdict: "H0" }), "SPRT: LLR −1.23 of −2.94 (H0) to 2.94 (H1), 1 pair, H0 accepted");
  assert.equal(incidentText({ games: 2, termination: "illegal_move", first: 7, error: "" }), " lost 2\u00a0games by illegal move, first game 7");
});

test("addresses keep names whole, paths keep their folders", () => {
  assert.equal(addressOf("a/b c", "game", 3), "#/run/a%2Fb%20c/game/3");
  assert.equal(pathOf("a/b c", "games"), "/api/runs/a/b%20c/games");
  assert.equal(dateText("2026-11-22T20:45:36"), "2026\u201111\u201122 20:45\u00a0UTC");
});
