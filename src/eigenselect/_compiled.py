"""How kernels are compiled: cached on disk where possible, silent where not; and how they ask for memory ahead."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pickle import UnpicklingError
from typing import Any

from llvmlite import ir  # numba is built on it
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

#: rows that a loop that visits them in an order of its own asks for ahead
AHEAD = 8


def compiled(*fastmath: str) -> Callable[[Callable[..., Any]], Any]:
    """A decorator for kernels that release the GIL; ``fastmath`` names the allowed rewritings.

    If no directory can be written for the cache (a read-only install without a home), or a file of it is damaged,
    kernels are compiled anew instead of failing.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": set(fastmath)}
    options["no_cfunc_wrapper"] = True  # for calls from C, which nobody makes: a tenth of the time to compile

    def decorate(kernel: Callable[..., Any]) -> Any:
        try:
            dispatcher = njit(cache=True, **options)(kernel)
        except RuntimeError:
            return njit(**options)(kernel)
        _forgive_damage(dispatcher._cache)
        return dispatcher

    return decorate


def _forgive_damage(cache: Any) -> None:
    """Let a cache that cannot be read be written anew: numba fails at an empty or cut file in every later process."""
    load, save = cache.load_overload, cache.save_overload

    def load_or_forget(signature: Any, context: Any) -> Any:
        try:
            return load(signature, context)
        except Exception:  # whatever unpickling a cut file raises
            with suppress(OSError):
                cache.flush()
            return None

    def save_if_possible(signature: Any, data: Any) -> None:
        with suppress(EOFError, OSError, UnpicklingError):
            save(signature, data)

    cache.load_overload, cache.save_overload = load_or_forget, save_if_possible


def _prefetch(typing, array, place):  # type: ignore[no-untyped-def]
    """Write the instruction of `prefetch`."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        kind = signature.args[0]
        values = context.make_array(kind)(context, builder, arguments[0])
        address = cgutils.get_item_pointer(context, builder, kind, values, [arguments[1]], wraparound=False)
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        whole = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        instruction = builder.module.declare_intrinsic("llvm.prefetch", (pointer,), whole)
        to_read, keep_it, of_data = number(0), number(3), number(1)
        builder.call(instruction, [builder.bitcast(address, pointer), to_read, keep_it, of_data])
        return context.get_dummy_value()

    return types.void(array, place), generate


#: asks memory for one place of an array, ``prefetch(array, place)``, and does not wait for it. A processor foresees
#: runs of memory, but not the rows that a loop takes in an order of its own: it waits for each, up to 100 ns. Nothing
#: is read, so that a place beyond the array does no harm
prefetch: Any = intrinsic(_prefetch)
