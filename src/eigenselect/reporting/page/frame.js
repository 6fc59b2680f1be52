// The frame of every page: light and dark, links to the sections, copying, printing.

/** Say something short beside the buttons, and to screen readers, for a while. */
function tellReader(words) {
  byId("told").textContent = words;
  setTimeout(() => byId("told").textContent === words && (byId("told").textContent = ""), 4000);
}

// -- light and dark --------------------------------------------------------------------------------------------------

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // the choice lasts as long as the page
  }
}

byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  remember(THEME, root.dataset.theme);
});

// -- links inside the page -------------------------------------------------------------------------------------------

/** Show an address without going there; the frame of a notebook has none of its own. */
function showAddress(hash) {
  try {
    history.replaceState(null, "", hash || location.pathname + location.search);
  } catch {
    // the page works without
  }
}

/** Go to a part of the page: unfold what it lies in, scroll to it, and let the keyboard go on from there. */
function goTo(id) {
  const target = byId(id);
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (!target.hasAttribute("tabindex")) target.setAttribute("tabindex", "-1");
  target.scrollIntoView();
  target.focus({ preventScroll: true });
}

const whenFollowed = []; // what links lead to besides cards: functions of an address that say whether they showed it

// The address of a page inside a notebook is the notebook's: following a link would leave the page.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  if (!link) return;
  event.preventDefault();
  const hash = link.getAttribute("href");
  if (!whenFollowed.some((follow) => follow(hash))) goTo(hash.slice(1));
  showAddress(hash);
});

/** Links to the cards that this page has, by their headings or the shorter word that a card gives as data-short. */
function linkSections() {
  const cards = [...document.querySelectorAll("main > .card[id]:not(.chosen)")].filter((card) =>
    card.querySelector("h2"),
  );
  const link = (card) => {
    const words = card.dataset.short ?? shortened(card.querySelector("h2").textContent.trim(), 40);
    return make("li", {}, make("a", { href: `#${card.id}` }, words));
  };
  byId("sections").append(make("ul", {}, ...cards.map(link)));
}
linkSections();

// -- copying ---------------------------------------------------------------------------------------------------------

/** Copy a text and say so; pages of a disk and frames of notebooks may have no clipboard. */
async function copyAndTell(text, what) {
  tellReader((await copyText(text)) ? `copied ${what}` : "not copied: this browser does not allow it here");
}

// -- paper -----------------------------------------------------------------------------------------------------------

const whenPrinting = []; // what else changes for paper: functions that are told whether it begins or ends

/** Make the page ready for paper, or for the screen again: unfold cards, paint charts narrower. */
function turnToPaper(on) {
  if (onPaper.now === on) return;
  onPaper.now = on;
  for (const fold of document.querySelectorAll("details")) {
    if (on && !fold.open) fold.dataset.folded = "";
    if (on) fold.open = true;
    else if ("folded" in fold.dataset) fold.open = false;
    if (!on) delete fold.dataset.folded;
  }
  for (const change of whenPrinting) change(on);
  for (const repaint of paintedCharts) repaint();
  for (const svg of on ? document.querySelectorAll("svg:not([viewBox])") : [])
    svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
}

addEventListener("beforeprint", () => turnToPaper(true));
addEventListener("afterprint", () => turnToPaper(false));
matchMedia("print").addEventListener("change", (media) => turnToPaper(media.matches));

byId("actions").hidden = false;
