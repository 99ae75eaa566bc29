/* The documents that the server sends, as types: arena/web has what they mean. Nothing here is run. */

/** @import { Look } from "../../report/viewer/board.js" */
/** @import { Ply, Points } from "../../report/viewer/ply.js" */

/** @typedef {"white"|"black"} Colour */

/**
 * A position of arena/web/documents.py; `points` are there where the score decides.
 * @typedef {{fen: string, pieces: string, points: Points|null, turn: Colour}} PositionDocument
 */

/** @typedef {{svg: string, look: Look, start: PositionDocument}} BoardDocument */

/**
 * What is on offer: rule sets, players, the usual opponent of each rule set.
 * @typedef {{variants: VariantOffered[], players: PlayerOffered[], usual: Record<string, string>, runs: boolean}} Offer
 */

/** @typedef {{name: string, base: string, about: string, first: Colour, squares: number, columns: number, rows: number, draws: boolean}} VariantOffered */
/** @typedef {{key: string, name: string, group: string, about: string, variants: string[]|null, seconds: number|null}} PlayerOffered */

/** @typedef {{text: string, paths: number[][], captured: number[]}} LegalMove */

/** @typedef {{key: string, name: string, person: boolean, seconds: number|null}} Side */
/** @typedef {{result: string, termination: string, text: string}} Outcome */

/**
 * A game at the board: `number` grows with all that happens.
 * @typedef {PositionDocument & {type: "state", game: string, number: number, version: number, variant: string, draws: boolean, first: Colour,
 *   start: PositionDocument, sides: Record<Colour, Side>, moves: Ply[], legal: LegalMove[], must_capture: boolean,
 *   thinking: boolean, paused: boolean, pace: number, analysing: number, outcome: Outcome|null, failure: string,
 *   clocks: Record<Colour, number>|null, running: boolean, clock: {seconds: number, increment: number}|null}} GameState
 */

/** @typedef {{score: string, known: "win"|"draw"|"loss"|null, value: number|null, own: number|null, plies_to_win: number, depth: number, moves: string[], path: number[]}} Line */
/** @typedef {{text: string, path: number[], known: "win"|"draw"|"loss"|null, plies: number}} Outlook */
/**
 * @typedef {{type: "analysis", ply: number, depth: number, nodes: number, seconds: number, lines: Line[],
 *   outlook: Outlook[], failure?: string}} Findings
 */
/** @typedef {{type: "thinking", depth: number, nodes: number}} Thinking */

/**
 * What a player has won; `text` has its figures by the columns of the run.
 * @typedef {{player: string, games: number, wins: number, draws: number, losses: number, score: number,
 *   elo: number|null, elo_low: number|null, elo_high: number|null, text: Record<string, string>}} Standing
 */

/**
 * What went wrong; its `text` begins with the player's name.
 * @typedef {{player: string, games: number, termination: string, first: number, error: string, text: string}} Incident
 */

/**
 * What the list of runs says of one, how far it is and what it is about in words; `error` alone where it cannot be read.
 * @typedef {{run: string, games: number, planned: number, complete: boolean, playing: boolean|null, began: string,
 *   about: string, progress: string, leader: Standing|null, error?: string}} RunSummary
 */

/**
 * A run, finished or not.
 * @typedef {RunSummary & {name: string, reported: boolean, standings: Standing[], crosstable: [number, number][][],
 *   incidents: Incident[], columns: string[], test: string, provisional: string}} RunDocument
 */

/**
 * A finished game of a run.
 * @typedef {{start: PositionDocument, moves: Ply[], fault: string, number: number, game: number, last: number, white: string, black: string, opening: number,
 *   result: string, end: string, points: Points|null, plies: number, error: string, variant: string, board: BoardDocument}} GameDocument
 */

export {};
