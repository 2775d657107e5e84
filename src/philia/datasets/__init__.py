"""Datasets: real networks by name, generated ones with a known truth, and small classics."""

from philia.datasets.catalog import CATALOG, CatalogEntry, DataFile, entry, names
from philia.datasets.dataset import CLASSICS, Dataset, classic, fetch, load
from philia.datasets.overlap_threshold import OverlapThresholdGraph, overlap_threshold, random_overlap_threshold
from philia.datasets.overlapping_cliques import OverlappingCliques, overlapping_cliques, random_cliques
from philia.datasets.random_graphs import DatingApp, Planted, dating_app, planted, sample_graph

__all__ = [
    "CATALOG",
    "CLASSICS",
    "CatalogEntry",
    "DataFile",
    "Dataset",
    "DatingApp",
    "OverlapThresholdGraph",
    "OverlappingCliques",
    "Planted",
    "classic",
    "dating_app",
    "entry",
    "fetch",
    "load",
    "names",
    "overlap_threshold",
    "overlapping_cliques",
    "planted",
    "random_cliques",
    "random_overlap_threshold",
    "sample_graph",
]
