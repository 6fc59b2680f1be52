// How wide words are, so that charts keep the room that names need and shorten only what would not fit.

const RULER = document.createElement("canvas").getContext("2d");

/** Width of a text in the letters of charts, in pixels; of very long ones only the beginning is measured. */
function textWidth(text, size = 12) {
  RULER.font = `${size}px system-ui, "Segoe UI", Roboto, sans-serif`;
  return Math.ceil(RULER.measureText(text.length > 600 ? text.slice(0, 600) : text).width) + 1;
}

/** Width of the widest of some texts, but no more than a limit. */
const widest = (texts, limit, size = 12) =>
  texts.reduce((most, text) => Math.min(limit, Math.max(most, textWidth(text, size))), 0);

/** A text as it is where it fits, else as much of it as does, with three dots. */
function fitText(text, room, size = 12) {
  if (textWidth(text, size) <= room) return text;
  const characters = Array.from(text.slice(0, 600));
  let [low, high] = [0, characters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(characters.slice(0, middle).join("") + "…", size) <= room) low = middle;
    else high = middle - 1;
  }
  return characters.slice(0, low).join("") + "…";
}

/** A text in lines that are at most so wide: broken between words, and within a word that is wider by itself. */
function wrappedLines(text, width) {
  const lines = [""];
  for (const piece of text.split(/(?<=[\s_\-.,/])/)) {
    const last = lines.length - 1;
    if (textWidth((lines[last] + piece).trimEnd()) <= width) lines[last] += piece;
    else if (textWidth(piece.trimEnd()) <= width) lines.push(piece);
    else
      for (const letter of Array.from(piece)) {
        if (textWidth(lines.at(-1) + letter) <= width) lines[lines.length - 1] += letter;
        else lines.push(letter);
      }
  }
  return lines.map((line) => line.trimEnd()).filter((line) => line !== "");
}

/** A name in a chart: whole where it fits, and always whole as its title. */
function drawName(name, room, { size = 12, ...properties }) {
  return draw(
    "text",
    { ...properties, style: { fontSize: `${size}px`, ...properties.style } },
    fitText(name, room, size),
    draw("title", {}, name),
  );
}

/** An empty chart that can be scaled, as paper narrower than the window needs. */
const drawChart = (width, height, label) =>
  draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });

/** Place parts that know their width and height beside each other, and below where they do not fit. */
function flow(items, width, gap = 26) {
  const group = draw("g");
  let [x, y, tall] = [0, 0, 0];
  for (const { element, width: wide, height } of items) {
    if (x && x + wide > width) [x, y, tall] = [0, y + tall + 6, 0];
    element.setAttribute("transform", `translate(${x} ${y})`);
    group.append(element);
    [x, tall] = [x + wide + gap, Math.max(tall, height)];
  }
  return { element: group, height: y + tall };
}

/** A swatch with a name, as a part of `flow`. */
function flowName(name, mark, width) {
  const room = Math.max(40, Math.min(width - 18, 320));
  return {
    element: draw("g", {}, mark, drawName(name, room, { x: 17, y: 10.5 })),
    width: 18 + Math.min(room, textWidth(name)),
    height: 15,
  };
}
