"use strict";

/* The list of games: which are shown, in which order. */
(function (arena) {
  const AT_ONCE = 100; // games added to the list at once
  const ORDERS = {
    surprise: (a, b) => (b.swing ?? -1) - (a.swing ?? -1) || a.number - b.number,
    number: (a, b) => a.number - b.number,
    longest: (a, b) => b.plies - a.plies || a.number - b.number,
    shortest: (a, b) => a.plies - b.plies || a.number - b.number,
  };

  class List {
    /* `form` has the controls of the filter, `host` gets the list; `onopen` is called with a game that is chosen. */
    constructor(games, { form, host, more, count }, onopen) {
      Object.assign(this, { games, form, host, more, count, onopen });
      const { player, opponent, opening, end } = form.elements;
      for (const select of [player, opponent]) options(select, games.players);
      const openings = [...new Set(games.list.map((game) => game.opening))].sort((a, b) => a - b);
      options(opening, openings.map(String));
      options(end, [...new Set(games.list.map((game) => game.end))]);
      form.addEventListener("input", () => this.filter());
      form.addEventListener("reset", () => setTimeout(() => this.filter()));
      form.addEventListener("submit", (event) => event.preventDefault());
      more.addEventListener("click", () => this.extend());
      this.filter();
    }

    /* Show the games between two players only. */
    between(player, opponent) {
      this.form.reset();
      this.form.elements.player.value = player;
      this.form.elements.opponent.value = opponent;
      this.filter();
    }

    filter() {
      const { player, opponent, opening, result, end, shortest, longest, order } = this.form.elements;
      for (const option of result.querySelectorAll("[data-own]")) option.disabled = !player.value;
      if (result.selectedOptions[0].disabled) result.value = "";
      const [least, most] = [Number(shortest.value || 0), Number(longest.value || Infinity)];
      this.shown = this.games.list.filter((game) =>
        seats(game, player.value, opponent.value) &&
        (!opening.value || String(game.opening) === opening.value) &&
        (!end.value || game.end === end.value) &&
        ended(game, result.value, player.value) &&
        game.plies >= least && game.plies <= most);
      this.shown.sort(ORDERS[order.value]);
      this.host.replaceChildren();
      this.host.scrollTop = 0;
      this.extend();
      const all = this.games.list.length;
      this.count.textContent = this.shown.length === all ? `${arena.grouped(all)} games` : `${arena.grouped(this.shown.length)} of ${arena.grouped(all)} games`;
    }

    /* Add the next games to the list. */
    extend() {
      const first = this.host.childElementCount;
      for (const game of this.shown.slice(first, first + AT_ONCE)) this.host.append(this.row(game));
      this.more.hidden = this.host.childElementCount >= this.shown.length;
      this.mark(this.current);
    }

    row(game) {
      const button = made("button", "viewer-game");
      button.type = "button";
      button.dataset.game = game.number;
      const players = made("span", "viewer-players");
      players.append(named(game.white), " – ", named(game.black));
      const swing = game.swing === null ? "" : ` · swing ${game.swing.toFixed(1)} men`;
      const facts = `Game ${game.number} · opening ${game.opening} · ${game.plies} plies · ${game.end}${swing}`;
      button.append(players, made("span", "viewer-result", arena.points(game.result)), made("small", "", facts));
      button.addEventListener("click", () => this.onopen(game));
      const item = made("li");
      item.append(button);
      return item;
    }

    /* Mark the game that is open. */
    mark(game) {
      this.current = game;
      for (const button of this.host.querySelectorAll("button")) {
        const open = Boolean(game) && button.dataset.game === String(game.number);
        if (open) button.setAttribute("aria-current", "true");
        else button.removeAttribute("aria-current");
      }
    }

    /* The game so many places further in the list, or undefined. */
    beside(game, step) {
      const place = this.shown.indexOf(game);
      return place < 0 ? this.shown[0] : this.shown[place + step];
    }
  }

  function seats(game, player, opponent) {
    if (player && opponent && player !== opponent) {
      return (game.white === player && game.black === opponent) || (game.white === opponent && game.black === player);
    }
    const one = player || opponent;
    return !one || game.white === one || game.black === one;
  }

  function ended(game, result, player) {
    if (!result) return true;
    if (result === "won") return game.result === (game.white === player ? "1-0" : "0-1");
    if (result === "lost") return game.result === (game.white === player ? "0-1" : "1-0");
    return game.result === result;
  }

  function options(select, names) {
    for (const name of names) {
      const option = made("option", "", name);
      option.value = name;
      select.append(option);
    }
  }

  /* An element with a class and a text. */
  function made(tag, name = "", text = "") {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text) element.textContent = text;
    return element;
  }

  /* A text whose numbers stay beside their units. */
  function unbroken(text) {
    return text.replace(/(\d) (?=(?:(?:s|ms|min|h|ply|plies|nodes|games|pieces|men)\b|%|±))/g, "$1\u00a0");
  }

  /* A player's name, which may be that of a class: it breaks behind `:`, `/` and `.`, but not in a number. */
  function named(name, classes = "") {
    const element = made("bdi", classes);
    element.append(...unbroken(name).split(/(?<=[:/]|\.(?!\d))/).flatMap((part, place) => (place ? [made("wbr"), part] : [part])));
    return element;
  }

  arena.List = List;
  Object.assign(arena, { made, named, unbroken });
  /* A whole number with thin spaces between thousands. */
  arena.grouped = (number) => number.toLocaleString("en").replaceAll(",", "\u202f");

  arena.points = (result) => (result === "1/2-1/2" ? "½–½" : result.replace("-", "–"));
})((window.arena = window.arena || {}));
