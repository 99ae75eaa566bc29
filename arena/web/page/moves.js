"use strict";

/* The moves of a game as buttons, what was seen before one, and how they are said. */
(function (arena) {
  const { element } = arena;

  class Moves {
    /* `onply` is called with the ply to look at. */
    constructor(host, onply) {
      Object.assign(this, { host, onply, buttons: [] });
      host.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowUp: -2, ArrowRight: 1, ArrowDown: 2 }[event.key];
        const place = this.buttons.indexOf(document.activeElement);
        if (!step || place < 0) return;
        event.preventDefault();
        const next = this.buttons[Math.max(0, Math.min(this.buttons.length - 1, place + step))];
        next.focus();
        next.click();
      });
    }

    show({ moves, start }, ply) {
      const texts = moves.map(({ text }) => text);
      if (texts.join(" ") !== this.texts || start.fen !== this.start) this.fill(texts, start);
      this.buttons.forEach((button, place) => {
        if (place + 1 === ply) button.setAttribute("aria-current", "true");
        else button.removeAttribute("aria-current");
      });
      this.scroll(this.buttons[ply - 1]);
    }

    fill(texts, start) {
      this.texts = texts.join(" ");
      this.start = start.fen;
      this.buttons = texts.map((text, place) => element("button", { type: "button", onclick: () => this.onply(place + 1) }, text));
      const rows = this.buttons.flatMap((button, place) => (place % 2 ? [button] : [element("span", {}, `${place / 2 + 1}.`), button]));
      this.host.replaceChildren(...(rows.length ? rows : [element("p.small", {}, "No moves yet.")]));
    }

    scroll(button) {
      const { host } = this;
      if (!button) host.scrollTop = 0;
      else if (button.offsetTop < host.scrollTop) host.scrollTop = button.offsetTop;
      else if (button.offsetTop + button.offsetHeight > host.scrollTop + host.clientHeight) {
        host.scrollTop = button.offsetTop + button.offsetHeight - host.clientHeight;
      }
    }
  }

  /* Moves of a line as buttons: a click draws arrows of the moves so far. `kind` is that of the first arrow. */
  arena.line = (texts, onarrows, kind) => texts.map((text, place) => element("button.link.line-move", {
    type: "button",
    onclick: () => onarrows(texts.slice(0, place + 1).map((each, index) => ({ path: numbers(each), kind: index === place ? kind : "past" }))),
  }, text));

  /* What a player saw before its move, as elements. */
  arena.noted = ({ text, note }, name, colour, onarrows) => {
    const row = (label, value) => (value === null || value === undefined || value === "" ? [] : [element("dt", {}, label), element("dd", {}, value)]);
    return [
      element("h2.game-noted", {}, "What ", arena.named(name), " saw before ", element("strong", {}, text)),
      element("dl.game-facts", {},
        row("Score", note.score && `${arena.signed(note.score)} for ${arena.capital(colour)}`), row("Depth", note.depth || null), row("Nodes", note.nodes ? arena.grouped(note.nodes) : null),
        row("Time", arena.duration(note.seconds)), row("Cutoffs", note.cutoffs ? arena.grouped(note.cutoffs) : null),
        note.line && note.line.length > 1 ? [element("dt", {}, "Line"), element("dd", {}, spaced(arena.line(note.line, onarrows, "line")))] : []),
      note.figures && note.figures.length ? element("pre.game-figures", { "aria-label": "As the program printed it" }, note.figures.join("\n")) : null,
    ].filter(Boolean);
  };

  /* A move in words. */
  arena.described = ({ text, squares: { origin, target, captured }, crowned }, name) => {
    if (!origin) return `${name} passes.`;
    const took = captured.length ? `, takes ${captured.length === 1 ? "one piece" : `${captured.length}\u00a0pieces`}` : "";
    return `${name}: ${text.includes("x") ? `${origin} takes to ${target}` : `${origin} to ${target}`}${took}${crowned ? ", crowned" : ""}.`;
  };

  /* The game of a state as PDN, without what players saw: for when the server cannot write it. */
  arena.pdn = ({ variant, first, start, sides, moves, outcome }) => {
    const result = outcome ? outcome.result : "*";
    const two = (number) => String(number).padStart(2, "0");
    const today = new Date();
    const tags = {
      Event: "At the board", Date: [today.getFullYear(), two(today.getMonth() + 1), two(today.getDate())].join("."),
      White: sides.white.name, WhiteType: sides.white.person ? "human" : "program",
      Black: sides.black.name, BlackType: sides.black.person ? "human" : "program",
      Result: result, Variant: variant, SetUp: "1", FEN: start.fen,
    };
    const head = Object.entries(tags).map(([name, value]) => `[${name} "${value.replace(/["\\]/g, "\\$&")}"]`);
    const behind = start.turn === first ? 0 : 1;
    const words = moves.map(({ text }, ply) => {
      const place = ply + behind;
      if (place % 2 === 0) return `${place / 2 + 1}. ${text}`;
      return ply ? text : `${(place + 1) / 2}... ${text}`;
    });
    return `${head.join("\n")}\n\n${[...words, result].join("\n")}\n`;
  };

  /* A score with a true minus sign. */
  arena.signed = (score) => score.replace(/^-/, "−");

  function spaced(elements) {
    return elements.flatMap((each) => [each, " "]);
  }

  function numbers(text) {
    return (text.match(/\d+/g) || []).map(Number);
  }

  arena.Moves = Moves;
})((window.arena = window.arena || {}));
