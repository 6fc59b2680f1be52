"use strict";
// Runs before anything is painted: a reader who chose light or dark never sees the other one first.

const THEME = "eigenselect.theme"; // pages of one server, or of one disk, share their memory with pages of others

/** What was kept under a name; nothing where the browser keeps nothing, as in a notebook's frame. */
function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

if (["light", "dark"].includes(remembered(THEME))) document.documentElement.dataset.theme = remembered(THEME);
