/* A game at the board: what its state means, in words and as PDN. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { goesOn, isBlackBelow, isChanged, keyOf, moverOf, personsOf, pointsAt, positionAt, requestOf, swapped, valueAt } from "../../arena/web/page/game_state.js";
import { clockText, counted, headlineOf, hintText, newsText, shareOf, sublineOf, valueText } from "../../arena/web/page/game_words.js";

const turn = (text, more = {}) => ({
  text, squares: { origin: 11, target: 15, captured: [] }, path: [11, 15], pieces: `after ${text}`, crowned: false, seconds: 0, note: null, ...more,
});
const person = { key: "human", name: "human", person: true };
const level = { key: "level-3", name: "level 3", person: false };
const state = (more = {}) => ({
  game: "g", variant: "english", first: "black", turn: "black", start: { fen: "B:W32:B1", turn: "black", pieces: "start" },
  sides: { white: level, black: person }, moves: [], legal: [], must_capture: false, thinking: false, paused: false, outcome: null,
  failure: "", ...more,
});

test("the mover follows from who began", () => {
  assert.deepEqual([1, 2, 3].map((ply) => moverOf(state(), ply)), ["black", "white", "black"]);
  assert.equal(moverOf(state({ start: { fen: "W:W32:B1", turn: "white" } }), 1), "white");
});

test("a position is that after so many plies, with who is to move", () => {
  const played = state({ moves: [turn("11-15")] });
  assert.deepEqual(positionAt(played, 0), { pieces: "start", turn: "B" });
  assert.deepEqual(positionAt(played, 1), { pieces: "after 11-15", turn: "W" });
});

test("a person has the own side below; of two, who began or who is to move", () => {
  assert.equal(isBlackBelow(state(), false), true);
  assert.equal(isBlackBelow(state({ upright: true }), false), false);
  assert.equal(isBlackBelow(state({ sides: { white: person, black: level } }), true), false);
  assert.equal(isBlackBelow(state({ sides: { white: level, black: level } }), true), false);
  const two = state({ sides: { white: person, black: person }, turn: "white" });
  assert.deepEqual(personsOf(two), ["white", "black"]);
  assert.deepEqual([false, true].map((follows) => isBlackBelow(two, follows)), [true, false]);
});

test("another game as this one has its players, their seconds, and its draws or not", () => {
  const timed = { ...level, seconds: 2.5 };
  const played = state({ variant: "english (no draws)", draws: false, sides: { white: timed, black: { ...person, seconds: null } }, clock: null, pace: 1 });
  const request = { variant: "english", draws: false, white: "level-3", black: "human", seconds: { white: 2.5, black: null }, pace: 1 };
  assert.deepEqual(requestOf(played), request);
  assert.deepEqual(swapped(request), { ...request, white: "human", black: "level-3", seconds: { white: null, black: 2.5 } });
  assert.deepEqual(requestOf({ ...played, variant: "english", draws: true, clock: { seconds: 60, increment: 0 } }).clock, { seconds: 60, increment: 0 });
});

test("rules are changed if more than their draws are switched off", () => {
  assert.deepEqual([["english", true], ["english (no draws)", false], ["english (no draws)", true]].map(([variant, draws]) => isChanged({ variant, draws })), [false, false, true]);
});

test("a state goes on from one whose moves it begins with", () => {
  const [one, two, other] = [["a"], ["a", "b"], ["c", "b"]].map((texts) => state({ moves: texts.map((text) => turn(text)) }));
  assert.deepEqual([goesOn(one, two), goesOn(two, one), goesOn(one, other)], [true, false, false]);
  assert.notEqual(keyOf(one, 1), keyOf(other, 1));
  assert.equal(keyOf(one, 1), keyOf(two, 1));
});

test("a position is worth what its analysis found, else what a player saw within a move", () => {
  const note = (value) => turn("x", { note: { value, plies_to_win: 0 } });
  const played = state({ moves: [note(1), turn("y"), turn("z")] });
  assert.deepEqual([0, 1, 2, 3].map((ply) => valueAt(played, ply)?.value.value), [undefined, 1, 1, undefined]);
  assert.deepEqual(valueAt(played, 1, { lines: [{ value: 2, plies_to_win: 0 }], by: "neural" }), { value: { value: 2, plies_to_win: 0 }, by: "neural" });
  assert.equal(valueAt(played, 1, { lines: [{ value: null, plies_to_win: 0 }] }).value.value, 1);
  assert.equal(valueAt(played, 1, { lines: [] }).value.value, 1);
});

test("the bar is full where a win is certain, half where nobody is ahead", () => {
  assert.deepEqual([{ value: null, plies_to_win: 7 }, { value: null, plies_to_win: -7 }, { value: 0, plies_to_win: 0 }].map(shareOf), [1, 0, 0.5]);
  assert.deepEqual([{ plies_to_win: 7 }, { plies_to_win: -7 }, { value: -1.25, plies_to_win: 0 }].map(valueText), ["+#7", "−#7", "−1.3"]);
});

test("a clock shows hours, and tenths when few seconds are left", () => {
  assert.deepEqual([3725, 245.9, 20, 19.96, 9.54, -1].map(clockText), ["1:02:05", "4:05", "0:20", "0:20.0", "0:09.5", "0:00.0"]);
});

test("the headline says whose move it is, and who won", () => {
  const two = { white: person, black: person };
  assert.equal(headlineOf(state()), "Your move");
  assert.equal(headlineOf(state({ turn: "white", thinking: true })), "Level 3 is thinking …");
  assert.equal(headlineOf(state({ turn: "white", paused: true })), "Paused");
  assert.equal(headlineOf(state({ sides: two })), "Black to move");
  const won = { result: "black", termination: "no_moves", text: "Black wins: White has no move" };
  assert.equal(headlineOf(state({ outcome: won })), "You win");
  assert.equal(headlineOf(state({ outcome: { ...won, result: "white" } })), "You lose");
  assert.equal(headlineOf(state({ outcome: won, sides: two })), "Black wins");
});

test("below the headline stand failures, the end, and what has to be played", () => {
  const legal = ["a", "b", "c", "d", "e"].map((text) => ({ text, paths: [[1, 2]], captured: [] }));
  assert.equal(sublineOf(state({ failure: "it broke" })), "it broke");
  assert.equal(sublineOf(state({ legal, must_capture: true })), "A capture is compulsory: a, b, c, d …");
  assert.equal(sublineOf(state({ legal: legal.slice(0, 1) })), "The only legal move is a.");
  assert.equal(sublineOf(state({ turn: "white", paused: true })), "Go on when you like.");
  assert.equal(sublineOf(state({ legal })), "");
  const pass = { text: "pass", paths: [[]], captured: [] };
  const two = { white: person, black: person };
  assert.equal(sublineOf(state({ legal: [pass] })), "You have no move and must pass.");
  assert.equal(sublineOf(state({ legal: [pass], sides: two, turn: "white" })), "White has no move and must pass.");
  const passed = turn("pass", { squares: { origin: 0, target: 0, captured: [] }, white: true });
  assert.equal(sublineOf(state({ moves: [passed], legal })), "White has no move and passes.");
  assert.equal(sublineOf(state({ moves: [passed], legal: legal.slice(0, 1) })), "White has no move and passes. The only legal move is a.");
});

test("each ply has its points where they decide", () => {
  const points = (white, black) => ({ points: { white, black } });
  const played = state({ start: { fen: "", turn: "black", pieces: "", ...points(12, 12) }, moves: [turn("a", points(12, 13))] });
  assert.deepEqual([pointsAt(played, 0), pointsAt(played, 1)], [{ white: 12, black: 12 }, { white: 12, black: 13 }]);
  assert.equal(pointsAt(state({ moves: [turn("a")] }), 1), null);
  assert.deepEqual([1, 2].map((number) => counted(number, "point")), ["1\u00a0point", "2\u00a0points"]);
});

test("what was played since is read aloud", () => {
  const move = turn("11x18", { squares: { origin: 11, target: 18, captured: [15] }, crowned: true });
  assert.equal(newsText(state(), state({ moves: [move] })), "Black: 11 takes to 18, takes one piece, crowned.");
  assert.equal(newsText(state({ moves: [move] }), state()), "Taken back.");
  assert.equal(newsText(state(), state()), "");
  assert.equal(newsText(state(), state({ moves: [turn("pass", { squares: { origin: 0, target: 0, captured: [] } })] })), "Black has no move and passes.");
  const outcome = { result: "draw", termination: "agreed", text: "Draw: agreed" };
  assert.equal(newsText(state(), state({ outcome })), "Draw. Draw: agreed.");
});

test("a hint says for whom it is and by whom", () => {
  const hint = { done: true, by: "neural", lines: [{ moves: ["11-15", "22-18"], score: "-0.3" }] };
  assert.equal(hintText(state({ hint })), "Hint by neural: 11-15, −0.3 for Black");
  assert.equal(sublineOf(state({ hint: { ...hint, lines: [] } })), "No hint was found in time.");
});
