"""Count odd phrases in sources and pages; the number may only fall: ``python docs/check_phrases.py [--list]``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: phrases that were left when they were last counted: lower it with every change that removes some
MOST = 1301
ODD = re.compile(
    r"""(?<![._])\b(?:rooms?|house|doors?|walks?|walked)\b # metaphors for code
    | \b(?:who|whom|nobody|somebody)\b                   # persons for data
    | \b(?:is|are|was|were|be)\ told\b | \bspeaks?\b | \b(?:says?|said)\ (?:so|why|nothing|once)\b
    | \bmade\ of\b                                       # built from
    | ,\ too\b(?=[.;:,)\n])
    | (?<!there)\ (?:is|are|was)\ no\ (?!longer|more|less|such)\w+ # is not a
    | \bwhere\ (?:there|it|they|nothing|all|none|no|one|that|this)\b
    | \bwhat\ says\ nothing\b | \bas\ it\ lies\b""",
    re.VERBOSE | re.IGNORECASE,
)


def main() -> int:
    paths = [
        path for kind in ("src/**/*.py", "src/**/*.html", "src/**/*.js", "docs/**/*.md") for path in ROOT.glob(kind)
    ]
    paths = [path for path in paths if "_build" not in path.parts] + [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    found = [(path, match) for path in sorted(paths) for match in ODD.finditer(path.read_text(encoding="utf-8"))]
    if "--list" in sys.argv:
        for path, match in found:
            line = match.string.count("\n", 0, match.start()) + 1
            print(f"{path.relative_to(ROOT)}:{line}: {match[0]!r}")
    print(f"{len(found)} odd phrases, at most {MOST} allowed" + ("; lower MOST" if len(found) < MOST else ""))
    return int(len(found) > MOST)


if __name__ == "__main__":
    sys.exit(main())
