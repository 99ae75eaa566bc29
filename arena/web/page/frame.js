"use strict";

/* The frame of the page: requests with the token and this window's name, elements, the line of messages, and which view is
   shown.

   The address says the view: `#/` and `#/game/ID` are `arena.views.game`, `#/runs` is `arena.views.runs`, `#/run/NAME` and
   `#/run/NAME/game/N`, with `/PLY` at that ply, are `arena.views.run`. A view is {show(element, ...parts), hide()}: `parts` are the texts between
   the slashes behind its name, decoded. `element` is its own, and stays as it is while the view is hidden. */
(function (arena) {
  const SAID = 7000; // milliseconds that a message stays
  const USUAL = "game"; // the view of an address without one

  arena.window = [...crypto.getRandomValues(new Uint8Array(9))].map((byte) => byte.toString(36)).join("");
  arena.token = new URLSearchParams(location.search).get("token") || "";
  arena.views = {};

  /* An element: `tag` may have classes, as in "p.small.note". Attributes: `on...` are listeners, `null`, `undefined` and
     `false` are left out, `true` is an empty one. Children are elements, texts, or lists of both; null is nothing. */
  arena.element = (tag, attributes = {}, ...children) => {
    const [name, ...classes] = tag.split(".");
    const made = document.createElement(name);
    if (classes.length) made.className = classes.join(" ");
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.flat(9).filter((child) => child !== null && child !== undefined));
    return made;
  };

  /* Show a message for a while; an empty one hides the last. */
  arena.say = (text) => {
    const line = document.querySelector("[data-say]");
    clearTimeout(arena.say.timer);
    line.textContent = text;
    line.hidden = !text;
    if (text) arena.say.timer = setTimeout(() => arena.say(""), SAID);
  };

  /* Requests: promises of the answer, JSON as values, other text as text. An error shows its line, unless `quiet`, and
     rejects with an Error that has its `status`, 0 if there was no answer. */
  arena.get = (path, options) => request("GET", path, undefined, options);
  arena.post = (path, body = {}, options = {}) => request("POST", path, body, options);
  arena.remove = (path, options) => request("DELETE", path, undefined, options);

  /* The address of something below the server with the token in it, for links and websockets. */
  arena.address = (path, words = {}) => `${path}?${new URLSearchParams({ ...words, token: arena.token })}`;

  /* A websocket at a path. */
  arena.socket = (path, words) => new WebSocket(location.origin.replace(/^http/, "ws") + arena.address(path, words));

  /* Close a websocket; one that is being opened once it is, as browsers complain of it before. */
  arena.hangUp = (socket) => {
    if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener("open", () => socket.close());
    else socket.close();
  };

  /* What is on offer: see GET /api/offer; asked for once. */
  arena.offer = () => {
    arena.offered ||= arena.get("/api/offer").catch((error) => { arena.offered = null; throw error; });
    return arena.offered;
  };

  /* Whether the server was restarted and this page may use it: an answer to its nonce gets its token. The key for
     that answer came with the offer and is never sent, so that whoever else listens at the port learns nothing. */
  arena.rejoin = () => {
    arena.rejoining ||= rejoin().catch(() => false).finally(() => { arena.rejoining = null; });
    return arena.rejoining;
  };

  async function rejoin() {
    const { page_key: key } = await (arena.offered || {});
    if (!key) return false;
    const again = (words) => fetch(`/api/again?${new URLSearchParams(words)}`).then((answer) => answer.json());
    const { nonce } = await again({});
    const bytes = (text) => new TextEncoder().encode(text);
    const secret = await crypto.subtle.importKey("raw", bytes(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const signed = new Uint8Array(await crypto.subtle.sign("HMAC", secret, bytes(nonce)));
    const { token } = await again({ nonce, proof: [...signed].map((byte) => byte.toString(16).padStart(2, "0")).join("") });
    if (!token) return false;
    arena.token = token;
    history.replaceState(history.state, "", arena.address(location.pathname) + location.hash);
    return true;
  }

  /* The svg element of a text that arena.rules.board.svg drew. */
  arena.picture = (text) => document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);

  async function request(method, path, body, { quiet = false, isAgain = false } = {}) {
    const { token } = arena;
    const headers = { "X-Arena-Token": arena.token, "X-Arena-Window": arena.window };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    try {
      const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
      const text = await answer.text();
      const isJson = (answer.headers.get("Content-Type") || "").startsWith("application/json");
      if (answer.status === 403 && !isAgain && (token !== arena.token || await arena.rejoin())) {
        return request(method, path, body, { quiet, isAgain: true });
      }
      if (!answer.ok) throw Object.assign(new Error(wrong(text, isJson, answer.status)), { status: answer.status });
      return isJson ? JSON.parse(text) : text;
    } catch (error) {
      error.status ??= 0;
      if (!error.status) error.message = "The server does not answer: is arena serve still running?";
      if (!quiet) arena.say(error.message);
      throw error;
    }
  }

  function wrong(text, isJson, status) {
    if (isJson) return JSON.parse(text).error || `The server said ${status}.`;
    return `The server said ${status}.`;
  }

  let current = null;

  function follow() {
    const words = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decoded);
    const name = words.length ? words.shift() : USUAL;
    const view = arena.views[name];
    if (!view) return location.replace("#/");
    if (current && current !== name) {
      arena.views[current].hide();
      element(current).hidden = true;
    }
    current = name;
    for (const link of document.querySelectorAll("nav a")) {
      const here = link.hash === (name === USUAL ? "#/" : "#/runs");
      if (here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const shown = element(name);
    shown.hidden = false;
    return Promise.resolve(view.show(shown, ...words)).catch((error) => { if (error.status === undefined) throw error; });
  }

  function decoded(word) {
    try {
      return decodeURIComponent(word);
    } catch {
      return word;
    }
  }

  function element(name) {
    const found = document.querySelector(`[data-view="${name}"]`);
    if (found) return found;
    const made = arena.element("section", { "data-view": name });
    document.querySelector("main").append(made);
    return made;
  }

  window.addEventListener("hashchange", follow);
  document.addEventListener("DOMContentLoaded", () => {
    follow();
    arena.offer().then((offer) => { document.querySelector("[data-runs]").hidden = !offer.runs; }, () => {});
  });
})((window.arena = window.arena || {}));
