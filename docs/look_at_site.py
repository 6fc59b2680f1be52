"""Look at the built site in Chromium, light and dark, wide and narrow, and take the pictures of docs/images.

``make docs-look`` after ``make docs``. Pages must ask no other host, say nothing on the console, be no wider than the
window, and pass axe; what does not is printed, and the exit code is 1.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

DOCS = Path(__file__).parent
SITE = DOCS / "_build" / "html"
#: one page of each kind, with the picture of it
PAGES = {
    "index.html": "site_start.png",
    "auto_examples/index.html": "site_gallery.png",
    "api/generated/eigenselect.LaplacianScore.html": "site_api.png",
    "auto_examples/first_steps/plot_first_ranking.html": "",
    "api/index.html": "",
    "methods.html": "",
    "array_support.html": "",
    "command_reference.html": "",
    "significance.html": "",
    "citing.html": "",
}
WINDOWS = {"wide": (1280, 900), "narrow": (390, 844)}
SCHEMES = ("light", "dark")
#: colours that are enough for a page, so that the pictures stay small
COLOURS = 240


def main() -> int:
    """Look at every page in every window."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        sys.exit("no chromium on this machine (make browser installs it)")
    problems = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name, picture in PAGES.items():
            for window in WINDOWS:
                for scheme in SCHEMES:
                    first = (window, scheme) == ("wide", "light")
                    problems += look(browser, name, window, scheme, DOCS / "images" / picture if first else None)
        browser.close()
    print(*problems, sep="\n")
    print(f"{len(PAGES)} pages, {len(problems)} problems")
    return 1 if problems else 0


def look(browser: Browser, name: str, window: str, scheme: str, picture: Path | None) -> list[str]:
    """Open a page, save its picture if asked, and return what is wrong with it."""
    width, height = WINDOWS[window]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    heard: list[str] = []
    page.on("request", lambda asked: heard.extend([] if asked.url.startswith(("file:", "data:")) else [asked.url]))
    page.on("console", lambda said: heard.extend([said.text] if said.type == "error" else []))
    page.goto((SITE / name).as_uri())
    page.wait_for_timeout(800)  # for the formulas
    found = list(heard)  # before axe, which itself asks for styles again, and is refused
    found += [*too_wide(page), *unheard(page)]
    if picture is not None and picture.suffix:
        shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        shown.quantize(COLOURS, dither=Image.Dither.NONE).save(picture, optimize=True)
        print(f"wrote {picture}")
    page.close()
    return [f"{name} ({window}, {scheme}): {problem}" for problem in found]


def too_wide(page: Page) -> list[str]:
    """Return a sentence where the page is wider than its window."""
    excess = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{excess} pixels wider than the window"] if excess > 0 else []


def unheard(page: Page) -> list[str]:
    """Return what axe finds."""
    violations = Axe().run(page).response["violations"]
    return [f"axe: {one['id']}, {len(one['nodes'])} times: {one['nodes'][0]['html'][:120]}" for one in violations]


if __name__ == "__main__":
    sys.exit(main())
