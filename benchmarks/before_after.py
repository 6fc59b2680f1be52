"""Times of this library's side of every row, in two checkouts of it, one after the other in turns.

    python benchmarks/before_after.py OLD_CHECKOUT [--only GROUP ...] [--row TEXT] [--rounds N] [--markdown]

Both checkouts get the same stored tables and graphs. Each time is the best of 3 calls in a fresh process (imports and
compilation come before the clock), and of all rounds; the order of the two changes from round to round, because the
machine's speed does, too. A row that is slower by more than 10 % is marked; it is measured in more rounds before that.
"""

from __future__ import annotations

import argparse
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from big import BIG_GROUPS
from cases import GROUPS as SMALL_GROUPS
from data import Store
from measure import Job

GROUPS = SMALL_GROUPS | BIG_GROUPS
NEW = Path(__file__).resolve().parents[1]
#: more than this is slower
SLOWER = 1.10
#: rounds of a row that looks slower, before it is called so
MOST_ROUNDS = 6

CHILD = """
import pickle, sys, warnings
sys.path[:0] = sys.argv[1:3]
warnings.simplefilter("ignore")
import measure
job = pickle.load(open(sys.argv[3], "rb"))
work = job.make(*job.arguments)
if work.warm_up is not None:
    work.warm_up()
print(measure._timed(work, 3).seconds)
"""


def seconds(tree: Path, job: Path) -> float:
    """Run our side of a row with the code of one checkout."""
    words = [sys.executable, "-c", CHILD, str(tree / "benchmarks"), str(tree / "src"), str(job)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return float(done.stdout.split()[-1])


def best_times(trees: tuple[Path, Path], job: Path, rounds: int) -> tuple[float, float, int]:
    """Return the best times of both checkouts, and in how many rounds; more rounds where the new one looks slower."""
    best, done = [float("inf")] * 2, 0
    while done < rounds or (done < MOST_ROUNDS and best[1] > SLOWER * best[0]):
        for side in (0, 1) if done % 2 else (1, 0):
            best[side] = min(best[side], seconds(trees[side], job))
        done += 1
    return best[0], best[1], done


def jobs(store: Store, groups: list[str], row: str) -> dict[str, Job]:
    """Return our side of every row whose title has a text, each once."""
    found: dict[str, Job] = {}
    for group in groups:
        for case in GROUPS[group](store):
            if row in case.title:
                found.setdefault(case.title, case.ours)
    return found


def main() -> None:
    """Print one line per row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="a checkout of the code before")
    parser.add_argument("--only", nargs="+", choices=[*GROUPS], metavar="GROUP", default=[*SMALL_GROUPS])
    parser.add_argument("--row", default="", help="only rows whose title has this text")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    edge = "| " if options.markdown else ""
    print(f"{edge}case | before (ms) | after (ms) | after / before | rounds")
    if options.markdown:
        print("| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(prefix="eigenselect-bench-") as folder:
        path = Path(folder) / "job.pickle"
        for title, job in jobs(Store(Path(folder), quick=False), options.only, options.row).items():
            path.write_bytes(pickle.dumps(job))
            try:
                before, after, rounds = best_times((options.old.resolve(), NEW), path, options.rounds)
            except RuntimeError as error:
                print(f"{edge}{title} | {error}", flush=True)
                continue
            ratio = f"{after / before:.2f}{' **slower**' if after > SLOWER * before else ''}"
            print(
                f"{edge}{title} | {before * 1e3:.1f} | {after * 1e3:.1f} | {ratio} | {rounds}",
                flush=True,
            )


if __name__ == "__main__":
    main()
