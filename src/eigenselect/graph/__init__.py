"""What can be asked of a sample similarity: degrees, Laplacians, components, spectrum."""

from eigenselect.graph.components import connected_components
from eigenselect.graph.diffusion_graph import DiffusionGraph
from eigenselect.graph.precomputed import graph_from_matrix
from eigenselect.graph.sample_graph import SampleGraph
from eigenselect.graph.spectrum import Spectrum, eigengap, leading_eigenpairs

__all__ = [
    "DiffusionGraph",
    "SampleGraph",
    "Spectrum",
    "connected_components",
    "eigengap",
    "graph_from_matrix",
    "leading_eigenpairs",
]
