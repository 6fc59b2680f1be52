"""Seeded random public calls in two checkouts, compared value by value.

    python benchmarks/differential.py OLD_CHECKOUT [--calls N] [--seed S] [--jobs 2] [--only TEXT] [--only-call N]
                                                   [--messages] [--resume | --fresh] [--list]

The calls are those of `differential_calls.py` of this checkout. They run in worker processes with the code of this
checkout and with that of OLD_CHECKOUT, in the same environment. What they gave is kept in build/differential, by the
content of src/ and of the calls: a run that was stopped goes on, and an old checkout is run once. Numbers may differ by
1e-10, texts of messages by anything. A call that one of the two does not have (a new name or option) is skipped.
The exit code is 1 if there are differences.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parents[1]
CALLS = Path(__file__).with_name("differential_calls.py")
KEPT = HERE / "build" / "differential"
#: calls that one process makes
BLOCK = 400
#: how far numbers may be apart, as a part of their size
TOLERANCE = 1e-10
#: and, but for p-values, as a part of the largest number of the array that they stand in
FLOOR = 1e-12
#: words from which a text of a result is a message
SENTENCE = 3
#: keys of an array of numbers
ARRAY = {"shape", "type", "numbers"}
#: differences that are printed
SHOWN = 20


# -- running -----------------------------------------------------------------------------------------


def folder_of(side: str, checkout: Path) -> Path:
    """Name the folder of the outcomes of one side by the content of its src/ and of the calls."""
    digest = hashlib.sha256(CALLS.read_bytes())
    for path in sorted((checkout / "src").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(checkout)}\n".encode() + path.read_bytes())
    return KEPT / f"{side}-{digest.hexdigest()[:12]}"


def outcomes(folder: Path, seed: int) -> dict[int, dict[str, Any]]:
    """Read what is there of one side; a line that was not finished does not count."""
    found = {}
    for path in folder.glob(f"{seed}-*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                row = json.loads(line)
                found[row["number"]] = row
    return found


def environment(checkout: Path, folder: Path) -> dict[str, str]:
    """Make the environment of a worker: this code, one thread of BLAS, kernels compiled from this code alone."""
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    paths = {"PYTHONPATH": str(checkout / "src"), "NUMBA_CACHE_DIR": str(folder / "numba")}
    return {**os.environ, **threads, **paths, "COLUMNS": "100", "PYTHONHASHSEED": "0"}


def check_code(checkout: Path, variables: dict[str, str]) -> None:
    """Refuse a checkout whose code is not what a worker would import."""
    words = [sys.executable, "-c", "import eigenselect; print(eigenselect.__file__)"]
    found = subprocess.run(words, env=variables, capture_output=True, text=True, check=False).stdout.strip()
    if not found.startswith(str(checkout / "src")):
        sys.exit(f"{checkout}: has no code that can be imported (found {found or 'none'})")


def run_block(checkout: Path, folder: Path, seed: int, numbers: list[int]) -> None:
    """Make some calls in a process of their own; a call that ends the process is an outcome.

    So is one that takes too long twice: the first time the machine may have been busy, or the process stopped.
    """
    path = folder / f"{seed}-{numbers[0]}.jsonl"
    words = [sys.executable, str(CALLS), str(path), str(seed)]
    options = {"env": environment(checkout, folder), "capture_output": True, "text": True, "check": False}
    slow = set()
    while numbers:
        done = subprocess.run(words, input=" ".join(map(str, numbers)), **options)
        known = outcomes(folder, seed)
        numbers = [number for number in numbers if number not in known]
        too_long = "Timeout (" in done.stderr
        if numbers and done.returncode == 1 and not too_long:
            raise RuntimeError(done.stderr)
        if numbers and too_long and numbers[0] not in slow:
            slow.add(numbers[0])
        elif numbers:
            error = "took too long" if too_long else f"process ended, {done.returncode}"
            row = {"number": numbers.pop(0), "value": None, "error": error, "seconds": 0.0}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**row, "absent": False, "warnings": [], "warned": []}) + "\n")


def run(sides: dict[Path, Path], seed: int, numbers: list[int], jobs: int) -> list[dict[int, dict[str, Any]]]:
    """Make the calls that are missing on each side, and return all outcomes."""
    with ThreadPoolExecutor(jobs) as pool:
        waiting = []
        for folder, checkout in sides.items():
            folder.mkdir(parents=True, exist_ok=True)
            check_code(checkout, environment(checkout, folder))
            missing = sorted({*numbers} - {*outcomes(folder, seed)})
            size = min(BLOCK, -(-len(missing) // jobs) or 1)
            blocks = [missing[start : start + size] for start in range(0, len(missing), size)]
            waiting += [pool.submit(run_block, checkout, folder, seed, block) for block in blocks]
        for done, future in enumerate(waiting, 1):
            future.result()
            print(f"\r{done} of {len(waiting)} blocks", end="", file=sys.stderr, flush=True)
    return [outcomes(folder, seed) for folder in sides]


# -- comparing ---------------------------------------------------------------------------------------


def differences(old: Any, new: Any, name: str = "", *, messages: bool = False, floor: float = 0.0) -> Iterator[str]:
    """List where two values differ, each place in one line."""
    if isinstance(old, dict) and isinstance(new, dict) and {*old} == {*new} == ARRAY:
        if (old["shape"], old["type"]) != (new["shape"], new["type"]):
            yield f"{name}: {old['shape']} {old['type']} is now {new['shape']} {new['type']}"
        else:
            yield from apart(old["numbers"], new["numbers"], name, floor)
    elif isinstance(old, dict) and isinstance(new, dict):
        known = old.get("rounding_", {}).get("numbers", [])
        floor = float(np.nanmax(known, initial=0.0)) if len(known) and not np.all(np.isnan(known)) else 0.0
        for key in [*old, *(key for key in new if key not in old)]:
            place = f"{name}.{key}" if name else key
            if key not in old or key not in new:
                yield f"{place}: only in the {'new' if key in new else 'old'} checkout"
            elif key != "seconds" and (messages or key not in ("said", "warned", "text")):
                near = floor if key in ("scores_", "native_scores_") else 0.0
                yield from differences(old[key], new[key], place, messages=messages, floor=near)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, f"{name}[{place}]", messages=messages)
    elif is_number(old) and is_number(new):
        yield from apart([old], [new], name, 0.0)
    elif old != new and (messages or not (is_message(old) and is_message(new))):
        yield f"{name}: {str(old)[:80]} is now {str(new)[:80]}"


def apart(old: list[Any], new: list[Any], name: str, floor: float) -> Iterator[str]:
    """Say how far two lists of numbers are apart, if they are; p-values by their ratio alone."""
    a, b = np.asarray(old, dtype=float), np.asarray(new, dtype=float)
    if not any(word in name.rsplit(".", 1)[-1].lower() for word in ("pval", "qval", "p_val")):
        floor += FLOOR * float(np.max(np.abs(a), where=np.isfinite(a), initial=0.0))
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= TOLERANCE * np.maximum(np.abs(a), np.abs(b)) + floor
    equal = (a == b) | (np.isnan(a) & np.isnan(b)) | (near & np.isfinite(a) & np.isfinite(b))
    if not equal.all():
        first = int(np.argmin(equal))
        yield f"{name}: {np.sum(~equal)} of {a.size} numbers, such as {float(a[first])} is now {float(b[first])}"


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_message(value: Any) -> bool:
    return isinstance(value, str) and len(value.split()) >= SENTENCE


# -- reporting ---------------------------------------------------------------------------------------


def compare(
    calls: dict[int, tuple[str, str]], old: dict[int, Any], new: dict[int, Any], *, messages: bool
) -> dict[int, list[str]]:
    """Print one line per kind of call; return the differences of every call that has some."""
    counts: Counter[tuple[str, str]] = Counter()
    found, skipped = {}, Counter[str]()
    for number, (kind, _) in calls.items():
        pair = old[number], new[number]
        absent = [row["absent"] for row in pair]
        if absent[0] != absent[1]:
            counts[kind, "skipped"] += 1
            skipped[pair[absent.index(True)].get("said", "an option of the command")] += 1
            continue
        listed = list(differences(*pair, messages=messages))
        counts[kind, "compared"] += 1
        counts[kind, "refused"] += pair[0]["error"] is not None
        counts[kind, "different"] += bool(listed)
        if listed:
            found[number] = listed
    columns = ("compared", "refused", "skipped", "different")
    kinds = sorted({kind for kind, _ in calls.values()})
    print(f"{'':16}", *(f"{column:>10}" for column in columns))
    for kind in kinds:
        print(f"{kind:16}", *(f"{counts[kind, column]:10}" for column in columns))
    print(f"{'all':16}", *(f"{sum(counts[kind, column] for kind in kinds):10}" for column in columns))
    for text, times in skipped.items():
        print(f"skipped {times} times: {text}")
    return found


def show(found: dict[int, list[str]], calls: dict[int, tuple[str, str]], words: str) -> None:
    """Print the first differences, each with its call as it can be pasted."""
    for number, listed in [*found.items()][:SHOWN]:
        print(f"\ncall {number} ({calls[number][0]}); alone: {words} --only-call {number}")
        print("\n".join(f"  {line}" for line in listed[:SHOWN]))
        print("\n".join(f"    >>> {line}" for line in calls[number][1].splitlines()))
    if len(found) > SHOWN:
        print(f"\nand {len(found) - SHOWN} more calls: {[*found][SHOWN:]}")


def uncalled(calls: dict[int, tuple[str, str]]) -> list[str]:
    """List public names that no call has in its text."""
    sys.path.insert(0, str(HERE / "docs"))
    from public_names import public_names

    text = {word for _, call in calls.values() for word in re.findall(r"\w+", call)}
    return [f"{module}.{name}" for module, names in public_names().items() for name in names if name not in text]


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="a checkout of the code before")
    parser.add_argument("--calls", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--only", metavar="TEXT", default="", help="a kind of calls, or calls with this in their text")
    parser.add_argument("--only-call", type=int, metavar="N", help="this call alone, anew")
    parser.add_argument("--messages", action="store_true", help="compare texts of messages, too")
    parser.add_argument("--resume", dest="fresh", action="store_false", help="go on after an earlier run (the default)")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs gave")
    parser.add_argument("--list", action="store_true", help="count the calls and name what none calls; run nothing")
    parser.set_defaults(fresh=False)
    return parser.parse_args()


def main() -> int:
    """Run, compare, print."""
    asked = options()
    sys.path[:0] = [str(CALLS.parent), str(HERE / "src")]
    from differential_calls import KINDS, call

    numbers = range(asked.calls) if asked.only_call is None else [asked.only_call]
    calls = {number: call(asked.seed, number) for number in numbers}
    place = 0 if asked.only in KINDS else 1
    calls = {number: drawn for number, drawn in calls.items() if asked.only in drawn[place]}
    if asked.list:
        print(Counter(kind for kind, _ in calls.values()))
        print("not called:", *uncalled(calls))
        return 0
    sides = {folder_of("old", asked.old.resolve()): asked.old.resolve(), folder_of("new", HERE): HERE}
    if asked.only_call is not None:
        sides = {folder.with_name(f"{folder.name}-alone"): checkout for folder, checkout in sides.items()}
    for folder in sides if asked.fresh or asked.only_call is not None else ():
        shutil.rmtree(folder, ignore_errors=True)
    old, new = run(sides, asked.seed, [*calls], asked.jobs)
    found = compare(calls, old, new, messages=asked.messages)
    show(found, calls, f"python {sys.argv[0]} {asked.old} --seed {asked.seed}")
    spent = [sum(rows[number]["seconds"] for number in calls) for rows in (old, new)]
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = children.ru_utime + children.ru_stime
    print(f"\nprocessor seconds: {spent[0]:.0f} (old), {spent[1]:.0f} (new); all processes of this run {used:.0f}")
    print(f"{len(found)} of {len(calls)} calls differ")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
