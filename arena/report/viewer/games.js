"use strict";

/* The games inside the page, as arena/report/viewer/games.py packs them: a list of all, and blocks of their moves. */
(function (arena) {
  class Games {
    /* `data` is {listed, blocks, atOnce}; call `open` before anything else. */
    constructor(data) {
      this.data = data;
      this.blocks = new Map();
    }

    async open() {
      const index = await unpacked(this.data.listed);
      this.players = index.players;
      this.list = index.game.map((number, place) => ({
        place, number,
        white: index.players[index.white[place]],
        black: index.players[index.black[place]],
        opening: index.opening[place],
        result: index.result[place],
        end: index.ends[index.end[place]],
        plies: index.plies[place],
        swing: index.swing[place] === null ? null : index.swing[place] / 100,
        error: index.error[place] || "",
      }));
      return this;
    }

    /* What is on the board after each ply, from 0, and what was searched: see `plies`. */
    async game(place) {
      const number = Math.floor(place / this.data.atOnce);
      if (!this.blocks.has(number)) this.blocks.set(number, unpacked(this.data.blocks[number]));
      const stored = (await this.blocks.get(number))[place % this.data.atOnce];
      return { positions: plies(stored), fault: stored.fault };
    }
  }

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  /* The positions of a game. Each has `pieces` (a letter a square) and `turn`; all but the first what led to it:
     `text`, `move` for the board, `white` (who moved), `score` (men, of the mover), `own` (that of
     a player whose unit is not known), `wins` (plies), `depth`, `nodes`,
     `seconds`; what is not known is null. */
  function plies(stored) {
    let pieces = [...stored.board];
    let white = stored.turn === "W";
    const found = [{ pieces: stored.board, turn: stored.turn, move: null }];
    const steps = stored.steps ? stored.steps.split(" ") : [];
    steps.forEach((step, ply) => {
      const [, text, crowned, taken] = /^([^=/]+)(?:=(.))?(?:\/(.+))?$/.exec(step);
      const numbers = (text.match(/\d+/g) || []).map(Number);
      const captured = taken ? taken.split(",").map(Number) : [];
      const [origin, target] = numbers.length ? [numbers[0], numbers[numbers.length - 1]] : [0, 0];
      if (origin) {
        const piece = crowned || pieces[origin - 1];
        for (const number of [origin, ...captured]) pieces[number - 1] = ".";
        pieces[target - 1] = piece;
      }
      found.push({
        pieces: pieces.join(""), turn: white ? "B" : "W", text, white, move: { origin, target, captured },
        score: stored.score[ply] === null ? null : stored.score[ply] / 100, own: stored.own[ply], wins: stored.wins[ply],
        depth: stored.depth[ply], nodes: stored.nodes[ply],
        seconds: stored.time[ply] === null ? null : stored.time[ply] / 1e6,
      });
      white = !white;
    });
    return found;
  }

  /* A position as FEN. */
  function fen({ pieces, turn }) {
    const of = (man, king) => [...pieces]
      .map((letter, place) => (letter === man ? `${place + 1}` : letter === king ? `K${place + 1}` : ""))
      .filter(Boolean).join(",");
    return `${turn}:W${of("w", "W")}:B${of("b", "B")}`;
  }

  /* A position in words. */
  function description({ pieces, turn }) {
    const of = (man, king) => [...pieces]
      .map((letter, place) => (letter === man ? `${place + 1}` : letter === king ? `king ${place + 1}` : ""))
      .filter(Boolean).join(", ") || "none";
    return `${turn === "W" ? "White" : "Black"} to move. White: ${of("w", "W")}. Black: ${of("b", "B")}.`;
  }

  arena.Games = Games;
  arena.plies = plies;
  arena.fen = fen;
  arena.description = description;
})((window.arena = window.arena || {}));
