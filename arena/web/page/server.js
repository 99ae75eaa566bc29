/* Requests to the server, with the token. */

import { say } from "./dialogs.js";
import { store } from "./store.js";

/**
 * An error of a request: `status` is that of the answer, 0 without one.
 * @typedef {Error & {status?: number}} RequestError
 */

/* Promises of the answer, JSON as values, other text as text. An error shows its line, unless `quiet`, and rejects with
   a RequestError. */
export function get(path) {
  return request("GET", path, undefined, {});
}

export function post(path, body, options = {}) {
  return request("POST", path, body, options);
}

/* The address of something below the server with the token in it, for the websocket. */
export function address(path) {
  return `${path}?${new URLSearchParams({ token: store.token })}`;
}

/* Begins what a later call overtakes; each call returns whether it is still the latest. */
export function newest() {
  let begun = 0;
  return () => {
    begun += 1;
    const mine = begun;
    return () => mine === begun;
  };
}

async function request(method, path, body, { quiet = false }) {
  /** @type {Record<string, string>} */
  const headers = { "X-Arena-Token": store.token };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    const isJson = (answer.headers.get("Content-Type") || "").startsWith("application/json");
    const document = isJson ? JSON.parse(text) : text;
    if (answer.ok) return document;
    throw Object.assign(new Error(document.error || `The server said ${answer.status}.`), { status: answer.status });
  } catch (error) {
    error.status ??= 0;
    if (!error.status) error.message = "The server does not answer: is arena still running?";
    if (!quiet) say(error.message);
    throw error;
  }
}
