/* Requests to the server, with the token and this window's name. */

import { say } from "./dialogs.js";
import { store } from "./store.js";

/** @import { Offer } from "./documents.js" */

/**
 * An error of a request: `status` is that of the answer, 0 without one.
 * @typedef {Error & {status?: number}} RequestError
 */

/* Promises of the answer, JSON as values, other text as text. An error shows its line, unless `quiet`, and rejects with
   a RequestError. */
export function get(path, options = {}) {
  return request("GET", path, undefined, options);
}

export function post(path, body = {}, options = {}) {
  return request("POST", path, body, options);
}

/* The address of something below the server with the token in it, for links and websockets. */
export function address(path, words = {}) {
  return `${path}?${new URLSearchParams({ ...words, token: store.token })}`;
}

/* A websocket at a path. */
export function openSocket(path, words = {}) {
  return new WebSocket(location.origin.replace(/^http/, "ws") + address(path, words));
}

/* Close a websocket; one that is being opened once it is, as browsers complain of it before. */
export function hangUp(socket) {
  if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener("open", () => socket.close());
  else socket.close();
}

/**
 * What is on offer: see GET /api/offer; asked for once.
 * @returns {Promise<Offer>}
 */
export function askOffer() {
  store.offer ||= get("/api/offer").catch((error) => { store.offer = null; throw error; });
  return store.offer;
}

let rejoining = null;

/* Whether the server was restarted and this page may use it: an answer to its nonce gets its token. The key for
   that answer came with the offer and is never sent, so that whoever else listens at the port learns nothing. */
function rejoined() {
  rejoining ||= rejoin().catch(() => false).finally(() => { rejoining = null; });
  return rejoining;
}

async function rejoin() {
  const offer = await store.offer;
  if (!offer || !offer.page_key) return false;
  const again = (words) => fetch(`/api/again?${new URLSearchParams(words)}`).then((answer) => answer.json());
  const { nonce } = await again({});
  const bytes = (text) => new TextEncoder().encode(text);
  const secret = await crypto.subtle.importKey("raw", bytes(offer.page_key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = new Uint8Array(await crypto.subtle.sign("HMAC", secret, bytes(nonce)));
  const { token } = await again({ nonce, proof: [...signed].map((byte) => byte.toString(16).padStart(2, "0")).join("") });
  if (!token) return false;
  store.token = token;
  history.replaceState(history.state, "", address(location.pathname) + location.hash);
  return true;
}

async function request(method, path, body, { quiet = false, isAgain = false }) {
  const { token } = store;
  /** @type {Record<string, string>} */
  const headers = { "X-Arena-Token": token, "X-Arena-Window": store.window };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    const isJson = (answer.headers.get("Content-Type") || "").startsWith("application/json");
    if (answer.status === 403 && !isAgain && (token !== store.token || await rejoined())) {
      return request(method, path, body, { quiet, isAgain: true });
    }
    if (!answer.ok) throw Object.assign(new Error(wrong(text, isJson, answer.status)), { status: answer.status });
    return isJson ? JSON.parse(text) : text;
  } catch (error) {
    error.status ??= 0;
    if (!error.status) error.message = "The server does not answer: is arena serve still running?";
    if (!quiet) say(error.message);
    throw error;
  }
}

function wrong(text, isJson, status) {
  if (isJson) return JSON.parse(text).error || `The server said ${status}.`;
  return `The server said ${status}.`;
}
