"""How kernels are compiled: cached on disk where possible, silent where not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(*fastmath: str) -> Callable[[Callable[..., Any]], Any]:
    """A decorator for kernels that release the GIL; ``fastmath`` names the allowed rewritings.

    Where no directory can be written for the cache (a read-only install without a home), kernels are compiled anew in
    each process instead of failing.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": set(fastmath)}
    options["no_cfunc_wrapper"] = True  # for calls from C, which nobody makes: a tenth of the time to compile

    def decorate(kernel: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, **options)(kernel)
        except RuntimeError:
            return njit(**options)(kernel)

    return decorate
