// How the scripts of the report's page are linted. A page joins them into one (`SCRIPTS` in page/__init__.py), so each
// sees what the ones before it declare, and what it declares itself may be used by the next.
import { readFileSync } from "node:fs";
import js from "@eslint/js";

const FOLDER = "src/eigenselect/reporting/page";
/** The scripts of each kind of page, as page/__init__.py joins them. */
const scripts = readFileSync(new URL(`${FOLDER}/__init__.py`, import.meta.url), "utf-8");
const listed = (start, end) =>
  Array.from(
    scripts
      .split(start)[1]
      .split(end)[0]
      .matchAll(/"([\w/]+\.js)"/g),
    (m) => m[1],
  );
const SHARED = [...listed("\nEARLY = (", ")\n"), ...listed("\nSCRIPTS = (", ")\n")];
const KINDS = ["ranking", "comparison"].map((kind) => listed(`"${kind}": (`, "),\n"));
const BROWSER = [
  ...["addEventListener", "atob", "Blob", "document", "getComputedStyle", "getSelection", "history", "localStorage"],
  ...["location", "matchMedia", "MutationObserver", "navigator", "Node", "ResizeObserver", "scrollBy", "setTimeout"],
  ...["URL", "XMLSerializer"],
];

/** Names that a script declares at its top. */
function declared(name) {
  const text = readFileSync(new URL(`${FOLDER}/${name}`, import.meta.url), "utf-8");
  return Array.from(text.matchAll(/^(?:(?:async )?function|const|let) (?:(\w+)|[[{]([^\]}]+)[\]}] =)/gm), (found) =>
    found[1] ? [found[1]] : found[2].split(",").map((part) => part.split(":").at(-1).trim()),
  ).flat();
}

const known = (names) => Object.fromEntries(names.map((name) => [name, "readonly"]));

/** Every script with those that stand before it. */
const placed = [
  ...SHARED.map((name, place) => [name, SHARED.slice(0, place)]),
  ...KINDS.flatMap((kind) => kind.map((name, place) => [name, [...SHARED, ...kind.slice(0, place)]])),
];

export default placed.map(([name, before]) => ({
  ...js.configs.recommended,
  files: [`${FOLDER}/${name}`],
  languageOptions: {
    sourceType: "script",
    globals: known([...BROWSER, ...before.flatMap(declared)]),
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
