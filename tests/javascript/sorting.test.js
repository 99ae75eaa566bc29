/* What the cells of a table sort by. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { compareCells, sortKey } from "../../arena/report/page/sorting.js";

test("cells sort by the numbers that they show", () => {
  const rising = ["−1,234", "−7 to +20", "0", "500 µs", "1.5 ms", "12.5/20", "0.75 (0.5 to 1)", "3/3", "+12 ± 5", "99.9 %", "> 99.9 %", "1,234", "1.3 k", "2 M"];
  const keys = rising.map(sortKey);
  assert.deepEqual(keys, [...keys].sort((a, b) => a - b));
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(["", "anchor", "name"].map(sortKey).every(Number.isNaN));
});

test("numbers stand before text, nothing last, whichever the direction", () => {
  const sorted = (sign) => ["b", "", "3", "−2", "a"].sort((x, y) => compareCells(x, y, sign, false));
  assert.deepEqual(sorted(1), ["−2", "3", "a", "b", ""]);
  assert.deepEqual(sorted(-1), ["3", "−2", "b", "a", ""]);
});
