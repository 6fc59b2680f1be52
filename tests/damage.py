"""Files and option lists, sound and damaged, for the fuzz of the command: all from one seeded generator."""

from __future__ import annotations

import contextlib
import gzip
import io
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.io import savemat

N_SAMPLES, N_FEATURES = 18, 5
#: formats whose bytes are changed at random
DAMAGED = {"csv", "tsv", "csv.gz", "npz", "mat", "parquet", "h5ad", "gmt", "txt"}
#: names and cells that tables should not have, but do
WILD = [
    "x" * 20_000, "\x1b[2J", "\x00", "", " ", '"', "'", ",", "\t", ";", "NA", "nan", "inf", "-inf", "1e400", "-1e-400",
    "9" * 400, "0x10", "1,5", "½", "ゲノム", "\ufeff", "\u202e", "=cmd()", "{}", "None", "True", "1_000", "2024-01-01",
    "../x", "%s", "\\", "TP53|7157", "a\nb", "\r", "\udcff", "1e308", "5e-324", "-0", "+1", "1e155",
]  # fmt: skip


def sound_files() -> dict[str, bytes]:
    """A table in every format, and files of knowledge that fit to it."""
    rng = np.random.default_rng(0)
    y = np.arange(N_SAMPLES) % 3
    frame = pd.DataFrame(rng.normal(size=(N_SAMPLES, N_FEATURES)).round(3), columns=list("abcde"))
    frame["b"] += 3 * y
    samples = [f"s{i}" for i in range(N_SAMPLES)]
    table = frame.assign(id=samples, y=[("u", "v", "w")[c] for c in y])
    partly = table.assign(y=table["y"].where(np.arange(N_SAMPLES) % 3 != 1, ""))
    numbers = table.assign(y=y)
    text = table.to_csv(index=False).encode()
    aux = pd.DataFrame(rng.normal(size=(N_SAMPLES, 2)).round(3), columns=["m1", "m2"], index=samples)
    files = {
        "t.csv": text,
        "partly.csv": partly.to_csv(index=False).encode(),
        "numbers.csv": numbers.to_csv(index=False).encode(),
        "t.tsv": table.to_csv(index=False, sep="\t").encode(),
        "t.csv.gz": gzip.compress(text),
        "aux.csv": aux.to_csv(index_label="id").encode(),
        "sheet.csv": _sheet(samples).encode(),
        "terms.csv": b"feature,term\na,x\nb,x\nc,z\nd,z\n",
        "sets.gmt": b"SET\tna\ta\tb\tc\nOTHER\tna\td\n",
        "edges.txt": b"a b\nb c 0.5\n# no\nd e\n",
    }
    return files | _binary_files(frame, y, samples)


def _sheet(samples: list[str]) -> str:
    """Labels and batches of the samples, and of the cells of the annotated table, in another order."""
    names = [*samples, *(f"c{i}" for i in range(N_SAMPLES))][::-1]
    lines = [f"{name},{'uv'[i % 2]},b{i % 3}" for i, name in enumerate(names)]
    return "\n".join(["id,type,batch", *lines]) + "\n"


def _binary_files(frame: pd.DataFrame, y: np.ndarray, samples: list[str]) -> dict[str, bytes]:
    X, names = frame.to_numpy(), np.array(frame.columns, dtype=str)
    dense, thin, matlab = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.savez(dense, X=X, y=y, id=np.array(samples), feature_names=names)
    sparse.save_npz(thin, sparse.csr_matrix(np.maximum(X, 0)))
    savemat(matlab, {"X": X, "y": y, "id": samples})
    files = {"t.npz": dense.getvalue(), "sparse.npz": thin.getvalue(), "t.mat": matlab.getvalue()}
    return files | _optional_files(frame.assign(id=samples, y=y))


def _optional_files(table: pd.DataFrame) -> dict[str, bytes]:
    """Those whose libraries may be missing."""
    files = {}
    with contextlib.suppress(ImportError):
        columns = io.BytesIO()
        table.to_parquet(columns)
        files["t.parquet"] = columns.getvalue()
    with contextlib.suppress(ImportError):
        files["t.h5ad"] = _annotated(table)
    return files


def _annotated(table: pd.DataFrame) -> bytes:
    import anndata

    with tempfile.TemporaryDirectory() as folder:
        X = table[list("abcde")]
        obs = table[["y", "id"]].set_axis([f"c{i}" for i in range(len(table))])
        data = anndata.AnnData(X.to_numpy(), obs=obs, var=pd.DataFrame(index=X.columns))
        data.layers["log"] = sparse.csr_matrix(np.maximum(data.X, 0))
        line = sparse.diags_array([np.ones(len(obs) - 1)] * 2, offsets=[-1, 1], format="csr")
        data.obsp["connectivities"] = data.obsp["spatial_connectivities"] = line
        data.raw = data.copy()
        data.write_h5ad(f"{folder}/t.h5ad")
        return Path(folder, "t.h5ad").read_bytes()


class Damage:
    """What happens to files, by a generator."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def of(self, name: str, content: bytes) -> bytes:
        """The content after one to three accidents; text has more kinds of them."""
        ending = name.split(".", 1)[1]
        if ending not in DAMAGED:
            return content
        text = ending in ("csv", "tsv", "gmt", "txt")
        kinds = [*self.BYTES, *(self.TEXT if text else [])]
        for _ in range(self.rng.integers(1, 4)):
            content = kinds[self.rng.integers(len(kinds))](self, content)
        return content

    def _place(self, content: bytes) -> int:
        return int(self.rng.integers(len(content) + 1))

    def flip(self, content: bytes) -> bytes:
        changed = bytearray(content)
        for _ in range(self.rng.integers(1, 6) if changed else 0):
            changed[self._place(content[:-1])] ^= 1 << int(self.rng.integers(8))
        return bytes(changed)

    def cut(self, content: bytes) -> bytes:
        return content[: self._place(content)]

    def lose(self, content: bytes) -> bytes:
        start = self._place(content)
        return content[:start] + content[start + int(self.rng.integers(40)) :]

    def repeat(self, content: bytes) -> bytes:
        start, end = sorted((self._place(content), self._place(content)))
        return content[:end] + content[start:end] + content[end:]

    def insert(self, content: bytes) -> bytes:
        place, piece = self._place(content), self._wild()
        return content[:place] + piece + content[place:]

    def empty(self, content: bytes) -> bytes:
        return b""

    def _wild(self) -> bytes:
        return WILD[self.rng.integers(len(WILD))].encode("utf-8", "surrogateescape")

    def mark(self, content: bytes) -> bytes:
        return b"\xef\xbb\xbf" + content

    def lines_of_windows(self, content: bytes) -> bytes:
        return content.replace(b"\n", b"\r\n")

    def repeat_line(self, content: bytes) -> bytes:
        lines = content.splitlines(keepends=True) or [b""]
        place = int(self.rng.integers(len(lines)))
        return b"".join([*lines[: place + 1], *lines[place:]])

    def lose_line(self, content: bytes) -> bytes:
        lines = content.splitlines(keepends=True) or [b""]
        del lines[int(self.rng.integers(len(lines)))]
        return b"".join(lines)

    def change_cell(self, content: bytes) -> bytes:
        lines = content.split(b"\n")
        row = int(self.rng.integers(len(lines)))
        mark = next((mark for mark in (b"\t", b",", b" ") if mark in lines[row]), b",")
        cells = lines[row].split(mark)
        cells[int(self.rng.integers(len(cells)))] = self._wild()
        lines[row] = mark.join(cells)
        return b"\n".join(lines)

    def other_mark(self, content: bytes) -> bytes:
        marks = (b",", b"\t", b";", b" ", b"|")
        return content.replace(marks[self.rng.integers(5)], marks[self.rng.integers(5)])

    def other_encoding(self, content: bytes) -> bytes:
        codec = ("utf-16", "latin-1", "utf-32")[self.rng.integers(3)]
        return content.decode("utf-8", "replace").encode(codec, "replace")

    BYTES = (flip, cut, lose, repeat, insert, empty)
    TEXT = (
        mark, lines_of_windows, repeat_line, lose_line, change_cell, change_cell, change_cell, other_mark,
        other_encoding,
    )  # fmt: skip


#: values of options, sound ones first
VALUES = {
    "--label": ["y", "y", "y", "Y", "a", "id", "", "x" * 20_000, "\x1b[2J", "nan"],
    "--samples": ["id", "id", "a", "ID", "y", "no such"],
    "--ignore": ["y", "id", "a,b", "y,id", "id", "a,b,c,d,e", "z", ",", "", "\r"],
    "--scale": ["standard", "minmax", "none", "Standard", "x"],
    "--impute": ["median", "mean"],
    "--format": ["csv", "tsv", "npz", "mat", "parquet", "h5ad", "xlsx"],
    "-o": [
        *(f"out.{ending}" for ending in ("csv", "tsv", "json", "md", "npz", "h5ad", "parquet", "xyz")),
        *("t.csv", "aux.csv", "no/out.csv", ".", "out", "-"),
    ],
    "--labels": ["sheet.csv:type", "sheet.csv", "sheet.csv:typ", "t.h5ad:y", "no.csv:type", ":", "aux.csv:m1"],
    "--covariates": ["sheet.csv:batch", "sheet.csv:batch,type", "sheet.csv", "aux.csv", "sheet.csv:", "t.csv"],
    "--duplicates": ["first", "suffix", "mean", "error", "x"],
    "--sep": [";", "tab", ",", "xx", ""],
    "--decimal": [",", ".", ";"],
    "--encoding": ["utf-8", "cp1252", "utf-16", "no such"],
    "--layer": ["log", "counts", "Log", "", "../X", "x" * 2_000],
    "--obsp": ["connectivities", "spatial_connectivities", "distances", "no such", "../X", ""],
    "--jobs": ["1", "2", "-1", "0", "x"],
    "--seed": ["0", "7", "-1", "4294967296"],
}
FLAGS = ["--one-hot", "--json", "--force", "--quiet"]
#: flags that few tables allow
RARE_FLAGS = ["--transpose", "--raw"]
RANKING = {
    "--method": [
        "laplacian", "fisher", "relieff", "hsic", "trace-ratio", "sselect", "evsc", "mrsf", "spec-phi1", "spec-phi2",
        "spec-phi3", "Fisher", "magic", "x" * 20_000,
    ],
    "--similarity": ["knn", "rbf", "knn:k=3", "knn:k=99", "knn:k=0", "rbf:bandwidth=-1", "linear", "cosine", "x:y=z"],
    "--power": ["1", "2", "0.5", "-1", "nan", "1e9", "x"],
    "--clusters": ["2", "3", "1", "99"],
}  # fmt: skip
COUNTS = ["1", "2", "5", "6", "0", "-1", "0.5", "1.5", "auto", "nan", "x", "1e3", "9" * 30]
COMMANDS = {
    "rank": RANKING | {"-k": COUNTS, "--report": ["page.html", "page.htm", "page.csv", "t.csv"]},
    "select": RANKING | {"-k": COUNTS, "--significance": ["true", "split", "shadows", "none", "x"]},
    "compare": {
        "-k": COUNTS,
        "--methods": ["fisher", "laplacian,fisher", "fisher,magic", "", ",", "relieff,relieff"],
        "--sizes": ["1", "2,3", "0", "x", "99", ""],
        "--folds": ["2", "3", "1", "99"],
        "--report": ["page.html", "page.csv"],
    },
    "fuse": {
        "-k": COUNTS,
        "--auxiliary": ["m=aux.csv", "m=t.csv", "m=no.csv", "aux.csv", "=", "target=aux.csv", "m=t.npz", "m=-"],
        "--gene-set": ["g=sets.gmt:SET", "g=sets.gmt:SETT", "g=sets.gmt", "g=t.csv:SET", "g=:"],
        "--annotation": ["n=terms.csv", "n=sets.gmt", "n=t.csv", "n=edges.txt"],
        "--interactions": ["e=edges.txt", "e=t.csv", "e=sets.gmt", "e=t.npz"],
        "--source-similarity": ["target=knn:k=3", "m=rbf", "n=knn", "labels=rbf", "x", "m=class_labels"],
        "--weights": ["equal", "learn", "alignment", "target=1", "m=1,target=2", "m=-1", "x", "target=nan", ","],
        "--ranking": ["phi1", "phi2", "phi3", "phi4"],
        "--report": ["page.html"],
    },
}


def words_of(rng: np.random.Generator, names: list[str], most: int = 4) -> list[str]:
    """One call: a command, a table, and up to ``most`` options, the first values of which are more often taken."""
    command = str(rng.choice(list(COMMANDS), p=[0.6, 0.18, 0.04, 0.18]))
    words = [command, str(rng.choice([*names, "-", "none.csv", "."], p=_shares(len(names))))]
    options = VALUES | COMMANDS[command]
    words += [["--label", "y", "--samples", "id"], ["--ignore", "y,id"], []][int(3 * rng.random() ** 3)]
    if command == "select":
        words += ["-k", str(rng.integers(1, 5)), "-o", "out.csv"]
    for option in rng.choice(list(options), size=int(rng.integers(most + 1)), replace=False):
        words += [str(option), options[option][int(len(options[option]) * rng.random() ** 2)]]
    words += [flag for flag in FLAGS if rng.random() < 0.2]
    words += [flag for flag in RARE_FLAGS if rng.random() < 0.03]
    if command == "fuse" and rng.random() < 0.6:
        words += ["--auxiliary", "m=aux.csv"]
    return words + (["--with-labels"] if command == "fuse" and rng.random() < 0.3 else [])


def _shares(n_names: int) -> list[float]:
    return [0.93 / n_names] * n_names + [0.05, 0.01, 0.01]


def quietly(function, *words):
    """Without what libraries say to programmers when files are made."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*words)
