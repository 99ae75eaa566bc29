/* The documents that the server sends, as types: arena/web/documents.py has what they mean. Nothing here is run. */

/** @import { Look } from "../../report/viewer/board.js" */
/** @import { Ply, Points, Step } from "../../report/viewer/ply.js" */

/** @typedef {"white"|"black"} Colour */
/** @typedef {{fen: string, pieces: string, points: Points|null, turn: Colour}} PositionDocument with points where they decide */
/** @typedef {{svg: string, look: Look, start: PositionDocument}} BoardDocument */

/** @typedef {{variants: VariantOffered[], players: PlayerOffered[]}} Offer */
/** @typedef {{name: string, base: string, about: string, usual: string, first: Colour, columns: number, rows: number, draws: boolean, upright: boolean}} VariantOffered */
/** @typedef {{key: string, name: string, group: string, about: string, variants: string[]|null, seconds: number|null}} PlayerOffered */

/** @typedef {{text: string, paths: number[][], captured: number[]}} LegalMove */

/**
 * A game at the board; `error` says why what the window asked was not done, `request` asks for another game as this one.
 * @typedef {{game: string, version: number, headline: string, subline: string, variant: string, undrawn: boolean,
 *   upright: boolean, first: Colour, turn: Colour, fen: string, start: PositionDocument, names: Record<Colour, string>,
 *   request: GameRequest, moves: Ply[], legal: LegalMove[], thinking: boolean, paused: boolean, lines: number,
 *   analysis: Findings|null, hint: Findings|null, outcome: {result: string, termination: string}|null,
 *   clocks: Record<Colour, number>|null, running: boolean, pdn: string, error: string}} GameState
 */

/**
 * What POST /api/games takes: rules, players and their seconds per move, clock, and what it begins from.
 * @typedef {{variant: string, draws: boolean, white: string, black: string, seconds: Partial<Record<Colour, number|null>>,
 *   clock?: {seconds: number, increment: number}, fen?: string}} GameRequest
 */

/** @typedef {{value: number|null, plies_to_win: number, text: string, sentence: string}} Value */
/** @typedef {Value & {known: "win"|"draw"|"loss"|null, moves: Step[], path: number[]}} Line */
/**
 * The findings of an analysis of the position after so many plies, by the evaluation `by`.
 * @typedef {{ply: number, by: string, done: boolean, depth: number, nodes: number, seconds: number, lines: Line[], failure?: string}} Findings
 */

export {};
