"""Choose the features of a table that follow the structure of its samples.

Public names are loaded on first use, so that ``import eigenselect`` and
``eigenselect --help`` import neither numpy nor scikit-learn.

>>> import eigenselect as es
>>> from sklearn.datasets import load_wine
>>> from sklearn.preprocessing import scale
>>> X = load_wine(as_frame=True).data.apply(scale)  # one unit for all: distances decide
>>> es.LaplacianScore(2).fit(X).get_feature_names_out()
array(['flavanoids', 'od280/od315_of_diluted_wines'], dtype=object)
"""

from __future__ import annotations

from eigenselect._version import __version__

TYPE_CHECKING = False  # as in typing, whose import takes a quarter of the time that ``eigenselect --help`` has
if TYPE_CHECKING:
    from typing import Any

    from eigenselect import similarity as similarity
    from eigenselect.reporting.report import report
    from eigenselect.selectors.evsc import EVSC, evsc_score
    from eigenselect.selectors.fisher_score import FisherScore, fisher_score
    from eigenselect.selectors.hsic_score import HSICScore, hsic_score
    from eigenselect.selectors.kogs import KOGS
    from eigenselect.selectors.laplacian_score import LaplacianScore, laplacian_score
    from eigenselect.selectors.mrsf import MRSF
    from eigenselect.selectors.msfs import MSFS
    from eigenselect.selectors.relieff import ReliefF, relieff_score
    from eigenselect.selectors.spec import SPEC, spec_score
    from eigenselect.selectors.sselect import SSelect, sselect_score
    from eigenselect.selectors.trace_ratio import TraceRatio

_HOME_OF = {
    "SPEC": "eigenselect.selectors.spec",
    "spec_score": "eigenselect.selectors.spec",
    "LaplacianScore": "eigenselect.selectors.laplacian_score",
    "laplacian_score": "eigenselect.selectors.laplacian_score",
    "FisherScore": "eigenselect.selectors.fisher_score",
    "fisher_score": "eigenselect.selectors.fisher_score",
    "HSICScore": "eigenselect.selectors.hsic_score",
    "hsic_score": "eigenselect.selectors.hsic_score",
    "ReliefF": "eigenselect.selectors.relieff",
    "relieff_score": "eigenselect.selectors.relieff",
    "TraceRatio": "eigenselect.selectors.trace_ratio",
    "MRSF": "eigenselect.selectors.mrsf",
    "MSFS": "eigenselect.selectors.msfs",
    "KOGS": "eigenselect.selectors.kogs",
    "SSelect": "eigenselect.selectors.sselect",
    "sselect_score": "eigenselect.selectors.sselect",
    "EVSC": "eigenselect.selectors.evsc",
    "evsc_score": "eigenselect.selectors.evsc",
    "report": "eigenselect.reporting.report",
}
_ROOMS = (
    "exceptions",
    "similarity",
    "graph",
    "criteria",
    "selection",
    "spectral",
    "semisupervised",
    "sensitivity",
    "multivariate",
    "multisource",
    "evaluation",
    "reporting",
    "plot",
)

__all__ = [
    "EVSC",
    "KOGS",
    "MRSF",
    "MSFS",
    "SPEC",
    "FisherScore",
    "HSICScore",
    "LaplacianScore",
    "ReliefF",
    "SSelect",
    "TraceRatio",
    "__version__",
    "evsc_score",
    "fisher_score",
    "hsic_score",
    "laplacian_score",
    "relieff_score",
    "report",
    "similarity",
    "spec_score",
    "sselect_score",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    if name in _ROOMS:
        return import_module(f"eigenselect.{name}")
    raise AttributeError(f"module 'eigenselect' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOMS})
