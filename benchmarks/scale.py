"""Time and peak memory against the size of the table, with fitted exponents, for us and our peers until they fail.

    python benchmarks/scale.py [--only SWEEP ...] [--quick] [--limit SECONDS] [--output FILE] [--draw] [--pictures DIR]

Every line is a process, which measures one size after the other (see `measure`): best of 2 calls after a warm-up, one
call if it takes more than 10 s. A line ends where a call takes longer than the limit, or fails; the note says how.
Exponents are slopes of least squares through the logarithms of the three largest sizes that were done: small ones show
what a call costs at least. Each line is written when it is done; sweeps that are not run keep theirs in the file.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from measure import Processes
from report import machine
from sweeps import Sweep, sweeps

RESULTS, QUICK_RESULTS = (Path(__file__).with_name(name) for name in ("scale.json", "scale_quick.json"))
PICTURES = Path(__file__).resolve().parents[1] / "docs" / "images"
#: sizes that an exponent is fitted to, from the largest
FITTED = 3
REPEATS = 2
#: seconds that imports, tables, compilation and warm-ups of one size may take, beyond what calls may
PREPARATION = 180.0


def main() -> None:
    """Run the sweeps, print their tables, write the JSON and the pictures."""
    options = _options()
    chosen = [sweep for sweep in sweeps(quick=options.quick) if not options.only or sweep.name in options.only]
    path = options.output or (QUICK_RESULTS if options.quick else RESULTS)
    known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    for sweep in chosen:
        if not options.draw:
            _sweep(sweep, options, known, path)
        if sweep.name not in known:
            continue
        print(table(known[sweep.name]), end="\n\n", flush=True)
        if options.pictures is not None:
            options.pictures.mkdir(parents=True, exist_ok=True)
            draw(known[sweep.name], options.pictures / f"scale_{sweep.name}.png")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [sweep.name for sweep in sweeps(quick=True)]
    parser.add_argument("--only", nargs="+", choices=names, metavar="SWEEP", help=f"run only these: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="small tables, one call each: to see that it runs")
    parser.add_argument(
        "--draw", action="store_true", help="measure nothing: tables and pictures of what the file holds"
    )
    parser.add_argument("--limit", type=float, default=10.0, help="seconds after which a line ends (default: 10)")
    parser.add_argument("--output", type=Path, help=f"the JSON file (default: {RESULTS.name}, or {QUICK_RESULTS.name})")
    parser.add_argument("--pictures", type=Path, help=f"a folder for the pictures, such as {PICTURES}")
    return parser.parse_args()


def _sweep(sweep: Sweep, options: argparse.Namespace, known: dict[str, Any], path: Path) -> None:
    """Measure all lines of a sweep; the file is written after each."""
    begun, lines = time.perf_counter(), []
    described = {"name": sweep.name, "title": sweep.title, "axis": sweep.axis, "limit": sweep.limit}
    facts = described | {"quick": options.quick, "machine": machine(), "lines": lines}
    with Processes() as processes:
        for label in (*sweep.ours, *sweep.peers):
            lines.append(_line(sweep, label, processes, options))
            known[sweep.name] = facts | {"seconds": round(time.perf_counter() - begun, 1)}
            path.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")


def _line(sweep: Sweep, label: str, processes: Processes, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one call at growing sizes, until it takes too long or fails."""
    points: list[dict[str, Any]] = []
    ended, repeats = "", 1 if options.quick else REPEATS
    for size in sweep.sizes:
        print(f"[{sweep.name}] {label}, {size} {sweep.axis} ...", end=" ", file=sys.stderr, flush=True)
        found = processes.measure(sweep.job(label, size), repeats, limit=PREPARATION + 3 * options.limit)
        if found.seconds is None:
            ended = f"{size} {sweep.axis}: {found.error}"
            break
        print(f"{found.seconds:.3g} s", file=sys.stderr, flush=True)
        points.append({"size": size, "seconds": found.seconds, "mb": found.peak_mb, "runs": found.runs})
        if found.seconds > options.limit:
            ended = f"over {options.limit:.0f} s at {size} {sweep.axis}"
            break
    ours = label in sweep.ours
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
    """Draw time and memory on logarithmic axes: ours in colour, peers dashed in grey, slowest first in the key.

    The ground is white whatever the page's is, and so the picture can be read on a dark one.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained", facecolor="white")
    for line, style in zip(*_styled(sweep["lines"]), strict=True):
        sizes, seconds, mb = (np.array([point[key] for point in line["points"]]) for key in ("size", "seconds", "mb"))
        power = "" if line["exponent"] is None else f"  {line['exponent']:.2f}"
        left.loglog(sizes, seconds, label=line["label"] + power, **style)
        right.loglog(sizes, np.maximum(mb.astype(float), 1.0), **style)
    for axes, what in ((left, "seconds"), (right, "peak memory beyond the inputs, MB (1: at most that)")):
        _prepare(axes, sorted({point["size"] for line in sweep["lines"] for point in line["points"]}))
        axes.set(xlabel=sweep["axis"], ylabel=what)
    figure.suptitle(f"{sweep['title']}\n{_measured_on(sweep)}", fontsize=9)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False, title="call, exponent", title_fontsize=8)
    figure.savefig(path, dpi=100, metadata={"Software": None})
    plt.close(figure)


def _measured_on(sweep: dict[str, Any]) -> str:
    facts = sweep["machine"]
    return f"measured {facts['date']} on {facts['cpu']}, load {facts['load at start']} at the start"


def _styled(lines: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the lines that have points, the slowest at its end first, and how each is drawn."""
    from matplotlib import colormaps

    largest = max((line["points"][-1]["size"] for line in lines if line["points"]), default=1)
    drawn = sorted((line for line in lines if line["points"]), key=lambda line: -_seconds_at(largest, line))
    ours = [line["label"] for line in drawn if line["ours"]]
    colours = dict(zip(ours, 0.82 * colormaps["turbo"](np.linspace(0.97, 0.03, len(ours)))[:, :3], strict=True))
    greys = iter([("black", "s"), ("0.25", "^"), ("0.4", "D"), ("0.55", "v")])
    styles = []
    for line in drawn:
        colour, marker = (colours[line["label"]], "o") if line["ours"] else next(greys)
        dashes = "-" if line["ours"] else "--"
        styles.append({"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.4, "linestyle": dashes})
    return drawn, styles


def _seconds_at(size: int, line: dict[str, Any]) -> float:
    """Return what a line would reach at a size, so that those that ended early are sorted with the others."""
    last = line["points"][-1]
    return float(last["seconds"] * (size / last["size"]) ** (line["exponent"] or 1.0))


def _prepare(axes: Any, sizes: list[int]) -> None:
    """Name the sizes that were measured, and plain numbers; a fine grid for the eye."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=8)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(visible=True, which="major", linewidth=0.4, color="0.85")
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main()
