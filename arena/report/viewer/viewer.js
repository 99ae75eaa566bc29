"use strict";

/* The games of a report: the list, the stage, and the page's address, such as #game=12&ply=30 or #player=a&opponent=b. */
(function (arena) {
  const PAUSE = 200; // milliseconds without a change after which the address follows: browsers limit how often it may

  async function begin(viewer) {
    const data = JSON.parse(viewer.querySelector("[data-games]").textContent);
    const plain = viewer.querySelector(".viewer-plain");
    if (!("DecompressionStream" in window)) {
      plain.textContent = "This browser is too old to unpack the games: it has no DecompressionStream.";
      return;
    }
    const games = await new arena.Games(data).open();
    plain.hidden = true;
    const stage = viewer.querySelector(".viewer-stage");
    const body = viewer.querySelector(".viewer-body");
    body.hidden = false;
    let timer = null;

    const parts = {
      form: viewer.querySelector("form"), host: viewer.querySelector(".viewer-list"),
      more: viewer.querySelector(".viewer-more"), count: viewer.querySelector(".viewer-count"),
    };
    const filters = viewer.querySelector(".viewer-filters");
    filters.open = window.matchMedia("(min-width: 64rem)").matches;
    const list = new arena.List(games, parts, (game) => open(game, 0, { go: true }));
    const shown = new arena.Stage(stage, data.look, {
      beside: (step) => {
        const game = list.beside(list.current, step);
        if (game) open(game, 0);
      },
      onply: (game, ply) => {
        clearTimeout(timer);
        if (quiet) return;
        timer = setTimeout(() => history.replaceState(null, "", `#game=${game.number}&ply=${ply}`), PAUSE);
      },
    });
    let quiet = true; // while a game is shown that the reader did not ask for, the address stays as it is
    let asked = 0;

    /* Show a game; `go` brings the board into view, `unasked` leaves the address as it is. */
    async function open(game, ply, { go = false, unasked = false } = {}) {
      asked += 1;
      const mine = asked;
      list.mark(game);
      const found = await games.game(game.place);
      if (mine !== asked) return;
      quiet = unasked;
      shown.open(game, found, ply);
      quiet = false;
      if (go) {
        stage.scrollIntoView({ block: "nearest" });
        stage.querySelector("[data-part=board]").focus({ preventScroll: true });
      }
    }

    /* Show what the address names; returns whether it names something of these games. */
    function follow() {
      const words = new URLSearchParams(location.hash.slice(1));
      if (words.has("game")) {
        const game = games.list.find(({ number }) => String(number) === words.get("game"));
        if (game) open(game, Number.parseInt(words.get("ply"), 10) || 0, { go: true });
        else missing(`Game ${words.get("game")} is not inside this page.`);
        return true;
      }
      if (words.has("player")) {
        between(words.get("player"), words.get("opponent") || "");
        return true;
      }
      return false;
    }

    function between(player, opponent) {
      missing("");
      list.between(player, opponent);
      filters.open = true;
      if (list.shown.length) open(list.shown[0], 0, { unasked: true });
      else missing("No game of these two is inside this page.");
      viewer.scrollIntoView();
    }

    function missing(words) {
      const line = viewer.querySelector(".viewer-missing");
      line.textContent = words;
      line.hidden = !words;
    }

    document.addEventListener("click", (event) => {
      const cell = event.target.closest("#crosstable button");
      if (!cell) return;
      const { row, column } = cell.closest("td").dataset;
      const words = new URLSearchParams({ player: games.players[row], opponent: games.players[column] });
      history.pushState(null, "", `#${words}`);
      follow();
    });
    window.addEventListener("hashchange", follow);
    if (!follow() && list.shown.length) open(list.shown[0], 0, { unasked: true });
    viewer.dataset.ready = "yes";
  }

  const viewer = document.getElementById("viewer");
  if (viewer) {
    begin(viewer).catch((error) => {
      const plain = viewer.querySelector(".viewer-plain");
      plain.hidden = false;
      plain.textContent = `The games cannot be shown: ${error.message}`;
    });
  }
})((window.arena = window.arena || {}));
