"""Refuse a tag that is not that of this version: ``TAG=v0.1.0 python -m release.tag``."""

from __future__ import annotations

import os

from release.facts import released, version


def main(tag: str) -> str:
    """Return a sentence about the release, or leave with one about the tag."""
    if tag != f"v{version()}":
        raise SystemExit(
            f"the tag: expected v{version()}, the version of __init__.py, got {tag!r}; tag the right commit."
        )
    return f"{tag}, released {released()}"


if __name__ == "__main__":
    print(main(os.environ.get("TAG", "")))
