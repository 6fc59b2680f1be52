// How the scripts of the report's page are linted. A page joins them into one (`SCRIPTS` in page/__init__.py), so each
// sees what the ones before it declare, and what it declares itself may be used by the next.
import { readFileSync } from "node:fs";
import js from "@eslint/js";

const FOLDER = "src/eigenselect/reporting/page";
const SHARED = ["dom.js", "axes.js", "charts.js", "heat_map.js", "significance.js", "table.js"];
const BROWSER = ["atob", "Blob", "document", "matchMedia", "ResizeObserver", "setTimeout", "URL"];

/** Names that a script declares at its top. */
function declared(name) {
  const text = readFileSync(new URL(`${FOLDER}/${name}`, import.meta.url), "utf-8");
  return Array.from(text.matchAll(/^(?:function|const|let) (\w+)/gm), (found) => found[1]);
}

const known = (names) => Object.fromEntries(names.map((name) => [name, "readonly"]));

export default [...SHARED, "ranking.js", "comparison.js"].map((name, place) => ({
  ...js.configs.recommended,
  files: [`${FOLDER}/${name}`],
  languageOptions: {
    sourceType: "script",
    globals: known([...BROWSER, ...SHARED.slice(0, place).flatMap(declared)]),
  },
  rules: {
    ...js.configs.recommended.rules,
    "no-unused-vars": ["error", { vars: "local", argsIgnorePattern: "^_" }],
    eqeqeq: "error",
    "no-eval": "error",
    "no-implied-eval": "error",
    "no-var": "error",
    "prefer-const": "error",
    // Names become text nodes only, see dom.js.
    "no-restricted-properties": [
      "error",
      ...["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "writeln"].map((property) => ({
        property,
        message: "use make() or draw() of dom.js: names must stay text.",
      })),
    ],
  },
}));
