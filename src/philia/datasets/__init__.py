"""Datasets: real networks by name, generated ones with a known truth, and small classics."""

from typing import TYPE_CHECKING, NoReturn

from philia._text import no_such_name
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

_HABITS = {
    **dict.fromkeys(("karate", "karate_club", "load_karate", "load_karate_club"), "classic('karate') is the graph"),
    **dict.fromkeys(("les_miserables", "load_les_miserables"), "classic('les_miserables') is the graph"),
    **dict.fromkeys(("davis", "davis_southern_women"), "classic('davis') is the graph"),
    **dict.fromkeys(("florentine", "florentine_families"), "classic('florentine') is the graph"),
}
"""What users write from habit, and what there is instead."""

if not TYPE_CHECKING:  # type checkers should know that there are no such names

    def __getattr__(name: str) -> NoReturn:
        raise no_such_name(__name__, name, _HABITS)
