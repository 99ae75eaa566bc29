/* Requests to the server, with the token. */

import { say } from "./dialogs.js";

/**
 * An error of a request: `status` is that of the answer, 0 without one.
 * @typedef {Error & {status?: number}} RequestError
 */

const TOKEN = "token";

/* Take the token out of the address, where neither the history nor somebody at the screen is to find it; a reload of
   this tab still has it. */
export function keepToken() {
  const [, way, given] = /^(.*)\?token=([\w-]+)$/.exec(location.hash) ?? [];
  if (!given) return;
  sessionStorage.setItem(TOKEN, given);
  history.replaceState(null, "", way);
}

function token() {
  return sessionStorage.getItem(TOKEN) || "";
}

/* Promises of the answer, which is JSON. An error shows its line, unless `quiet`, and rejects with a RequestError. */
export function get(path, options = {}) {
  return request("GET", path, undefined, options);
}

export function post(path, body, options = {}) {
  return request("POST", path, body, options);
}

/* The address of a game's websocket. */
export function socketAddress(game) {
  return `${location.origin.replace(/^http/, "ws")}/api/games/${encodeURIComponent(game)}?${new URLSearchParams({ token: token() })}`;
}

async function request(method, path, body, { quiet = false }) {
  /** @type {Record<string, string>} */
  const headers = { "X-Arena-Token": token() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const document = await answer.json();
    if (answer.ok) return document;
    throw Object.assign(new Error(document.error || `The server said ${answer.status}.`), { status: answer.status });
  } catch (error) {
    error.status ??= 0;
    if (!error.status) error.message = "The server does not answer: is arena still running?";
    if (!quiet) say(error.message);
    throw error;
  }
}
