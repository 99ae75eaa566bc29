/* The plies of a game, packed and unpacked. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { pointOf, seenBy, unpackedGame } from "../../arena/report/viewer/ply.js";

const NUMBERS = { names: ["1", "2", "3", "4", "5"], capture: "x" };
const STORED = {
  board: "b.w.", turn: "white", fault: "", paths: [[3, 1], [], [1, 4]], captured: [[2], [], []], crowned: [1],
  score: [1.25, null, -0.5], own: [null, 7, null], wins: [null, null, 3], time: [1.5, null, 0.00025], depth: [4, 0, 6], nodes: [100, 0, 2],
};

test("each move walks, captures and crowns, and a pass changes nothing", () => {
  const game = unpackedGame(STORED, NUMBERS);
  const positions = [game.start, ...game.moves].map(({ pieces, turn }) => [pieces, turn]);
  assert.deepEqual(positions, [["b.w.", "white"], ["W...", "black"], ["W...", "white"], ["...W", "black"]]);
  assert.deepEqual(game.moves[0].squares, { origin: 3, target: 1, captured: [2] });
  assert.deepEqual(game.moves[1].squares, { origin: 0, target: 0, captured: [] });
  assert.deepEqual(game.moves.map(({ text, crowned, white }) => [text, crowned, white]), [["3x1", true, true], ["pass", false, false], ["1-4", false, true]]);
});

test("moves have the names of squares, and a position that is set up takes the place of what a move led to", () => {
  const { moves, comment } = unpackedGame({ ...STORED, setups: { 1: ["..w.", "white"] }, comments: { 0: "old" } }, { names: ["a", "b", "c", "d"], capture: ":" });
  assert.deepEqual(moves.map(({ text, white, pieces }) => [text, white, pieces]).slice(0, 2), [["c:a", true, "..w."], ["pass", true, "..w."]]);
  assert.equal(comment, "old");
});

test("scores are men and times seconds, and what is not known stays null", () => {
  const [first, second, third] = unpackedGame(STORED, NUMBERS).moves;
  assert.deepEqual(first.note, { value: 1.25, own: null, plies_to_win: 0, depth: 4, nodes: 100 });
  assert.deepEqual([second.note.value, second.note.own, second.seconds, first.seconds], [null, 7, null, 1.5]);
  assert.equal(third.note.plies_to_win, 3);
});

test("an error has its mark and a better move, other moves have neither", () => {
  const { moves } = unpackedGame({ ...STORED, errors: { 3: ["?", "1-5", [1, 5]] } }, NUMBERS);
  const none = [undefined, undefined, undefined];
  assert.deepEqual(moves.map(({ mark, better, betterPath }) => [mark, better, betterPath]), [none, none, ["?", "1-5", [1, 5]]]);
});

test("a point of the graph has White's view, and a certain win no score", () => {
  assert.deepEqual(pointOf(false, { value: 1.5, plies_to_win: 0 }), { white: false, score: 1.5, wins: null });
  assert.deepEqual(pointOf(true, { value: null, plies_to_win: -4 }), { white: true, score: null, wins: -4 });
  assert.deepEqual(pointOf(false), { white: false, score: null, wins: null });
});

test("what a mover saw has its own view", () => {
  const [first, second, third] = unpackedGame(STORED, NUMBERS).moves;
  assert.deepEqual(seenBy(first), { men: 1.25, own: null, wins: null });
  assert.deepEqual(seenBy(second), { men: null, own: -7, wins: null });
  assert.deepEqual(seenBy({ ...third, white: false }), { men: 0.5, own: null, wins: -3 });
  assert.deepEqual(seenBy({ ...first, note: null }), { men: null, own: null, wins: null });
});
