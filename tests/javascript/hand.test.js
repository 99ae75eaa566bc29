/* A person's move, picked on a board that only notes what it is to show. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Hand } from "../../arena/web/page/hand.js";

/* A hand with these moves, {text: paths}, and what it did. */
function handWith(moves) {
  const done = [];
  const board = { signs: {}, pieces: "" };
  const hand = new Hand({
    draw: (pieces, signs) => Object.assign(board, { pieces, signs }),
    move: (text, skip) => done.push([text, skip]), say: (text) => done.push(text), choice: (texts) => done.push(texts),
  });
  const legal = Object.entries(moves).map(([text, paths]) => ({ text, paths, captured: text.includes("x") ? [2] : [] }));
  hand.offer({ pieces: "bb..w.", turn: "black", legal });
  return { hand, board, done };
}

test("a piece and its target are a move", () => {
  const { hand, board, done } = handWith({ "1-3": [[1, 3]], "1-4": [[1, 4]] });
  assert.deepEqual(board.signs.movable, [1]);
  hand.pick(1);
  assert.deepEqual([board.signs.chosen, board.signs.ends], [[1], [3, 4]]);
  hand.pick(4);
  assert.deepEqual(done, [["1-4", 0]]);
});

test("a piece that cannot move says why, and another square puts it back", () => {
  const { hand, done } = handWith({ "1x3": [[1, 3]] });
  hand.pick(2);
  assert.match(done[0], /^A capture is compulsory/);
  hand.pick(1);
  hand.pick(6);
  assert.deepEqual(hand.steps, []);
});

test("a capture is told by its end where that is clear, else square by square", () => {
  const moves = { "1x5": [[1, 3, 5]], "1x6": [[1, 3, 6], [1, 4, 6]] };
  const clear = handWith(moves);
  clear.hand.pick(1);
  clear.hand.pick(5);
  assert.deepEqual(clear.done, [["1x5", 0]]);
  const stepwise = handWith(moves);
  for (const number of [1, 3]) stepwise.hand.pick(number);
  assert.deepEqual([stepwise.done, stepwise.board.pieces], [[], ".bb.w."]);
  stepwise.hand.pick(6);
  assert.deepEqual(stepwise.done, [["1x6", 1]]);
});

test("moves that end on the same square are asked about", () => {
  const { hand, done } = handWith({ "1x3x6": [[1, 3, 6]], "1x4x6": [[1, 4, 6]] });
  hand.pick(1);
  hand.pick(6);
  assert.deepEqual(done, [["1x3x6", "1x4x6"]]);
});

test("a piece that is dropped has been seen to walk, and on a square that it cannot reach it goes back", () => {
  const { hand, board, done } = handWith({ "1-3": [[1, 3]] });
  assert.deepEqual([hand.holds(1), hand.holds(2), hand.holds(5)], [true, false, false]);
  hand.lift(1);
  hand.pick(6, true);
  assert.deepEqual([hand.steps, board.pieces], [[], "bb..w."]);
  hand.lift(1);
  hand.pick(3, true);
  assert.deepEqual([done, board.pieces], [[["1-3", 1]], ".bb.w."]);
});
