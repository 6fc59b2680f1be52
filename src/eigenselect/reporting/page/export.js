// Every figure as a file: the picture that is shown now, with its key, complete in itself, as SVG or PNG.

/** What decides how a part of a picture looks, and the value that need not be written. */
const LOOKS = {
  fill: "#000000",
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
};
const LETTERS = ["font-family", "font-size", "font-weight", "font-style", "text-anchor", "dominant-baseline"];
/** Pixels of the PNG for one of the page, at most so many across; room between key and picture; letters of a text. */
const [SHARPNESS, MOST_PIXELS, ROOM, MOST_LETTERS] = [3, 8000, 8, 2000];

// -- colours and text that every program reads ---------------------------------------------------------------------

const plainColours = new Map();

/** A colour as #rrggbb and its opacity, whatever the browser calls it. */
function plainColour(text) {
  if (!plainColours.has(text)) plainColours.set(text, measuredColour(text));
  return plainColours.get(text);
}

function measuredColour(text) {
  const canvas = make("canvas", { width: 1, height: 1 });
  const ink = canvas.getContext("2d", { willReadFrequently: true });
  ink.fillStyle = text;
  ink.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = ink.getImageData(0, 0, 1, 1).data;
  const hex = [red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("");
  return { colour: `#${hex}`, opacity: alpha / 255 };
}

/** Text without characters that XML does not allow: most control characters and halves of pairs. */
function allowedText(text) {
  return Array.from(text, (letter) => {
    const code = letter.codePointAt(0);
    const control = code < 32 && !"\t\n\r".includes(letter);
    return control || (code >= 0xd800 && code <= 0xdfff) || code === 0xfffe || code === 0xffff ? "\ufffd" : letter;
  }).join("");
}

// -- a picture whose look is written into it ------------------------------------------------------------------------

/** Copy a part of a picture with its computed look as attributes; what is not shown is left out. */
function copyOf(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(allowedText(node.data));
  if (node.nodeType !== Node.ELEMENT_NODE) return null;
  const look = getComputedStyle(node);
  if (look.display === "none" && node.tagName !== "title") return null;
  const copy = draw(node.tagName);
  for (const { name, value } of node.attributes)
    if (!["class", "style", "id", "tabindex"].includes(name) && !name.startsWith("on"))
      copy.setAttribute(name, allowedText(value));
  if (node.tagName !== "title") writeLook(copy, look);
  for (const child of node.childNodes) copy.append(...[copyOf(child)].filter(Boolean));
  return copy;
}

function writeLook(copy, look) {
  const isPicture = ["svg", "g"].includes(copy.tagName);
  for (const [name, usual] of Object.entries(LOOKS)) {
    if (isPicture && name !== "opacity") continue; // every part has its own
    let value = look.getPropertyValue(name);
    if ((name === "fill" || name === "stroke") && value !== "none") {
      const { colour, opacity } = plainColour(value);
      value = opacity > 0 ? colour : "none";
      if (opacity > 0 && opacity < 1) copy.setAttribute("opacity", opacity.toFixed(3));
    }
    if (value !== usual) copy.setAttribute(name, value);
    else if (name !== "opacity") copy.removeAttribute(name);
  }
  if (copy.tagName === "text" || copy.tagName === "tspan")
    for (const name of LETTERS) copy.setAttribute(name, look.getPropertyValue(name));
}

// -- keys, which are lists of the page --------------------------------------------------------------------------------

/** Copy what a list shows: swatches, small pictures and words, each at its place from the corner of a block. */
function copyBlock(element, corner, into) {
  for (const node of element.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) copyWords(node, corner, into);
    if (node.nodeType !== Node.ELEMENT_NODE || ["BUTTON", "SELECT", "INPUT"].includes(node.tagName)) continue;
    const place = node.getBoundingClientRect();
    if (!place.width || !place.height || getComputedStyle(node).visibility === "hidden") continue;
    const [x, y] = [place.left - corner.left, place.top - corner.top];
    if (node.tagName === "svg") {
      const copy = copyOf(node);
      for (const [name, value] of Object.entries({ x, y, width: place.width, height: place.height }))
        copy.setAttribute(name, value);
      into.append(copy);
    } else {
      into.append(...groundOf(node, { x, y, width: place.width, height: place.height }));
      copyBlock(node, corner, into);
    }
  }
}

/** The coloured ground of an element: of one colour, or of strips where it is a gradient from left to right. */
function groundOf(element, { x, y, width, height }) {
  const look = getComputedStyle(element);
  const stops = look.backgroundImage.match(/(?:rgba?|color|oklab|oklch|hsl)\([^()]*\)/g);
  const colours = stops ?? [look.backgroundColor];
  return colours.flatMap((text, i) => {
    const { colour, opacity } = plainColour(text);
    if (!opacity) return [];
    const part = { x: x + (i * width) / colours.length, y, width: width / colours.length, height };
    return [draw("rect", { ...part, fill: colour, opacity, rx: stops ? 0 : parseFloat(look.borderRadius) || 0 })];
  });
}

/** Words as they stand on the page, line by line; what the page cuts off is cut off. */
function copyWords(node, corner, into) {
  if (!node.data.trim()) return;
  const holder = node.parentElement;
  const look = getComputedStyle(holder);
  const letters = Object.fromEntries(LETTERS.slice(0, 4).map((name) => [name, look.getPropertyValue(name)]));
  for (const { words, place } of linesOf(node, visiblePart(holder))) {
    const [x, y] = [place.left - corner.left, place.top - corner.top + place.height * 0.76];
    into.append(draw("text", { x, y, fill: plainColour(look.color).colour, ...letters }, allowedText(words)));
  }
}

/** Which part of its content an element shows: less than all where it ends in an ellipsis. */
function visiblePart({ clientWidth, scrollWidth }) {
  return clientWidth && scrollWidth > clientWidth ? clientWidth / scrollWidth : 1;
}

/** The lines of a text, as far as they are read: words that stand at one height, and where the first of them stands. */
function linesOf(node, part) {
  const range = document.createRange();
  if (part < 1) {
    range.selectNodeContents(node);
    const [place] = range.getClientRects();
    return place ? [{ words: shortened(node.data, Math.max(2, Math.floor(node.data.length * part))), place }] : [];
  }
  const lines = [];
  for (const { 0: word, index } of node.data.slice(0, MOST_LETTERS).matchAll(/\S+/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const place = range.getBoundingClientRect();
    const last = lines.at(-1);
    if (last && Math.abs(last.place.top - place.top) < 2) last.words += ` ${word}`;
    else if (place.width) lines.push({ words: word, place });
  }
  return lines;
}

// -- figures ----------------------------------------------------------------------------------------------------------

/** A figure and its keys, from top to bottom: the one that data-key names, and those that stand right before it. */
function blocksOf(figure) {
  const blocks = [...(figure.dataset.key ? [byId(figure.dataset.key)] : []), figure];
  for (let before = figure.previousElementSibling; before?.matches(".legend"); before = before.previousElementSibling)
    blocks.unshift(before);
  return blocks.filter((block) => block.getBoundingClientRect().height > 0);
}

/** The figure as it is shown now, as one <svg> that needs nothing else. */
function pictureOf(figure, title) {
  const picture = draw("svg", { xmlns: "http://www.w3.org/2000/svg" }, draw("title", {}, allowedText(title)));
  const behind = getComputedStyle(figure.closest(".card") ?? document.body).backgroundColor;
  const ground = draw("rect", { fill: plainColour(behind).colour });
  picture.append(ground);
  let [width, height] = [0, ROOM];
  for (const block of blocksOf(figure)) {
    const corner = block.getBoundingClientRect();
    const part = draw("g", { transform: `translate(${ROOM} ${height})` });
    copyBlock(block, corner, part);
    picture.append(part);
    [width, height] = [Math.max(width, corner.width), height + corner.height + ROOM];
  }
  const size = { width: Math.ceil(width + 2 * ROOM), height: Math.ceil(height) };
  for (const part of [picture, ground])
    for (const [name, value] of Object.entries(size)) part.setAttribute(name, value);
  picture.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  return { text: new XMLSerializer().serializeToString(picture), ...size };
}

/** A name as a part of the name of a file. */
const filePart = (name) =>
  Array.from(name.slice(0, 400))
    .slice(0, 40)
    .map((letter) => (/[\p{L}\p{N}_-]/u.test(letter) ? letter : "-"))
    .join("")
    .replace(/-+/g, "-")
    .replace(/^-|-$/g, "");

/** What the data and the figure are called, and which feature it is of. */
function fileName(figure, ending) {
  const [data, of] = [DATA.title ?? "", figure.dataset.of ?? ""].map(filePart);
  return `${[data || "eigenselect", figure.dataset.figure, of].filter(Boolean).join("-")}.${ending}`;
}

/** The name of the data and what the largest picture of the figure is called. */
function titleOf(figure) {
  const pictures = [...figure.querySelectorAll("svg[aria-label]")];
  const largest = pictures.sort((a, b) => b.clientHeight - a.clientHeight)[0];
  return `${shortened(DATA.title || "eigenselect", 80)}: ${largest?.getAttribute("aria-label") ?? figure.dataset.figure}`;
}

function saveVector(figure) {
  download(fileName(figure, "svg"), pictureOf(figure, titleOf(figure)).text, "image/svg+xml");
}

function savePixels(figure) {
  const { text, width, height } = pictureOf(figure, titleOf(figure));
  const times = Math.min(SHARPNESS, MOST_PIXELS / Math.max(width, height));
  const canvas = make("canvas", { width: Math.round(width * times), height: Math.round(height * times) });
  const image = make("img");
  image.addEventListener("load", () => {
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((made) => made && download(fileName(figure, "png"), made, "image/png"), "image/png");
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

/** Put the two buttons below a figure; they save whatever figure stands there then. */
function offerExport(figure) {
  const of = figure.dataset.of ? ` of ${shortened(figure.dataset.of, 60)}` : "";
  const name = `${figure.dataset.figure.replaceAll("-", " ")}${of}`.replace(" by of ", " by ");
  const button = (kind, save) =>
    make(
      "button",
      {
        type: "button",
        "aria-label": `Download ${name} as ${kind}`,
        onclick: (event) => save(event.currentTarget.parentElement.previousElementSibling),
      },
      kind,
    );
  figure.after(make("div", { class: "export" }, button("SVG", saveVector), button("PNG", savePixels)));
}

/** Offer it for every figure that has no buttons yet. */
function offerExports() {
  for (const figure of document.querySelectorAll("[data-figure]"))
    if (!figure.nextElementSibling?.matches(".export")) offerExport(figure);
}

new MutationObserver(offerExports).observe(document.body, { childList: true, subtree: true }); // cards may add figures
offerExports();
