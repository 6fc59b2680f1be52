"""Time and peak memory against the size of the table, with fitted exponents, for us and our peers until they fail.

    python benchmarks/scale.py [--only SWEEP ...] [--quick] [--limit SECONDS] [--output FILE] [--pictures FOLDER]

Every point is a fresh process (see `measure`): best of 3 calls after a warm-up, one call if it takes more than 10 s. A
line ends where a call takes longer than the limit, or fails; the note says how. Exponents are slopes of least squares
through the logarithms of the three largest sizes that were done: small ones show what a call costs at least.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from measure import measure
from report import machine
from sweeps import Sweep, sweeps

RESULTS = Path(__file__).with_name("scale.json")
PICTURES = Path(__file__).resolve().parents[1] / "docs" / "images"
#: sizes that an exponent is fitted to, from the largest
FITTED = 3
REPEATS = 3


def main() -> None:
    """Run the sweeps, print their tables, write the JSON and the pictures."""
    options = _options()
    chosen = [sweep for sweep in sweeps(quick=options.quick) if not options.only or sweep.name in options.only]
    found = {"quick": options.quick, "machine": machine(), "sweeps": [_swept(sweep, options) for sweep in chosen]}
    options.output.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    for sweep in found["sweeps"]:
        print(table(sweep), end="\n\n")
        if options.pictures is not None:
            options.pictures.mkdir(parents=True, exist_ok=True)
            draw(sweep, options.pictures / f"scale_{sweep['name']}.svg")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [sweep.name for sweep in sweeps(quick=True)]
    parser.add_argument("--only", nargs="+", choices=names, metavar="SWEEP", help=f"run only these: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="small tables, one call each: to see that it runs")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds after which a line ends (default: 60)")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the JSON file (default: %(default)s)")
    parser.add_argument("--pictures", type=Path, help=f"a folder for the pictures, such as {PICTURES}")
    return parser.parse_args()


def _swept(sweep: Sweep, options: argparse.Namespace) -> dict[str, Any]:
    lines = [
        _line(sweep, label, label in sweep.ours, 1 if options.quick else REPEATS, options.limit)
        for label in (*sweep.ours, *sweep.peers)
    ]
    described = {"name": sweep.name, "title": sweep.title, "axis": sweep.axis, "limit": sweep.limit}
    return described | {"lines": lines}


def _line(sweep: Sweep, label: str, ours: bool, repeats: int, limit: float) -> dict[str, Any]:
    """Measure one call at growing sizes, until it takes too long or fails."""
    points: list[dict[str, Any]] = []
    ended = ""
    for size in sweep.sizes:
        print(f"[{sweep.name}] {label}, {size} {sweep.axis} ...", file=sys.stderr, flush=True)
        found = measure(sweep.job(label, size), repeats, limit=10 * limit)
        if found.seconds is None:
            ended = f"{size} {sweep.axis}: {found.error}"
            break
        points.append({"size": size, "seconds": found.seconds, "mb": found.peak_mb, "runs": found.runs})
        if found.seconds > limit:
            ended = f"over {limit:.0f} s at {size} {sweep.axis}"
            break
    return {"label": label, "ours": ours, "points": points, "ended": ended, "exponent": exponent(points)}


def exponent(points: list[dict[str, Any]]) -> float | None:
    """Return the slope of the logarithm of time over the largest sizes; None for fewer than three.

    >>> exponent([{"size": n, "seconds": 3e-6 * n**1.5} for n in (10, 100, 1000)])
    1.5
    """
    if len(points) < FITTED:
        return None
    sizes, seconds = (np.log([point[key] for point in points[-FITTED:]]) for key in ("size", "seconds"))
    return round(float(np.polyfit(sizes, seconds, 1)[0]), 3)


def table(sweep: dict[str, Any]) -> str:
    """Return one sweep as a Markdown table: the largest size that was done, and how time grows."""
    limit = sweep["limit"]
    head = f"**{sweep['title']}**" + (f" (exponents of ours at most {limit})" if limit else "")
    rows = ["| call | largest | seconds | MB | exponent | |", "| --- | ---: | ---: | ---: | ---: | --- |"]
    for line in sweep["lines"]:
        last = line["points"][-1] if line["points"] else {"size": 0, "seconds": float("nan"), "mb": None}
        power = line["exponent"]
        missed = "missed" if limit and line["ours"] and power is not None and power > limit else ""
        memory = "" if last["mb"] is None else f"{last['mb']:.0f}"
        rows.append(
            f"| {line['label']} | {last['size']:,} | {last['seconds']:.3g} | {memory} | "
            f"{'' if power is None else f'{power:.2f}'} | {' '.join(filter(None, (missed, line['ended'])))} |"
        )
    return "\n".join([head, "", *rows])


def draw(sweep: dict[str, Any], path: Path) -> None:
    """Draw time and memory on logarithmic axes, ours in colour, peers in grey, with the exponents in the key."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    colours = iter(plt.get_cmap("tab20").colors)
    greys = iter([("0.25", "s"), ("0.45", "^"), ("0.6", "D"), ("0.72", "v")])
    for line in sweep["lines"]:
        points = line["points"]
        if not points:
            continue
        colour, marker = (next(colours), "o") if line["ours"] else next(greys)
        power = "" if line["exponent"] is None else f"  {line['exponent']:.2f}"
        style = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.5 if line["ours"] else 1.1}
        sizes = [point["size"] for point in points]
        left.loglog(sizes, [point["seconds"] for point in points], label=line["label"] + power, **style)
        right.loglog(sizes, [max(point["mb"] or 1.0, 1.0) for point in points], **style)
    for axes, what in ((left, "seconds"), (right, "peak memory beyond the inputs, MB")):
        axes.set_xlabel(sweep["axis"])
        axes.set_ylabel(what)
        axes.grid(visible=True, which="major", linewidth=0.4, color="0.85")
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(sweep["title"], fontsize=11)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False, title="call, exponent", title_fontsize=8)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
