"""Where graphs come from when there is no file: generated networks and small classics."""

from philia.datasets.classics import CLASSICS, classic
from philia.datasets.dating_app import DatingApp, dating_app
from philia.datasets.overlap_threshold import OverlapThresholdGraph, overlap_threshold, random_overlap_threshold
from philia.datasets.sampling import sample_graph

__all__ = [
    "CLASSICS",
    "DatingApp",
    "OverlapThresholdGraph",
    "classic",
    "dating_app",
    "overlap_threshold",
    "random_overlap_threshold",
    "sample_graph",
]
