"""The upper part of a report as a picture: python docs/make_screenshot.py PAGE.html PICTURE.png (needs Chromium)."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

SIZE = {"width": 1160, "height": 1130}


def main(page_path: str, picture_path: str) -> None:
    """Open the page and save what a window shows of it."""
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser_path is None:
        sys.exit("no chromium on this machine (make browser installs it)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(Path(page_path).resolve().as_uri())
        page.screenshot(path=picture_path)
        browser.close()
    print(f"wrote {picture_path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
