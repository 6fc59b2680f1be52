"""Times, peak memory and ratios of this library and its peers, in one run on one machine.

    python benchmarks/run.py [--only GROUP ...] [--quick] [--show] [--markdown] [--output FILE]

Every side of every row runs in a fresh process on the same stored table and graph: best of 3 calls after a warm-up
(imports and compilation do not count), fewer once they took 10 s together. Only jobs of a library that compiles for
half a minute share a process. Peak memory is what the process held beyond the moment before the call. Each row is
printed and written when it is there; groups that are not run keep their rows in the file. Benchmarks are not tests: a
missed target is printed, not an error.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from big import BIG_GROUPS
from cases import GROUPS as SMALL_GROUPS
from cold_start import cold_start_row
from data import Store
from measure import LONG_CALL_SECONDS, Job, Measurement, Processes
from report import result_row
from results import Results, Row, line

#: the results, and those of quick runs, which are never mixed with them
RESULTS, QUICK_RESULTS = (Path(__file__).with_name(name) for name in ("results.json", "results_quick.json"))
REPEATS = 3
CLI_GROUP = "cli"
GROUPS = SMALL_GROUPS | BIG_GROUPS


def main() -> None:
    """Run the chosen groups; print and write each row, and the table in the end."""
    options = _options()
    results = Results(options.output or (QUICK_RESULTS if options.quick else RESULTS))
    groups = options.only or [*GROUPS, CLI_GROUP]
    if not options.show:
        _run(results, groups, quick=options.quick)
    print(results.document(groups, markdown=options.markdown))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[*GROUPS, CLI_GROUP], metavar="GROUP", help="run only these")
    parser.add_argument("--quick", action="store_true", help="one call each, smaller tables: to see that it runs")
    parser.add_argument("--show", action="store_true", help="measure nothing: print what the file holds")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.add_argument("--output", type=Path, help=f"the JSON file (default: {RESULTS.name}, or {QUICK_RESULTS.name})")
    return parser.parse_args()


def _run(results: Results, groups: list[str], *, quick: bool) -> None:
    """Measure the groups, each with tables and shared processes of its own."""
    for group in groups:
        results.begin(group, quick=quick)
        with tempfile.TemporaryDirectory(prefix="eigenselect-bench-") as folder:
            store = Store(Path(folder), quick=quick)
            for row in _rows(group, store, 1 if quick else REPEATS):
                results.add(row, store.sources)
                print(f"[{group}] {line(row)}", flush=True)
        results.finish(group)


def _rows(group: str, store: Store, repeats: int) -> Iterator[Row]:
    if group == CLI_GROUP:
        yield cold_start_row(store.csv(), repeats)
        return
    with Processes() as processes:
        clock = _Clock(processes, repeats)
        for case in GROUPS[group](store):
            print(f"[{group}] {case.title} | {case.rival} ...", file=sys.stderr, flush=True)
            mine = clock.measured(case.ours, again=case.other is not None)
            yield result_row(group, case, mine, None if case.other is None else clock.measured(case.other))


class _Clock:
    """Measures jobs; short ones again for each row, so that both sides of a ratio were timed one after the other."""

    def __init__(self, processes: Processes, repeats: int) -> None:
        self._processes, self._repeats = processes, repeats
        self._known: dict[Job, Measurement] = {}

    def measured(self, job: Job, *, again: bool = True) -> Measurement:
        """Measure a job, unless it takes long, or the row is no ratio, and it was measured before."""
        known = self._known.get(job)
        if known is None or (again and (known.seconds or 0.0) <= LONG_CALL_SECONDS):
            known = self._known[job] = self._processes.measure(job, self._repeats)
        return known


if __name__ == "__main__":
    main()
