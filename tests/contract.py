"""The contract with users as text, one promise a line: names, signatures, attributes, options, columns, keys, formats.

A line that goes or changes is a promise that is broken: it needs a line in the CHANGELOG.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import anndata
import click
import numpy as np
import pandas as pd
from sklearn.neighbors import kneighbors_graph

import eigenselect as es
from eigenselect import exceptions
from eigenselect.cli.group import cli
from eigenselect.cli.main import run

DOCS = Path(__file__).parents[1] / "docs"


def contract(folder: Path) -> str:
    """Return the whole contract; files are written into the folder."""
    parts = {
        "Names": names(), "Attributes of fitted estimators": attributes(), "Warnings and errors": classes(),
        "Options of the command": options(), "Formats": written_formats(folder), "Files of the command": files(folder),
        "Keys of AnnData": keys(), "Exit codes": exit_codes(folder),
    }  # fmt: skip
    return "\n".join(f"# {title}\n" + "\n".join(lines) + "\n" for title, lines in parts.items())


def signature(called: object) -> str:
    """Parameters with their defaults, without types."""
    parameters = inspect.signature(called).parameters.values()
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in parameters if one.name != "self"]
    return re.sub(r" at 0x\w+", "", str(inspect.Signature(plain)))


def members(kind: type) -> Iterator[str]:
    """Return the public methods and properties that this library defines."""
    for name in sorted(dir(kind)):
        found = inspect.getattr_static(kind, name)
        home = next((base.__module__ for base in kind.__mro__ if name in vars(base)), "")
        if name.startswith("_") or not home.startswith("eigenselect"):
            continue
        if isinstance(found, property):
            yield f".{name}"
        elif callable(getattr(kind, name)):
            yield f".{name}{signature(getattr(kind, name))}"


def names() -> Iterator[str]:
    sys.path.insert(0, str(DOCS))
    try:
        public = import_module("public_names").public_names()
    finally:
        sys.path.remove(str(DOCS))
    for module, listed in public.items():
        for name in sorted(listed):
            found = getattr(import_module(module), name)
            if inspect.isclass(found) and not issubclass(found, Exception | str):
                yield f"{module}.{name}{signature(found.__init__)}"
                yield from (f"{module}.{name}{member}" for member in members(found))
            elif inspect.isfunction(found):
                yield f"{module}.{name}{signature(found)}"
            else:
                yield f"{module}.{name}"


def attributes() -> Iterator[str]:
    """Attributes that the docstrings name; test_common holds them against fits."""
    for name in sorted(es.__all__):
        if name[0].isupper() and hasattr(getattr(es, name), "fit"):
            text = re.search(r"Attributes\n-+\n(.*?)\n\n", inspect.getdoc(getattr(es, name)), re.DOTALL)[1]
            lines = [line.split(" :")[0] for line in text.split("\n") if re.match(r"\S", line)]
            yield from (f"{name}.{one.strip()}" for line in lines for one in line.split(","))


def classes() -> Iterator[str]:
    for name in sorted(exceptions.__all__):
        bases = [base.__name__ for base in getattr(exceptions, name).__bases__]
        yield f"{name}({', '.join(bases)})"


def options() -> Iterator[str]:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        for one in cli.get_command(context, name).params:
            default = "" if one.default is None or "Sentinel" in repr(one.default) else f" [{one.default}]"
            choices = getattr(one.type, "choices", None)
            kind = "|".join(map(str, choices)) if choices else one.type.name
            many = " ..." if one.multiple or one.nargs == -1 else ""
            yield f"{name} {', '.join(one.opts)} {kind}{many}{default}"


def written_formats(folder: Path) -> Iterator[str]:
    """Try every ending that a user might: which ones does a command write?"""
    csv, h5ad = tables(folder)
    (read,) = [one.type.choices for one in cli.get_command(click.Context(cli), "rank").params if "--format" in one.opts]
    yield f"read: {', '.join(read)}"
    for command, words in (("rank", ()), ("select", ("-k", "2")), ("compare", ("-k", "2")), ("fuse", ())):
        endings = []
        for ending in ("csv", "tsv", "json", "md", "html", "parquet", "npz", "xlsx", "h5ad"):
            target = folder / f"{command} formats.{ending}"
            table = h5ad if ending == "h5ad" else csv
            chosen = ("--label", "y")
            if command == "fuse":
                named = ending == "h5ad"
                chosen = ("--auxiliary", f"other={folder}/{'named' if named else 'other'}.csv")
                chosen += () if named else ("--ignore", "y")
            code = run([command, str(table), *chosen, *words, "-o", str(target), "--quiet"])
            endings += [ending] if code == 0 and target.exists() else []
        yield f"{command} writes {', '.join(endings)}"


def small_table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    frame = pd.DataFrame(rng.normal(size=(40, 5)) + np.outer(y, [4, 3, 0, 0, 0]), columns=list("abcde"))
    return frame, y


def tables(folder: Path) -> tuple[Path, Path]:
    """Write the small table as csv and as h5ad."""
    frame, y = small_table()
    labels = np.where(y, "right", "left")
    frame.to_csv(folder / "other.csv", index=False)
    frame.set_axis(annotated().obs_names).to_csv(folder / "named.csv")
    frame.assign(y=labels).to_csv(folder / "table.csv", index=False)
    annotated().write_h5ad(folder / "table.h5ad")
    return folder / "table.csv", folder / "table.h5ad"


def annotated() -> anndata.AnnData:
    """Return the small table with labels, coordinates and a spatial graph."""
    frame, y = small_table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adata = anndata.AnnData(frame.to_numpy(), obs={"y": pd.Categorical(np.where(y, "right", "left"))})
    adata.obs_names, adata.var_names = [f"cell {i}" for i in range(40)], frame.columns
    adata.obsm["spatial"] = np.random.default_rng(1).random((40, 2))
    adata.obsp["spatial_connectivities"] = kneighbors_graph(adata.obsm["spatial"], 4)
    adata.obsp["connectivities"] = kneighbors_graph(frame, 4)
    return adata


def paths(value: object, prefix: str = "") -> Iterator[str]:
    """Return the paths of all keys of a JSON value; a list stands for its items."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{prefix}{key}"
            yield from paths(inner, f"{prefix}{key}.")
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, prefix.removesuffix(".") + "[].")


#: calls whose files have columns and keys that programs read
CALLS = {
    "rank": ("rank", "--label", "y"),
    "rank without labels": ("rank", "--ignore", "y"),
    "compare": ("compare", "--label", "y", "-k", "2", "--methods", "fisher,laplacian"),
    "fuse": ("fuse", "--ignore", "y", "--auxiliary", "other={folder}/other.csv"),
}


def files(folder: Path) -> Iterator[str]:
    table, _ = tables(folder)
    for name, (command, *words) in CALLS.items():
        words = [word.format(folder=folder) for word in words]
        for ending in ("csv", "json"):
            target = folder / f"{command}.{ending}"
            assert run([command, str(table), *words, "-o", str(target), "--force", "--quiet"]) == 0
            if ending == "csv":
                yield f"{name}, csv: {', '.join(pd.read_csv(target).columns)}"
            else:
                found = json.loads(target.read_text(encoding="utf-8"))
                yield from (f"{name}, json: {path}" for path in sorted(set(paths(found))) if ".versions." not in path)


def written(adata: object) -> set[str]:
    """Return all keys of an AnnData, two levels deep in uns."""
    parts = ("var", "varm", "obs", "obsm", "obsp")
    found = {f"{part}[{key}]" for part in parts for key in list(getattr(adata, part))}
    for key, value in adata.uns.items():
        found |= {f"uns[{key}]", *(f"uns[{key}][{inner}]" for inner in value if isinstance(value, dict))}
    return found


def keys() -> Iterator[str]:
    """Return what the verbs write to an AnnData."""
    calls = {
        "pp.spectral_features(labels)": lambda adata: es.pp.spectral_features(adata, 2, label_key="y"),
        "pp.spectral_features(graph)": lambda adata: es.pp.spectral_features(adata, 2, obsp="connectivities"),
        "gr.spatial_autocorr": es.gr.spatial_autocorr,
    }
    for name, call in calls.items():
        adata = annotated()
        before = written(adata)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(adata)
        yield from (f"{name} writes {key}" for key in sorted(written(adata) - before))


def exit_codes(folder: Path) -> Iterator[str]:
    for words in (["methods"], ["rank", str(folder / "absent.csv")], ["rank", "--no-such-option"]):
        yield f"{run(words)}: {' '.join(Path(word).name for word in words)}"
