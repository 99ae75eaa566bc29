/* Addresses of runs, and words about games. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, gamesText, pathOf } from "../../arena/web/page/run_words.js";

test("games are counted in groups of three digits", () => {
  assert.deepEqual([1, 1234].map(gamesText), ["1\u00a0game", "1,234\u00a0games"]);
});

test("addresses keep names whole, paths keep their folders", () => {
  assert.equal(addressOf("a/b c", "game", 3), "#/run/a%2Fb%20c/game/3");
  assert.equal(pathOf("a/b c", "games"), "/api/runs/a/b%20c/games");
});
