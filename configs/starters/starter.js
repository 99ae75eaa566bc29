// English draughts by the Hub protocol: a player that looks one move ahead. Make `choose` look further.
// A position has 46 cells. Cell 0 is the side to move, W or B; squares 1 to 32 are cells 6 to 40, with a blank cell
// after every eight, so that the neighbours of a square are always 4 and 5 cells before and after it.
// A square has a man, w or b, a king, W or B, or e, nothing. A move is a text: 9-13, or 9x18x14, the captured last.
const STEPS = [-5, -4, 4, 5];
const cellOf = (square) => square + 5 + Math.floor((square - 1) / 8);
const squareOf = (cell) => cell - 5 - Math.floor((cell - 6) / 9);
const sideOf = (piece) => piece.toUpperCase();
const other = (side) => (side === "W" ? "B" : "W");

/** Adds the moves of a piece that has come from one cell to another, where a capture goes on as long as it can. */
function addMoves(position, from, at, captured, moves) {
  const before = moves.length, piece = position[at];
  for (const step of STEPS) {
    const near = at + step, far = near + step;
    if (piece === (step < 0 ? "b" : "w")) continue; // a man moves forward only
    if (sideOf(position[near]) === other(position[0]) && position[far] === "e") {
      const next = [...position];
      [next[at], next[near], next[far]] = ["e", "e", piece];
      addMoves(next, from, far, `${captured}x${squareOf(near)}`, moves);
    } else if (position[near] === "e" && !captured) moves.push(`${squareOf(from)}-${squareOf(near)}`);
  }
  if (captured && moves.length === before) moves.push(`${squareOf(from)}x${squareOf(at)}${captured}`);
}

/** All legal moves: captures alone, if there are any. */
function legalMoves(position) {
  const moves = [];
  for (let cell = cellOf(1); cell <= cellOf(32); cell++) {
    if (sideOf(position[cell]) === position[0]) addMoves(position, cell, cell, "", moves);
  }
  const captures = moves.filter((move) => move.includes("x"));
  return captures.length > 0 ? captures : moves;
}

/** The position after a move. */
function play(position, move) {
  const [from, to, ...captured] = move.split(/[-x]/).map((square) => cellOf(Number(square)));
  const next = [...position], piece = position[from];
  for (const cell of [from, ...captured]) next[cell] = "e";
  next[to] = (piece === "w" ? to <= cellOf(4) : to >= cellOf(29)) ? piece.toUpperCase() : piece;
  next[0] = other(position[0]);
  return next;
}

/** What a position is worth to its side to move. */
function evaluate(position) {
  let value = 0;
  for (const piece of position.slice(1)) {
    const worth = "WB".includes(piece) ? 150 : 100;
    if (sideOf(piece) === position[0]) value += worth;
    if (sideOf(piece) === other(position[0])) value -= worth;
  }
  return value;
}

/** The first of the moves after which the position is worth least to the other side. */
function choose(position) {
  const value = (move) => evaluate(play(position, move));
  return legalMoves(position).reduce((best, move) => (value(move) < value(best) ? move : best));
}

/** A position from the text of Hub: the side to move, then a letter for each square. */
function parse(text) {
  const position = Array(46).fill(" ");
  for (let square = 1; square <= 32; square++) position[cellOf(square)] = text[square];
  position[0] = text[0];
  return position;
}

let position;
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const words = line.split(/[ ="]+/).filter(Boolean); // such as pos, pos, BbbbeeWe..., moves, 1-5, 32-27
  if (words[0] === "hub") {
    console.log('id name=starter version=1.0 author="" country=""');
    console.log("param name=variant value=english type=enum values=english\nwait");
  } else if (words[0] === "init") console.log("ready");
  else if (words[0] === "pos") position = words.slice(4).reduce(play, parse(words[2]));
  else if (words[0] === "go") console.log(`done move=${choose(position)}`);
  else if (words[0] === "ping") console.log("pong");
  else if (words[0] === "quit") process.exit();
}); // `new-game` and `level` need no answer; the words after `level` are the limit, such as depth, 6
