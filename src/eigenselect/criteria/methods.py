"""The table of methods: the typed rows of ``methods.toml``, which names, docs, reports and the command read.

Importing it imports neither numpy nor scikit-learn; the file is read on first use of the table.

To add a method: write its selector in ``selectors/``, its row in ``methods.toml``, and its formula in
``tests/naive.py``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from importlib import import_module, resources
from typing import Any


class Labels(StrEnum):
    """Whether a method uses labels; the value is printed in tables."""

    NONE = "none"
    NEEDED = "needed"
    SOME = "a few"
    BY_SIMILARITY = "as the similarity"
    BY_TARGET = "as the target"
    #: uses them if one of its parts (sources, rankers) does
    EITHER = "either"


class Target(StrEnum):
    """What y may hold, for a method that uses it."""

    CLASSES = "classes"
    NUMBERS = "numbers"
    KERNEL = "a kernel"


class Direction(StrEnum):
    """Which native scores are good."""

    SMALL = "small"
    LARGE = "large"


class Command(StrEnum):
    """The subcommand that runs a method."""

    RANK = "rank"
    FUSE = "fuse"
    PYTHON_ONLY = "Python only"


class Option(StrEnum):
    """An option of ``rank`` that applies to some methods only."""

    SIMILARITY = "similarity"
    POWER = "power"
    CLUSTERS = "clusters"
    TARGET = "target"

    @property
    def parameter(self) -> str:
        """The parameter of the constructor that the option sets."""
        return {"power": "spectral_function", "clusters": "n_clusters"}.get(self, str(self))


class Default(StrEnum):
    """The data for which a method is recommended, as the README says, and taken by default."""

    CLASSES = "classes; a list with p-values"
    #: ``rank`` takes this one by name only
    CLASSES_TOGETHER = "classes; a set to predict with"
    #: of the labelled samples alone
    SOME_LABELS = "labels of some samples"
    NUMBERS = "a number for every sample"
    #: only with a number of features, and up to some number of samples
    UNLABELLED_TOGETHER = "no labels; a number of features"
    UNLABELLED = "no labels; an order of all features"
    LABELS_AND_GRAPH = "labels and a graph of the samples"


#: in `Method.similarities`: every similarity is accepted
ANY = "any"


@dataclass(frozen=True, kw_only=True)
class Method:
    """One row of the table of methods.

    Attributes
    ----------
    name : str
        The name that the command uses.
    selector, module : str
        The class, and the module of it and of the score function.
    similarity, normalization, matrix : str
        S, f̂ and Ŝ as formulae.
    direction : Direction
        Whether small or large native scores are good.
    labels : Labels
        Whether it uses labels.
    reference : str
        The publication, for tables.
    summary : str
        What it looks for.
    in_words : str
        The same without formulae: a clause that can follow a colon.
    statement : str
        The criterion in one clause for a paper, after "Features were ranked", with {parameters} as fitted.
    statement_for_numbers : str
        The same for a numeric target, if the criterion differs.
    settings_in_words : dict of str to dict
        Texts for values of parameters in these clauses; "" stands for a value that is not a text.
    cites : tuple of str
        Keys of ``references.toml``.
    parameters : dict
        Parameters that tell rows of the same class apart.
    command : Command
        The subcommand that runs it.
    score_function : str
        Empty if there is none.
    instead : str
        What it does instead of scoring by one quadratic form; empty if it scores by one.
    targets : tuple of Target
        What y may hold.
    similarities : tuple of str
        Names that ``similarity=`` accepts, the default first, "any" for all; empty if S is fixed by the method.
    similarity_with_labels : str
        The similarity that the command takes with labels, if it is not the default.
    options : tuple of Option
        Options of ``rank`` that apply to it.
    orders_all : bool
        False if it orders only the features that it selects.
    default_for : dict of Default to dict
        The data for which it is recommended, with its parameters in that case.
    compared : int
        Place among the methods that ``compare`` runs by default; 0 for none.
    pvalue_function : str
        Returns scores and p-values; empty if there is none.
    p_value_rule : str
        How p-values follow from the scores; empty if no rule is known.

    See Also
    --------
    MethodTable : The rows.

    Examples
    --------
    >>> from eigenselect.criteria import METHODS
    >>> row = METHODS["spec-phi3"]
    >>> row.call(), str(row.direction), row.matrix
    ("SPEC(ranking='phi3')", 'large', 'Σ₂ᵏ (γ(2) - γ(λⱼ)) ξⱼξⱼᵀ')
    """

    name: str
    selector: str
    module: str
    similarity: str
    normalization: str
    matrix: str
    direction: Direction
    labels: Labels
    reference: str
    summary: str
    in_words: str
    statement: str = ""
    statement_for_numbers: str = ""
    settings_in_words: dict[str, dict[str, str]] = field(default_factory=dict)
    cites: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    command: Command = Command.RANK
    score_function: str = ""
    instead: str = ""
    targets: tuple[Target, ...] = ()
    similarities: tuple[str, ...] = ()
    similarity_with_labels: str = ""
    options: tuple[Option, ...] = ()
    orders_all: bool = True
    default_for: dict[Default, dict[str, Any]] = field(default_factory=dict)
    compared: int = 0
    pvalue_function: str = ""
    p_value_rule: str = ""

    @property
    def has_quadratic_form(self) -> bool:
        """Whether ``quadratic_form(X)`` returns (Ŝ, F̂), with the parameters of the row."""
        return not self.instead

    @property
    def supervision(self) -> str:
        """Whether labels are used and what they may be, in words."""
        if self.labels is not Labels.NEEDED or self.targets == (Target.CLASSES,):
            return str(self.labels)
        *most, last = self.targets
        return f"{self.labels} ({', '.join(most)} or {last})"

    @property
    def public_names(self) -> list[str]:
        """The class and the functions of the method."""
        return [name for name in (self.selector, self.score_function, self.pvalue_function) if name]

    @property
    def score_name(self) -> str:
        """The name of the native score: the ranking function if the class has several."""
        return str(self.parameters.get("ranking", self.name))

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain values.

        Returns
        -------
        dict
            All attributes, ``supervision`` and ``quadratic_form``.
        """
        return {**asdict(self), "supervision": self.supervision, "quadratic_form": self.has_quadratic_form}

    def call(self, **parameters: Any) -> str:
        """Write the call of the constructor in Python.

        Parameters
        ----------
        **parameters : dict
            Added to those of the row.

        Returns
        -------
        str
            The class with its parameters.
        """
        arguments = ", ".join(f"{name}={value!r}" for name, value in (self.parameters | parameters).items())
        return f"{self.selector}({arguments})"

    def selector_class(self) -> Any:
        """Import the class.

        Returns
        -------
        type
            A selector.
        """
        return getattr(import_module(self.module), self.selector)


class MethodTable:
    """Rows in the order in which they are printed; read at every call, so that a row can be added.

    ``METHODS`` is the table of this library. It can be iterated, and indexed by name.

    Parameters
    ----------
    rows : iterable of Method
        Names must differ.

    See Also
    --------
    Method : One row.

    Examples
    --------
    >>> from eigenselect.criteria import METHODS
    >>> [row.name for row in METHODS if row.labels == "needed"]
    ['fisher', 'relieff', 'hsic', 'trace-ratio']
    """

    def __init__(self, rows: Iterable[Method]) -> None:
        self._source = rows

    @cached_property
    def _rows(self) -> dict[str, Method]:
        return {row.name: row for row in self._source}

    def __iter__(self) -> Iterator[Method]:
        return iter(tuple(self._rows.values()))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, name: str) -> Method:
        return self._rows[name]

    def names(self, command: Command = Command.RANK) -> list[str]:
        """List the methods that a subcommand runs.

        Parameters
        ----------
        command : Command, default=Command.RANK
            The subcommand.

        Returns
        -------
        list of str
            Their names, in the order of the table.
        """
        return [row.name for row in self if row.command is command]

    def default(self, data: Default) -> str:
        """Name the method that ``rank`` takes for such data.

        Parameters
        ----------
        data : Default
            What is known of the data.

        Returns
        -------
        str
            The name of a row.
        """
        return next(row.name for row in self if data in row.default_for)

    def recommended(self) -> dict[str, str]:
        """Map the kinds of data to the methods that are recommended for them.

        Returns
        -------
        dict of str to str
            From the data, in words, to the call in Python.

        Examples
        --------
        >>> METHODS.recommended()["classes; a set to predict with"]
        "MRSF(target='lda')"
        """
        rows = {data: self[self.default(data)] for data in Default}
        return {str(data): row.call(**row.default_for[data]) for data, row in rows.items()}

    def compared(self) -> list[str]:
        """List the methods that ``compare`` runs by default, in its order.

        Returns
        -------
        list of str
            Their names.
        """
        return [row.name for row in sorted(self, key=lambda row: row.compared) if row.compared]

    def homes(self) -> dict[str, str]:
        """Return every public class and score function, with its module.

        Returns
        -------
        dict of str to str
            From names to modules.
        """
        return {name: row.module for row in self for name in row.public_names}

    @contextmanager
    def added(self, row: Method) -> Iterator[None]:
        """Within, the table has one more row.

        Parameters
        ----------
        row : Method
            The row; one of the same name is replaced.

        Yields
        ------
        None
            Nothing.
        """
        before = self._rows
        self._rows = {**before, row.name: row}
        try:
            yield
        finally:
            self._rows = before


def _stored() -> Iterator[Method]:
    """Read the rows of ``methods.toml``, when the first of them is needed."""
    single = {"direction": Direction, "labels": Labels, "command": Command}
    several = {"targets": Target, "options": Option, "cites": str, "similarities": str}
    text = resources.files("eigenselect.criteria").joinpath("methods.toml").read_text(encoding="utf-8")
    for name, facts in tomllib.loads(text).items():
        facts |= {key: kind(facts[key]) for key, kind in single.items() if key in facts}
        facts |= {key: tuple(map(kind, facts[key])) for key, kind in several.items() if key in facts}
        facts["default_for"] = {Default[data]: given for data, given in facts.get("default_for", {}).items()}
        facts["module"] = f"eigenselect.selectors.{facts['module']}"
        yield Method(name=name, **facts)


#: the methods of this library, in the order in which they are printed
METHODS = MethodTable(_stored())
