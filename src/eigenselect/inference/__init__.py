"""How sure a score is: p-values and false discovery rates on graphs that did not see the features; and why it is so."""

from eigenselect.inference.discoveries import benjamini_hochberg, cauchy_combination
from eigenselect.inference.explanation import Explanation
from eigenselect.inference.shadows import Shadows
from eigenselect.inference.significance import Evidence, Given, Permutation, Request, Route, as_route
from eigenselect.inference.split import Split

__all__ = [
    "Evidence",
    "Explanation",
    "Given",
    "Permutation",
    "Request",
    "Route",
    "Shadows",
    "Split",
    "as_route",
    "benjamini_hochberg",
    "cauchy_combination",
]
