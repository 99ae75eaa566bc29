"use strict";

/* The list of runs: those being played first, each with how far it is and who leads; and words that views of runs share. */
(function (arena) {
  const AGAIN = 5000; // milliseconds until the list is asked for again

  const words = {
    /* `+123 ± 45`, of a standing. */
    elo: ({ elo, elo_low: low, elo_high: high }) => {
      if (elo === null || elo === undefined) return "";
      const error = low === null || high === null ? 0 : Math.round((high - low) / 2);
      return words.signed(elo) + (error > 0 ? `\u00a0±\u00a0${error}` : "");
    },
    signed: (value) => {
      const whole = Math.round(value);
      return whole === 0 ? "0" : `${whole > 0 ? "+" : "−"}${Math.abs(whole)}`;
    },
    games: (number) => `${arena.grouped(number)}\u00a0${number === 1 ? "game" : "games"}`,
    percent: (share) => `${(100 * share).toFixed(1)}\u00a0%`,
    /* A span of seconds in its two largest units: `3 h 20 min`. */
    span: (seconds) => {
      const whole = Math.max(0, Math.round(seconds));
      if (whole < 60) return `${whole}\u00a0s`;
      if (whole < 3600) return `${Math.floor(whole / 60)}\u00a0min${whole < 600 ? ` ${whole % 60}\u00a0s` : ""}`;
      if (whole < 86400) return `${Math.floor(whole / 3600)}\u00a0h ${Math.floor((whole % 3600) / 60)}\u00a0min`;
      return `${Math.floor(whole / 86400)}\u00a0d ${Math.floor((whole % 86400) / 3600)}\u00a0h`;
    },
    rate: (rate) => (rate >= 1 ? `${Number(rate.toPrecision(3))}\u00a0games/s` : `${Number((60 * rate).toPrecision(3))}\u00a0games/min`),
    /* How far a run is. */
    far: (run) => {
      if (run.complete) return `complete, ${words.games(run.games)}`;
      if (run.format === "free") return `${words.games(run.games)} at the board`;
      const planned = `${arena.grouped(run.games)} of ${run.exact ? "" : "at most "}${words.games(run.planned)}`;
      if (run.playing === null) return `${planned}, perhaps being played elsewhere`;
      if (!run.playing) return `${planned}, no process is playing it`;
      const pace = run.rate ? `, ${words.rate(run.rate)}` : "";
      const left = run.seconds_left === null ? "" : `, ${run.exact ? "" : "at most "}${words.span(run.seconds_left)} left`;
      return `${planned}${pace}${left}`;
    },
    date: (text) => (text ? `${text.slice(0, 10).replaceAll("-", "\u2011")} ${text.slice(11, 16)}\u00a0UTC` : ""),
    /* The address of the view of a run, or of one of its games. */
    run: (name, ...parts) => ["#/run", encodeURIComponent(name), ...parts].join("/"),
    /* The address of something of a run below the server. */
    path: (name, ...parts) => ["/api/runs", ...name.split("/").map(encodeURIComponent), ...parts].join("/"),
  };

  /* A bar that shows how far a run is. */
  words.bar = (run) => {
    if (run.format === "free") return "";
    const bar = arena.element("progress", { "aria-label": "games played", max: Math.max(run.planned, 1), value: run.games });
    return run.complete ? null : bar;
  };

  let timer = null;
  let asked = 0;

  async function ask(host) {
    asked += 1;
    const mine = asked;
    clearTimeout(timer);
    let runs = null;
    try {
      ({ runs } = await arena.get("/api/runs", { quiet: Boolean(host.querySelector("h1")) }));
    } catch {
      runs = null;
    }
    if (mine !== asked) return;
    if (runs) list(host, runs);
    timer = setTimeout(() => ask(host), AGAIN);
  }

  function list(host, runs) {
    const { element } = arena;
    const rows = runs.map(row);
    const none = element("p", {}, "There is no run in this folder yet: ", element("code", {}, "arena run"), " plays one.");
    const focus = document.activeElement?.closest(".watch-card")?.querySelector("a")?.hash;
    host.replaceChildren(element("h1", {}, "Runs"), rows.length ? element("ul.watch-runs", {}, rows) : none);
    if (focus) [...host.querySelectorAll("a")].find((link) => link.hash === focus)?.focus();
  }

  function row(run) {
    const { element } = arena;
    if (run.error) return element("li.card.watch-card", {}, element("h2", {}, run.run), element("p.small", {}, run.error));
    const live = run.playing ? element("span.watch-live", {}, "live") : null;
    const name = element("h2", {}, element("a", { href: words.run(run.run) }, arena.named(run.run)), live);
    const { leader } = run;
    const leads = leader && element("p", {}, arena.named(leader.player, "watch-leader"), ` ${words.elo(leader) || words.percent(leader.score)}`);
    const about = `${run.variant}, ${run.format}, ${run.players}\u00a0players${run.began ? `, begun ${words.date(run.began)}` : ""}`;
    return element("li.card.watch-card", {}, name, words.bar(run), element("p", {}, words.far(run)), leads, element("p.small", {}, about));
  }

  arena.watching = words;
  arena.views.runs = {
    show: (host) => {
      document.title = "Runs";
      if (!host.childElementCount) host.append(arena.element("p.small", { role: "status" }, "The runs are being read …"));
      ask(host);
    },
    hide: () => { asked += 1; clearTimeout(timer); },
  };
})((window.arena = window.arena || {}));
