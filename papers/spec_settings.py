"""What the settings of papers/spec_search.py give, next to the columns of Table 2.4 that are off."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from common import markdown
from spec_search import COLONS, COSTS, DIFFERENCES, DISTANCES, NEIGHBORS, ROUNDS, SEEDS, keys
from spec_tables import TABLE_24, FloatArray
from trials import Key

#: the five of six sets that have the printed size; the table is of means over their seeds
SETS = ("RELATHE", "HOCKBASE", "PIX10P", "COLON", "DATABASEC")
RELIEFF = "10 neighbours, Euclid as given; differences squared, as given"
AROM = "as given, C = 1000, at most 50 rounds"
INDICATORS = "indicators, without the last"
ENDS = {"by column": "; kept ones, then the others, by column", "reversed": "; reversed"}


class Settings:
    """The means over seeds, by data set and setting."""

    def __init__(self, found: dict[Key, Any]) -> None:
        self.found = found
        self.sets = [name for name in SETS if (name, 0) in found]

    def cells(self, setting: str, names: list[str]) -> FloatArray:
        """The measured cell of every data set."""
        wanted = [[self.found[key][setting] for key in keys([name]) if key[0] == name] for name in names]
        return np.array([np.mean(values) for values in wanted])

    def published(self, setting: str) -> FloatArray:
        """The published cells of its column, on the same-sized sets."""
        place = list(TABLE_24.columns).index(setting.split(":")[0])
        return np.array([TABLE_24.published[name, ""][place] for name in self.sets])

    def difference(self, setting: str) -> float:
        """Mean absolute difference on the same-sized sets."""
        return float(np.abs(self.cells(setting, self.sets) - self.published(setting)).mean())


def settings_text(found: dict[Key, Any]) -> str:
    """All settings of the three columns, by their mean differences, and the forms of COLON."""
    if not found:
        return ""
    tried = Settings(found)
    intro = (
        f"Mean absolute differences on {', '.join(tried.sets)} to the published column; two thirds for training, seeds "
        f"0 to 9 (text: 0 to {min(SEEDS.values()) - 1}). **Bold**: what the chosen protocol takes.\n"
    )
    parts = ["### Table 2.4, settings tried\n", intro, _relieff_text(tried), _arom_text(tried), _cells_text(tried)]
    return "\n".join([*parts, _colon_text(tried)] if "COLON" in tried.sets else parts)


def _number(tried: Settings, column: str, setting: str, chosen: str) -> str:
    text = f"{tried.difference(f'{column}: {setting}'):.3f}"
    return f"**{text}**" if setting == chosen else text


def _relieff_text(tried: Settings) -> str:
    body = []
    for distance, difference in product(DISTANCES, DIFFERENCES):
        names = [f"{k} neighbours, {distance}; differences {difference}" for k in NEIGHBORS]
        body.append([distance, difference, *(_number(tried, "ReliefF", name, RELIEFF) for name in names)])
    header = ["ReliefF: neighbours by", "differences", *(f"{k} per class" for k in NEIGHBORS)]
    return markdown(header, body)


def _arom_text(tried: Settings) -> str:
    body = []
    for scaling, cost in product(("as given", "standardised"), COSTS):
        start = f"{scaling}, C = {cost:g}, at most"
        names = [f"{start} {rounds} rounds" for rounds in ROUNDS]
        names += [f"{start} {max(ROUNDS)} rounds{end}" for end in ENDS.values()]
        body.append([scaling, f"{cost:g}", *(_number(tried, "AROM-SVM", name, AROM) for name in names)])
    plural = {rounds: "round" if rounds == 1 else "rounds" for rounds in ROUNDS}
    header = ["AROM-SVM: features", "C", *(f"{rounds} {word}" for rounds, word in plural.items())]
    ends = [f"{max(ROUNDS)}, {end}" for end in ENDS]
    return markdown([*header, *ends], body)


def _cells_text(tried: Settings) -> str:
    """The cells of what is few, and of what random features give in the place of AROM-SVM."""
    bases = ("contrasts", "indicators, without the first", INDICATORS, "indicators, all")
    rows = [f"ReliefF: {RELIEFF}", f"AROM-SVM: {AROM}", "AROM-SVM: random features", *(f"φ3: {one}" for one in bases)]
    body = []
    for row in rows:
        pairs = zip(tried.published(row), tried.cells(row, tried.sets), strict=True)
        body.append([row, *(f"{old:.3f} / {new:.3f}" for old, new in pairs), f"{tried.difference(row):.3f}"])
    return markdown(["published / measured", *tried.sets, "mean difference"], body)


def _colon_text(tried: Settings) -> str:
    rows = {"Fisher": "", "φ1": "", "ReliefF": f" {RELIEFF}", "AROM-SVM": f" {AROM}", "φ3": f" {INDICATORS}"}
    body = []
    for column, setting in rows.items():
        name = f"{column}:{setting}"
        cells = tried.cells(name, ["COLON", *COLONS])
        body.append([column, *(f"{value:.3f}" for value in (tried.published(name)[tried.sets.index("COLON")], *cells))])
    return markdown(["COLON", "published", "**intensities**", "logarithms", "three levels"], body)
