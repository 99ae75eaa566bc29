/* What the JavaScript of pages keeps to. */

import js from "@eslint/js";

const BROWSER = [
  "Blob", "DOMParser", "DOMPoint", "DecompressionStream", "Element", "FormData", "IntersectionObserver", "ResizeObserver", "Response",
  "TextEncoder", "URL", "URLSearchParams", "WebSocket", "atob", "clearTimeout", "crypto", "document", "fetch", "getSelection",
  "history", "sessionStorage", "innerHeight", "innerWidth", "location", "navigator", "performance", "setInterval", "setTimeout", "window",
];

const NODE = ["console", "process", "require"];

export default [
  { ignores: ["reports/", "site/", ".venv/"] },
  {
    languageOptions: { ecmaVersion: 2023, globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      ...js.configs.recommended.rules,
      "array-callback-return": "error",
      "consistent-return": "error",
      "curly": ["error", "multi-line"],
      "eqeqeq": "error",
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", 60],
      "no-duplicate-imports": "error",
      "no-else-return": "error",
      "no-implied-eval": "error",
      "no-eval": "error",
      "no-lonely-if": "error",
      "no-param-reassign": "error",
      "no-self-compare": "error",
      "no-shadow": "error",
      "no-throw-literal": "error",
      "no-unneeded-ternary": "error",
      "no-unused-expressions": "error",
      "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
      "no-useless-rename": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["configs/starters/*.js"],
    languageOptions: { globals: Object.fromEntries(NODE.map((name) => [name, "readonly"])) },
  },
];
