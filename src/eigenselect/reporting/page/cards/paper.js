// For the paper: buttons that copy what stands in the card.

/** Copy the text that a button stands for, and say so where screen readers hear it. */
async function copyPart(button) {
  const part = byId(button.dataset.copies);
  const lines = part.tagName === "UL" ? Array.from(part.children, (item) => item.textContent) : [part.textContent];
  const what = button.textContent.replace(/^Copy /, "").trim();
  const done = await copyText(lines.join("\n"));
  byId("paper-told").textContent =
    done === false ? `not copied: select the text and copy it by hand` : `copied ${what}`;
}

for (const button of document.querySelectorAll("#paper .copier")) {
  button.hidden = false;
  button.addEventListener("click", () => copyPart(button));
}
