/* Addresses of runs. */

/* The address of the view of a run, or of one of its games. */
export function addressOf(name, ...parts) {
  return ["#/run", encodeURIComponent(name), ...parts].join("/");
}

/* The path of something of a run on the server. */
export function pathOf(name, ...parts) {
  return ["/api/runs", encodedPath(name), ...parts].join("/");
}

/* The name of a run in a path. */
export function encodedPath(name) {
  return name.split("/").map(encodeURIComponent).join("/");
}
