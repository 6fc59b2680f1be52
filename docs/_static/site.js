// What the theme, the gallery and docutils leave unnamed for those who listen to a page.
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll("nav summary:not([aria-label])")) {
    const link = summary.closest("li")?.querySelector("a");
    summary.setAttribute("aria-label", `Pages below ${link?.textContent.trim() ?? "this one"}`);
  }
  for (const link of document.querySelectorAll(".sphx-glr-thumbcontainer a.internal")) {
    link.setAttribute("aria-label", link.textContent.trim());
  }
  for (const element of document.querySelectorAll(".citation-list, .citation[role]")) {
    element.removeAttribute("role");
  }
});
