"use strict";
// Everything that is put into the page goes through here: names become text nodes, never markup.

const DATA = JSON.parse(document.getElementById("data").textContent);

/** An element with properties, attributes and children; strings become text. */
function make(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. */
function draw(tag, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "style") Object.assign(element.style, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

const byId = (id) => document.getElementById(id);

/** Text of at most so many characters (not half ones, so that emoji stay whole). */
function shortened(text, length) {
  const characters = Array.from(text.length > 4 * length ? text.slice(0, 4 * length) : text);
  return characters.length > length ? characters.slice(0, length - 1).join("") + "…" : characters.join("");
}

/** A number as people read it; `padded` keeps zeros at the end, so that columns line up. */
function readable(value, digits = 4, padded = false) {
  if (value === null || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return String(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(2).replace("e+", "e");
  return padded ? value.toPrecision(digits) : String(Number(value.toPrecision(digits)));
}

/** Numbers of a column; infinite ones come as text. */
const numbers = (column) => column.map((value) => (value === null ? null : Number(value)));

/** Hand a text to the reader as a file. */
function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Copy a text; true if the browser did. Pages of a disk and frames of notebooks may have no clipboard to ask for. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Copy a text as pages did before there was a clipboard: through a field that is selected. */
function copySelected(text) {
  const focused = document.activeElement;
  const field = make("textarea", { readonly: true, "aria-hidden": "true", style: { position: "fixed", top: "-99px" } });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  return done;
}

const csvCell = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

/** Width of a chart on paper, and how to repaint every chart of the page for it. */
const PAPER = 680;
const [onPaper, paintedCharts] = [{ now: false }, []];

/** Paint a chart for the width that its container has, and again whenever that changes; returns how to repaint it. */
function chart(container, paint) {
  let width = -1;
  const repaint = () => {
    width = container.clientWidth;
    container.replaceChildren(paint(Math.max(200, onPaper.now ? Math.min(width, PAPER) : width)));
  };
  new ResizeObserver(() => container.clientWidth !== width && repaint()).observe(container);
  repaint();
  paintedCharts.push(repaint);
  return repaint;
}
