"""Other solvers of the L2,1 problem: skglm, celer (in an environment of its own), and the paper's Nesterov method."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: number of λ's, geometric from the largest to the one where our path ends
N_ALPHAS = 50
GAP = 1e-6
CELER_ENVIRONMENT = Path(__file__).resolve().parents[1] / ".venv-celer"
CELER_PACKAGES = ("celer==0.7.4", "scikit-learn==1.5.*", "numpy<2.3")
CELER_PROGRAM = """
import sys, time, warnings
import numpy as np
from celer.homotopy import mtl_path
warnings.simplefilter("ignore")
problem = np.load(sys.argv[1])
X, Y, alphas = np.asfortranarray(problem["X"]), np.asfortranarray(problem["Y"]), problem["alphas"]
mtl_path(X[:, :200], Y, alphas=alphas[:2], tol=1e-2)
times = []
for _ in range(3):
    start = time.perf_counter()
    W = mtl_path(X, Y, alphas=alphas / len(X), tol=0.5e-6)[1]
    times.append(time.perf_counter() - start)
np.savez(sys.argv[2], seconds=min(times), W=W[:, :, -1] if W.shape[0] == X.shape[1] else W[:, :, -1].T)
"""


def alphas_of(X: FloatArray, Y: FloatArray, n_features: int) -> FloatArray:
    """The λ's that peers solve for."""
    from eigenselect.multivariate import l21_path

    path = l21_path(X, Y, n_features, keep="last")
    return np.geomspace(path.alphas[0], path.alphas[-1], N_ALPHAS)


def relative_gap(X: FloatArray, Y: FloatArray, W: FloatArray, alpha: float) -> float:
    """Duality gap over ½||Y||²."""
    R = Y - X @ W
    share = min(1.0, alpha / np.linalg.norm(X.T @ R, axis=1).max())
    primal = 0.5 * np.sum(R**2) + alpha * np.linalg.norm(W, axis=1).sum()
    dual = 0.5 * np.sum(Y**2) - 0.5 * np.sum((Y - share * R) ** 2)
    return float((primal - dual) / (0.5 * np.sum(Y**2)))


def fista(X: FloatArray, Y: FloatArray, alpha: float, *, gap: float = GAP, max_iter: int = 20_000) -> FloatArray:
    """Accelerated proximal gradient with restarts (Nesterov's method, as in the paper), from W = 0 at one λ."""
    lipschitz = float(np.linalg.eigvalsh(X @ X.T)[-1])
    W = V = np.zeros((X.shape[1], Y.shape[1]))
    momentum = 1.0
    for iteration in range(max_iter):
        step = V + X.T @ (Y - X @ V) / lipschitz
        lengths = np.linalg.norm(step, axis=1)
        shrunk = step * np.maximum(1 - alpha / lipschitz / np.maximum(lengths, 1e-300), 0)[:, None]
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        if np.vdot(V - shrunk, shrunk - W) > 0:  # uphill: forget the momentum
            following, momentum = 1.0, 1.0
        V = shrunk + (momentum - 1) / following * (shrunk - W)
        W, momentum = shrunk, following
        if iteration % 10 == 9 and relative_gap(X, Y, W, alpha) <= gap:
            break
    return W


def skglm_solver(X: FloatArray, Y: FloatArray) -> Any:
    """A function from λ's to the coefficients of skglm's multi-task path, compiled."""
    from skglm.datafits import QuadraticMultiTask
    from skglm.penalties import L2_1
    from skglm.solvers import MultiTaskBCD
    from skglm.utils.jit_compilation import compiled_clone

    datafit, penalty = compiled_clone(QuadraticMultiTask()), compiled_clone(L2_1(1.0))
    X, Y = np.asfortranarray(X), np.asfortranarray(Y)

    def solve(alphas: FloatArray, tol: float) -> Any:
        datafit.initialize(X, Y)
        solver = MultiTaskBCD(tol=tol, fit_intercept=False)
        coefs = solver.path(X, Y, datafit, penalty, alphas=alphas / len(X))[1]
        last = coefs[..., -1]
        return last if len(last) == X.shape[1] else last.T

    return solve


def celer_seconds(X: FloatArray, Y: FloatArray, alphas: FloatArray) -> tuple[float, float]:
    """Best time of celer's path in its own environment, and the gap that it reached at the last λ."""
    python = celer_python()
    with tempfile.TemporaryDirectory() as folder:
        problem, answer = Path(folder) / "problem.npz", Path(folder) / "answer.npz"
        np.savez(problem, X=X, Y=Y, alphas=alphas)
        subprocess.run([python, "-c", CELER_PROGRAM, problem, answer], check=True, capture_output=True)
        found = np.load(answer)
        W = found["W"]
        W = W if len(W) == X.shape[1] else W.T
        return float(found["seconds"]), relative_gap(X, Y, W, float(alphas[-1]))


def celer_python() -> str:
    """The interpreter of celer's environment: EIGENSELECT_CELER_PYTHON, or .venv-celer, which is made if missing."""
    given = os.environ.get("EIGENSELECT_CELER_PYTHON")
    if given:
        return given
    python = CELER_ENVIRONMENT / "bin" / "python"
    ready = CELER_ENVIRONMENT / ".installed"
    if not ready.exists():
        print(f"making {CELER_ENVIRONMENT} for celer ...", file=sys.stderr, flush=True)
        for command in (
            [sys.executable, "-m", "venv", str(CELER_ENVIRONMENT)],
            [str(python), "-m", "pip", "install", "-q", *CELER_PACKAGES],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
                raise RuntimeError(f"celer's environment cannot be made: {reason}")
        ready.touch()
    return str(python)


def replayed(seconds: float) -> None:
    """Stand for a call that was timed elsewhere, by waiting as long."""
    time.sleep(seconds)
