"""Graphs of samples: similarity, degrees, Laplacians, components, spectrum."""

from eigenselect.graph.class_means import ClassMeans
from eigenselect.graph.precomputed import checked_matrix, graph_from_matrix
from eigenselect.graph.sample_graph import Origin, SampleGraph, connected_components
from eigenselect.graph.spectrum import HeatFlow, Spectrum, eigengap, leading_eigenpairs

__all__ = [
    "ClassMeans",
    "HeatFlow",
    "Origin",
    "SampleGraph",
    "Spectrum",
    "checked_matrix",
    "connected_components",
    "eigengap",
    "graph_from_matrix",
    "leading_eigenpairs",
]
