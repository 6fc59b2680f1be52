"""Check the docstring of every public name, and of every public method and property of ours, with numpydoc.

``make lint`` runs it. It prints one line per finding, ``module.name: CODE what is wrong``, and fails if there is any.
The codes are numpydoc's (https://numpydoc.readthedocs.io/en/latest/validation.html) and three of ours: AT01, an
attribute without a description; EX02, an example that uses what it did not import; SA05, a name in See Also that has no
page.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import doctest
import inspect
import sys
from collections.abc import Container, Iterator
from functools import cached_property
from importlib import import_module
from types import FunctionType
from typing import Any

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import Validator, validate
from public_names import public_names

#: checks that are not made, and why
LEFT_OUT = {
    "ES01": "an extended summary: one sentence that says all is enough",
    "SS05": "a verb in the infinitive first: a summary may be a noun phrase, and a plural looks like the third person",
}
#: checks that are not made of methods and properties: the class tells its relatives and shows them in use
LEFT_OUT_OF_MEMBERS = {"SA01", "EX01"}
Finding = tuple[str, str, str]


class DocstringValidator(Validator):
    """numpydoc's checks, for classes that describe what they are made of as attributes."""

    def __init__(self, obj_name: str) -> None:
        super().__init__(get_doc_object(self._load_obj(obj_name)))

    @property
    def signature_parameters(self) -> tuple[str, ...]:
        """The public arguments of a function; of a class only where ``__init__`` is ours, not an enumeration's."""
        if inspect.isclass(self.obj) and not _is_ours(self.obj.__init__) and not _is_record(self.obj):
            return ()
        return tuple(name for name in super().signature_parameters if not name.startswith("_"))

    def _doc_parameters(self, sections: list[str]) -> Any:
        """Take the attributes of a record for its parameters, where it has no section of these."""
        if inspect.isclass(self.obj) and _is_record(self.obj) and not self.doc["Parameters"]:
            own = super()._doc_parameters(["Attributes"])
            return type(own)((name, told) for name, told in own.items() if name in self.signature_parameters)
        return super()._doc_parameters(sections)


def _is_ours(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("eigenselect")


def _is_record(owner: type) -> bool:
    """Tell whether the fields of a class are what it is made of: a dataclass or a named tuple."""
    return dataclasses.is_dataclass(owner) or hasattr(owner, "_fields")


def public_objects() -> Iterator[tuple[str, Any]]:
    """Yield every public class and function once, with the name under which users find it."""
    seen = set()
    for module, names in public_names().items():
        for name in names:
            found = getattr(import_module(module), name)
            if (inspect.isclass(found) or inspect.isfunction(found)) and id(found) not in seen:
                seen.add(id(found))
                yield f"{module}.{name}", found


def public_members() -> Iterator[str]:
    """Yield the methods and properties that public classes have from us, each where it is defined.

    A method without a docstring that stands for one with a docstring inherits it, as in the reference.
    """
    kinds = (FunctionType, property, cached_property, classmethod, staticmethod)
    seen = set()
    for _, owner in public_objects():
        for place, base in enumerate(inspect.getmro(owner) if inspect.isclass(owner) else ()):
            for name, member in vars(base).items() if _is_ours(base) else ():
                inherits = not member.__doc__ and any(hasattr(later, name) for later in owner.__mro__[place + 1 :])
                whole = f"{base.__module__}.{base.__qualname__}.{name}"
                if isinstance(member, kinds) and not name.startswith("_") and not inherits and whole not in seen:
                    seen.add(whole)
                    yield whole


def findings() -> Iterator[Finding]:
    """Yield the name, the code and the text of everything that is wrong."""
    linkable = {name for name, _ in public_objects()} | {
        f"{name}.{member}" for name, found in public_objects() if inspect.isclass(found) for member in dir(found)
    }
    for name, _ in public_objects():
        yield from _of_numpydoc(name, LEFT_OUT)
        yield from _undescribed(name)
        yield from _not_imported(name)
        yield from _dead_links(name, linkable)
    for name in public_members():
        yield from _of_numpydoc(name, {*LEFT_OUT, *LEFT_OUT_OF_MEMBERS})
        yield from _undescribed(name)


def _of_numpydoc(name: str, left_out: Container[str]) -> Iterator[Finding]:
    """Yield what numpydoc finds."""
    for code, text in validate(name, DocstringValidator)["errors"]:
        if code not in left_out:
            yield name, code, text


def _undescribed(name: str) -> Iterator[Finding]:
    """Yield attributes without a description, and parameters that numpydoc passes over: those with choices."""
    told = DocstringValidator(name)
    for parameter, (kind, description) in told.doc_all_parameters.items():
        if "{" in kind and not "".join(description):
            yield name, "PR07", f'Parameter "{parameter}" has no description'
    for attribute, _, description in told.doc["Attributes"] if "Attributes" in told.section_titles else ():
        if not "".join(description) and attribute not in told.doc_all_parameters:
            yield name, "AT01", f'Attribute "{attribute}" has no description'


def _not_imported(name: str) -> Iterator[Finding]:
    """Yield the names that the examples use without an import or an assignment: who copies them gets an error."""
    examples = doctest.DocTestParser().get_examples(DocstringValidator(name).clean_doc)
    nodes = [node for example in examples for node in ast.walk(ast.parse(example.source))]
    known = set(vars(builtins)) | {node.arg for node in nodes if isinstance(node, ast.arg)}
    known |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    known |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    imports = [alias for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names]
    known |= {alias.asname or alias.name.split(".")[0] for alias in imports}
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    if used - known:
        yield name, "EX02", f"Examples use {', '.join(sorted(used - known))} without an import"


def _dead_links(name: str, linkable: set[str]) -> Iterator[Finding]:
    """Yield what See Also names of ours without a page: a public name, short in its own module, else with a path."""
    room = name.rpartition(".")[0]
    for related in DocstringValidator(name).see_also:
        whole = related if "." in related and related.split(".")[0] != name.split(".")[-1] else f"{room}.{related}"
        if whole.startswith("eigenselect") and whole not in linkable:
            yield name, "SA05", f'See Also names "{related}", which is no public name; write module.name'


def main() -> int:
    """Print the findings; return 1 if there are any."""
    lines = [f"{name}: {code} {text}" for name, code, text in findings()]
    print("\n".join(lines) if lines else "docstrings: all public names are complete")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
