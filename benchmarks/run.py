"""Times, peak memory and ratios of this library and its peers, in one run on one machine.

    python benchmarks/run.py [--only GROUP ...] [--quick] [--markdown] [--output FILE]

Every side of every row runs in a fresh process on the same stored table and graph: best of 3 calls after a warm-up
(imports and compilation do not count); a call of more than 10 s is not repeated. Peak memory is what the process
held beyond the moment before the call. Benchmarks are not tests: a missed target is printed, not an error.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from big import BIG_GROUPS
from cases import GROUPS as SMALL_GROUPS
from cold_start import cold_start_row
from data import Store
from measure import LONG_CALL_SECONDS, Job, Measurement, measure
from report import aligned_table, machine, markdown_table, result_row

RESULTS = Path(__file__).with_name("results.json")
REPEATS = 3
CLI_GROUP = "cli"
GROUPS = SMALL_GROUPS | BIG_GROUPS


def main() -> None:
    """Run the chosen groups, print the table, write the JSON."""
    options = _options()
    facts = machine()
    with tempfile.TemporaryDirectory(prefix="eigenselect-bench-") as folder:
        store = Store(Path(folder), quick=options.quick)
        rows = _rows(store, options.only or [*GROUPS, CLI_GROUP], 1 if options.quick else REPEATS)
    result = {"quick": options.quick, "machine": facts, "data": store.sources, "rows": rows}
    options.output.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    print(_document(result, options.markdown))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[*GROUPS, CLI_GROUP], metavar="GROUP", help="run only these")
    parser.add_argument("--quick", action="store_true", help="one call each, smaller tables: to see that it runs")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the JSON file (default: %(default)s)")
    return parser.parse_args()


def _rows(store: Store, groups: list[str], repeats: int) -> list[dict[str, Any]]:
    rows = []
    long_ones: dict[Job, Measurement] = {}

    def measurement(job: Job) -> Measurement:
        """Short jobs are measured again for each row, so that both sides of a ratio were timed one after the other."""
        if job in long_ones:
            return long_ones[job]
        found = measure(job, repeats)
        if (found.seconds or 0.0) > LONG_CALL_SECONDS:
            long_ones[job] = found
        return found

    for group in groups:
        if group == CLI_GROUP:
            rows.append(cold_start_row(store.csv(), repeats))
            continue
        for case in GROUPS[group](store):
            print(f"[{group}] {case.title} | {case.rival} ...", file=sys.stderr, flush=True)
            other = None if case.other is None else measurement(case.other)
            rows.append(result_row(group, case, measurement(case.ours), other))
    return rows


def _document(result: dict[str, Any], markdown: bool) -> str:
    """The table with what it was measured on."""
    facts = [f"{key}: {value}" for key, value in (result["machine"] | _prefixed(result["data"])).items()]
    if result["quick"]:
        facts.append("QUICK RUN: one call each on smaller tables; the numbers only show that the benchmarks run")
    missed = [row["case"] for row in result["rows"] if row["met"] is False]
    facts.append(f"targets missed: {'; '.join(missed) or 'none'}")
    table = markdown_table(result["rows"]) if markdown else aligned_table(result["rows"])
    return "\n".join([*(f"- {fact}" if markdown else fact for fact in facts), "", table])


def _prefixed(sources: dict[str, str]) -> dict[str, str]:
    return {f"data {name}": source for name, source in sources.items()}


if __name__ == "__main__":
    main()
