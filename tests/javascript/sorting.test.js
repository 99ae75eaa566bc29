/* The order of a table's rows. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { compareCells } from "../../arena/report/page/sorting.js";

const CELLS = [["b", null], ["", null], ["3", 3], ["−2", -2], ["a 10", null], ["a 9", null], ["2 k", 2000]].map(([text, value]) => ({ text, value }));
const sorted = (sign) => [...CELLS].sort((x, y) => compareCells(x, y, sign)).map(({ text }) => text);

test("numbers stand before text, nothing last, whichever the direction", () => {
  assert.deepEqual(sorted(1), ["−2", "3", "2 k", "a 9", "a 10", "b", ""]);
  assert.deepEqual(sorted(-1), ["2 k", "3", "−2", "b", "a 10", "a 9", ""]);
});
