/* What a key does: actions of the game, but not while a text field has the focus. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { commandOf } from "../../arena/web/page/keys.js";

/* An element that is one of these kinds, or in one: what `closest` asks for by names of elements and types of inputs. */
const inside = (...kinds) => ({ closest: (selector) => (kinds.some((kind) => selector.split(/, (?![^(]*\))/).some((one) => one === kind || (kind === "input" && one.startsWith("input:not")))) ? {} : null) });
const checkbox = { closest: (selector) => (selector.split(", ").includes("input") ? {} : null) };
const board = inside();
const pressed = (key, more = {}) => commandOf({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, target: board, ...more });

test("undo is u, Ctrl+Z and Cmd+Z, and no other mixture of them", () => {
  assert.deepEqual([{}, { ctrlKey: true }, { metaKey: true }].map((more) => pressed(more.ctrlKey || more.metaKey ? "z" : "u", more)), ["undo", "undo", "undo"]);
  assert.equal(pressed("Z", { ctrlKey: true }), "undo");
  for (const more of [{}, { ctrlKey: true, metaKey: true }, { ctrlKey: true, shiftKey: true }, { ctrlKey: true, altKey: true }]) {
    assert.equal(pressed("z", more), undefined);
  }
});

test("a text field keeps its own undo, a list and a button do not", () => {
  assert.equal(pressed("z", { ctrlKey: true, target: inside("input") }), undefined);
  assert.equal(pressed("z", { ctrlKey: true, target: inside("textarea") }), undefined);
  assert.equal(pressed("z", { ctrlKey: true, target: inside("select") }), "undo");
  assert.equal(pressed("z", { metaKey: true, target: inside("button") }), "undo");
});

test("keys of the browser and of what has the focus are left to them", () => {
  assert.equal(pressed("u", { ctrlKey: true }), undefined);
  assert.equal(pressed("u", { target: inside("input") }), undefined);
  assert.equal(pressed(" ", { target: inside("button") }), undefined);
  assert.equal(pressed(" "), "pause");
  assert.deepEqual(["u", " "].map((key) => pressed(key, { target: checkbox })), ["undo", undefined]);
});
