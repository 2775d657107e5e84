"""Pairs of nodes: held out of a fit, drawn as a sample, or given by name."""

from philia.pairs.held_out import (
    BothPairs,
    HeldOut,
    HeldOutLike,
    ListedPairs,
    PredicatePairs,
    RandomPairs,
    as_held_out,
    seen,
)
from philia.pairs.names import names_of_pairs, rows_of_pairs
from philia.pairs.sample import PairSample

__all__ = [
    "BothPairs",
    "HeldOut",
    "HeldOutLike",
    "ListedPairs",
    "PairSample",
    "PredicatePairs",
    "RandomPairs",
    "as_held_out",
    "names_of_pairs",
    "rows_of_pairs",
    "seen",
]
