"""Choose the features of a table that follow the structure of its samples.

Public names are loaded on first use, so that ``import eigenselect`` and
``eigenselect --help`` import neither numpy nor scikit-learn. Those of the methods come from `criteria.methods`.

>>> import eigenselect as es
>>> from sklearn.datasets import load_wine
>>> from sklearn.preprocessing import scale
>>> X = load_wine(as_frame=True).data.apply(scale)  # one unit for all: distances decide
>>> es.LaplacianScore(2).fit(X).get_feature_names_out()
array(['flavanoids', 'od280/od315_of_diluted_wines'], dtype=object)
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # as in typing, whose import takes a quarter of the time that ``eigenselect --help`` has
if TYPE_CHECKING:  # for type checkers and editors; a test compares it with the table
    from typing import Any

    from eigenselect import gr as gr
    from eigenselect import pl as pl
    from eigenselect import pp as pp
    from eigenselect import similarity as similarity
    from eigenselect.reporting.report import report as report
    from eigenselect.selectors.evsc import EVSC as EVSC
    from eigenselect.selectors.evsc import evsc_score as evsc_score
    from eigenselect.selectors.fisher_score import FisherScore as FisherScore
    from eigenselect.selectors.fisher_score import fisher_score as fisher_score
    from eigenselect.selectors.fisher_score import fisher_score_pvalues as fisher_score_pvalues
    from eigenselect.selectors.geary_c import GearyC as GearyC
    from eigenselect.selectors.geary_c import geary_c_score as geary_c_score
    from eigenselect.selectors.hsic_score import HSICScore as HSICScore
    from eigenselect.selectors.hsic_score import hsic_score as hsic_score
    from eigenselect.selectors.hsic_score import hsic_score_pvalues as hsic_score_pvalues
    from eigenselect.selectors.iterated_spec import IteratedSPEC as IteratedSPEC
    from eigenselect.selectors.kogs import KOGS as KOGS
    from eigenselect.selectors.laplacian_score import LaplacianScore as LaplacianScore
    from eigenselect.selectors.laplacian_score import laplacian_score as laplacian_score
    from eigenselect.selectors.moran_i import MoranI as MoranI
    from eigenselect.selectors.moran_i import moran_i_score as moran_i_score
    from eigenselect.selectors.mrsf import MRSF as MRSF
    from eigenselect.selectors.msfs import MSFS as MSFS
    from eigenselect.selectors.multiscale_spec import MultiscaleSPEC as MultiscaleSPEC
    from eigenselect.selectors.multiscale_spec import multiscale_spec_score as multiscale_spec_score
    from eigenselect.selectors.relieff import ReliefF as ReliefF
    from eigenselect.selectors.relieff import relieff_score as relieff_score
    from eigenselect.selectors.spec import SPEC as SPEC
    from eigenselect.selectors.spec import spec_score as spec_score
    from eigenselect.selectors.sselect import SSelect as SSelect
    from eigenselect.selectors.sselect import sselect_score as sselect_score
    from eigenselect.selectors.stability_selector import StabilitySelector as StabilitySelector
    from eigenselect.selectors.trace_ratio import TraceRatio as TraceRatio
    from eigenselect.selectors.variance import Variance as Variance
    from eigenselect.selectors.variance import variance_score as variance_score

#: public names beside those of the methods
_OTHERS = {"StabilitySelector": "eigenselect.selectors.stability_selector", "report": "eigenselect.reporting.report"}
_PACKAGES = (
    "exceptions", "similarity", "graph", "criteria", "inference", "selection", "spectral", "semisupervised",
    "sensitivity", "multivariate", "multisource", "evaluation", "reporting", "plot",
)  # fmt: skip
#: functions for AnnData, which type checkers also see
_VERBS = ("pp", "gr", "pl")


def _homes() -> dict[str, str]:
    """Every name that is loaded on first use, with its module."""
    from eigenselect.criteria.methods import METHODS

    return METHODS.homes() | _OTHERS


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _PACKAGES or name in _VERBS:
        return import_module(f"eigenselect.{name}")
    if name == "__all__":
        return sorted([*_homes(), "__version__", "similarity"])
    home = None if name.startswith("_") else _homes().get(name)
    if home is None:
        raise AttributeError(f"module 'eigenselect' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)  # the next access does not come here
    return value


def __dir__() -> list[str]:
    return sorted({*__getattr__("__all__"), *_PACKAGES, *_VERBS})
