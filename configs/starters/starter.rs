// English draughts by the Hub protocol: a player that looks one move ahead. Make `choose` look further.
// A position has 46 cells. Cell 0 is the side to move, W or B; squares 1 to 32 are cells 6 to 40, with a blank cell
// after every eight, so that the neighbours of a square are always 4 and 5 cells before and after it.
// A square has a man, w or b, a king, W or B, or e, nothing. A move is a text: 9-13, or 9x18x14, the captured last.
use std::io::{stdin, BufRead};

type Position = [char; 46];
const STEPS: [i32; 4] = [-5, -4, 4, 5];

fn cell_of(square: usize) -> usize { square + 5 + (square - 1) / 8 }
fn square_of(cell: usize) -> usize { cell - 5 - (cell - 6) / 9 }
fn side_of(piece: char) -> char { piece.to_ascii_uppercase() }
fn other(side: char) -> char { if side == 'W' { 'B' } else { 'W' } }

/// Adds the moves of a piece that has come from one cell to another, where a capture goes on as long as it can.
fn add_moves(position: &Position, from: usize, at: usize, captured: &str, moves: &mut Vec<String>) {
    let (before, piece) = (moves.len(), position[at]);
    for step in STEPS {
        let (near, far) = ((at as i32 + step) as usize, (at as i32 + 2 * step) as usize);
        if piece == (if step < 0 { 'b' } else { 'w' }) { continue; } // a man moves forward only
        if side_of(position[near]) == other(position[0]) && position[far] == 'e' {
            let mut next = *position;
            (next[at], next[near], next[far]) = ('e', 'e', piece);
            add_moves(&next, from, far, &format!("{captured}x{}", square_of(near)), moves);
        } else if position[near] == 'e' && captured.is_empty() {
            moves.push(format!("{}-{}", square_of(from), square_of(near)));
        }
    }
    if !captured.is_empty() && moves.len() == before {
        moves.push(format!("{}x{}{captured}", square_of(from), square_of(at)));
    }
}

/// All legal moves: captures alone, if there are any.
fn legal_moves(position: &Position) -> Vec<String> {
    let mut moves = Vec::new();
    for cell in cell_of(1)..=cell_of(32) {
        if side_of(position[cell]) == position[0] { add_moves(position, cell, cell, "", &mut moves); }
    }
    if moves.iter().any(|text| text.contains('x')) { moves.retain(|text| text.contains('x')); }
    moves
}

/// The position after a move.
fn play(position: &Position, text: &str) -> Position {
    let cells: Vec<usize> = text.split(['-', 'x']).map(|square| cell_of(square.parse().unwrap())).collect();
    let (from, to, piece, mut next) = (cells[0], cells[1], position[cells[0]], *position);
    next[from] = 'e';
    for &cell in &cells[2..] { next[cell] = 'e'; }
    let is_crowned = if piece == 'w' { to <= cell_of(4) } else { to >= cell_of(29) };
    next[to] = if is_crowned { piece.to_ascii_uppercase() } else { piece };
    next[0] = other(position[0]);
    next
}

/// What a position is worth to its side to move.
fn evaluate(position: &Position) -> i32 {
    let mut value = 0;
    for &piece in &position[1..] {
        let worth = if piece.is_uppercase() { 150 } else { 100 };
        if side_of(piece) == position[0] { value += worth; }
        if side_of(piece) == other(position[0]) { value -= worth; }
    }
    value
}

/// The first of the moves after which the position is worth least to the other side.
fn choose(position: &Position) -> Option<String> {
    legal_moves(position).into_iter().min_by_key(|text| evaluate(&play(position, text)))
}

/// A position from the text of Hub: the side to move, then a letter for each square.
fn parse(text: &str) -> Position {
    let mut position = [' '; 46];
    for (square, piece) in text.chars().enumerate().skip(1) { position[cell_of(square)] = piece; }
    position[0] = text.chars().next().unwrap();
    position
}

fn main() {
    let mut position = [' '; 46];
    for line in stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split([' ', '=', '"']).filter(|word| !word.is_empty()).collect();
        match words.first() { // words are such as pos, pos, BbbbeeWe..., moves, 1-5, 32-27
            Some(&"hub") => {
                println!("id name=starter version=1.0 author=\"\" country=\"\"");
                println!("param name=variant value=english type=enum values=english\nwait");
            }
            Some(&"init") => println!("ready"),
            Some(&"pos") => position = words.iter().skip(4).fold(parse(words[2]), |before, text| play(&before, text)),
            Some(&"go") => println!("done move={}", choose(&position).unwrap()),
            Some(&"ping") => println!("pong"),
            Some(&"quit") => break,
            _ => {} // `new-game` and `level` need no answer; the words after `level` are the limit, such as depth, 6
        }
    }
}
