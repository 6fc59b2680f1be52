"""Pictures of every kind of page, light and dark, wide and narrow, into docs/images (needs Chromium and scanpy).

python docs/make_screenshots.py [KIND …]: rank, compare, fuse, single_cell, notebook. Everything is made of data that
scikit-learn and scanpy ship with, or of seeded numbers.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

BUILD, IMAGES = Path("build"), Path("docs/images")
COMMAND = [sys.executable, "-m", "eigenselect"]
#: width and height of the windows
WINDOWS = {"wide": (1400, 1000), "narrow": (390, 844)}
SCHEMES = ("light", "dark")
#: colours that are enough for a page, so that the pictures stay small
COLOURS = 128


def main(*wanted: str) -> None:
    """Make the pages and take their pictures."""
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser_path is None:
        sys.exit("no chromium on this machine (make browser installs it)")
    BUILD.mkdir(exist_ok=True)
    pages = {kind: make() for kind, make in PAGES.items() if not wanted or kind in wanted}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        for kind, page in pages.items():
            for window in WINDOWS:
                for scheme in SCHEMES:
                    take(browser, page, window, scheme, IMAGES / f"page_{kind}_{window}_{scheme}.png")
        browser.close()


def take(browser: Browser, path: Path, window: str, scheme: str, picture: Path) -> None:
    """Save what a window shows of a page first, without what is empty below it."""
    width, height = WINDOWS[window]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(path.resolve().as_uri())
    page.wait_for_timeout(300)
    filled = min(height, page.evaluate("Math.ceil(document.body.getBoundingClientRect().bottom) + 24"))
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB").crop((0, 0, width, filled))
    shown.quantize(COLOURS, dither=Image.Dither.NONE).save(picture, optimize=True)
    page.close()
    print(f"wrote {picture}")


def run(*arguments: str) -> None:
    """Run the command, without its words."""
    subprocess.run([*COMMAND, *arguments, "--force", "-q"], check=True, stdout=subprocess.DEVNULL)


def rank_page() -> Path:
    """The demo's tumours, ranked with their diagnosis."""
    data, page = load_breast_cancer(as_frame=True), BUILD / "rank.html"
    table = BUILD / "breast_cancer.csv"
    data.data.assign(diagnosis=data.target_names[data.target]).to_csv(table, index=False)
    run("rank", str(table), "--label", "diagnosis", "-k", "8", "--scale", "standard", "--report", str(page))
    return page


def compare_page() -> Path:
    """Handwritten digits by several methods."""
    data, page = load_digits(as_frame=True), BUILD / "compare.html"
    table = BUILD / "digits.csv"
    data.data.assign(digit=data.target).to_csv(table, index=False)
    run("compare", str(table), "--label", "digit", "--report", str(page))
    return page


def fuse_page() -> Path:
    """Seeded genes of 60 patients, with miRNA of the same patients and a pathway."""
    rng, groups = np.random.default_rng(0), np.repeat([0, 1, 2], 20)
    patients = [f"patient {i + 1}" for i in range(60)]
    genes = rng.normal(size=(60, 300)) + 0.0
    genes[:, :6] += 1.6 * groups[:, None]
    table = pd.DataFrame(genes, index=patients, columns=[f"GENE{j + 1}" for j in range(300)])
    table.assign(subtype=np.array(["A", "B", "C"])[groups]).to_csv(BUILD / "mrna.csv", index_label="id")
    mirna = rng.normal(size=(60, 8)) + 1.2 * groups[:, None]
    pd.DataFrame(mirna, index=patients, columns=[f"mir{j}" for j in range(8)]).to_csv(
        BUILD / "mirna.csv", index_label="id"
    )
    members = [f"GENE{j}" for j in (1, 2, 3, 9, 40, 77, 999)]
    (BUILD / "pathways.gmt").write_text("\t".join(["CELL_CYCLE", "seeded", *members]) + "\n", encoding="utf-8")
    page = BUILD / "fuse.html"
    sources = ["--auxiliary", f"mirna={BUILD}/mirna.csv", "--gene-set", f"cycle={BUILD}/pathways.gmt:CELL_CYCLE"]
    options = ["--samples", "id", "--label", "subtype", "--weights", "learn", "-k", "10"]
    run("fuse", f"{BUILD}/mrna.csv", *sources, *options, "--report", str(page))
    return page


def single_cell_page() -> Path:
    """700 blood cells that scanpy ships, by the annotation of another experiment."""
    import scanpy

    table, page = BUILD / "pbmc.h5ad", BUILD / "single_cell.html"
    scanpy.datasets.pbmc68k_reduced().write_h5ad(table)
    run("rank", str(table), "--label", "bulk_labels", "-k", "20", "--report", str(page))
    return page


def notebook_page() -> Path:
    """A notebook's output, with the colours of JupyterLab."""
    import eigenselect as es

    X, y = load_wine(return_X_y=True, as_frame=True)
    X = (X - X.mean()) / X.std()
    labels = load_wine().target_names[y]
    shown = es.report(es.FisherScore(5, significance=True).fit(X, labels), X, labels, title="wine")._repr_html_()
    light = "--jp-ui-font-color0: rgba(0, 0, 0, 0.87); background: #fff;"
    dark = "--jp-ui-font-color0: #fff; --jp-content-link-color: #64b5f6; background: #111;"
    style = f"body {{ margin: 24px; {light} }} @media (prefers-color-scheme: dark) {{ body {{ {dark} }} }}"
    cell = "<pre style='margin:0 0 14px;color:#888'>In [3]: es.report(selector, X, y)</pre>"
    page = BUILD / "notebook.html"
    head = "<!DOCTYPE html><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
    page.write_text(f"{head}<style>{style}</style><body>{cell}{shown}</body>", encoding="utf-8")
    return page


PAGES: dict[str, Callable[[], Path]] = {
    "rank": rank_page,
    "compare": compare_page,
    "fuse": fuse_page,
    "single_cell": single_cell_page,
    "notebook": notebook_page,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
