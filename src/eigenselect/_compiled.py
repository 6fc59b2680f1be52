"""How kernels are compiled: cached on disk where possible, silent where not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pickle import UnpicklingError
from typing import Any

from numba import njit


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
