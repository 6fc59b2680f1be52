"""Where a mistake could not change what the library computes: types, messages, exports, guards, compilers of loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator

#: where mistakes are made: the rooms of the mathematics
ROOMS = ("criteria", "graph", "selection", "inference")
#: a kernel without it is interpreted: the same numbers, later
COMPILERS = {"compiled", "_compiled", "njit"}


class Spans:
    """Pieces of a text, each from (line, column) to (line, column)."""

    def __init__(self, nodes: Iterator[ast.expr | ast.stmt], lines: list[str]) -> None:
        self.spans = [_span(node, lines) for node in nodes]

    def __contains__(self, position: tuple[int, int]) -> bool:
        return any(start <= position < end for start, end in self.spans)


def idle_lines(text: str) -> Spans:
    """Spans of annotations, messages, ``__all__``, imports for types, compilers of kernels, and guards.

    Guards are ``frozen=True`` of a dataclass and ``strict=True`` of `zip`, against mistakes that no input makes.
    """
    return Spans(_idle(ast.parse(text)), text.splitlines())


def _span(node: ast.expr | ast.stmt, lines: list[str]) -> tuple[tuple[int, int], tuple[int, int]]:
    """From where to where a node goes, in characters: Python counts bytes, cosmic-ray does not."""
    ends = (node.lineno, node.col_offset), (node.end_lineno or 1, node.end_col_offset or 0)
    first, last = ((line, len(lines[line - 1].encode()[:column].decode())) for line, column in ends)
    return first, last


def _idle(tree: ast.Module) -> Iterator[ast.expr | ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef):
            yield from filter(None, [node.returns])
            yield from map(_with_sign, filter(_is_compiler, node.decorator_list))
        elif isinstance(node, ast.ClassDef):
            yield from node.decorator_list
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from node.exc.args
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"warn", "cast"}:
            yield from node.args[:1]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            yield from (keyword.value for keyword in node.keywords)
        elif isinstance(node, ast.stmt) and _is_for_tools(node):
            yield node


def _is_for_tools(node: ast.stmt) -> bool:
    """What a type checker or a star import reads."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test).endswith("TYPE_CHECKING")
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _with_sign(decorator: ast.expr) -> ast.expr:
    """From its @ on, which is where it is taken away."""
    decorator.col_offset -= 1
    return decorator


def _is_compiler(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id in COMPILERS


def enclosing(text: str, line: int) -> str:
    """The function or method that a line is in, with its class: "Criterion.scores", or "" at the top."""
    return ".".join(_names_around(ast.parse(text), line))


def _names_around(node: ast.AST, line: int) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            first = min([child.lineno, *(x.lineno for x in child.decorator_list)])
            if first <= line <= (child.end_lineno or 0):
                yield child.name
                yield from _names_around(child, line)
