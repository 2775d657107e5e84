"""The average F1 of best matches between two covers."""

from __future__ import annotations

import math

import numpy as np

from philia.evaluate.covers import CoverLike, TwoCovers, side_by_side


def best_match_f1(found: CoverLike, truth: CoverLike) -> float:
    """How well found and true communities match, from 0 to 1; Yang and Leskovec's average F1 (WSDM 2013).

    The F1 of two sets is 2 |x ∩ y| / (|x| + |y|). Each true community is matched with the found one that fits it best,
    each found one with the true one that fits it best, and the two averages are averaged. Several may match the same
    one. Communities without members are left out; if nothing is left the result is 0, or 1 if neither cover has any.

    >>> best_match_f1([{"a", "b"}, {"c"}], [{"a", "b", "c", "d"}])
    0.6
    """
    return best_match(side_by_side(found, truth))


def best_match(covers: TwoCovers) -> float:
    """The same of covers that stand side by side."""
    if covers.trivial is not None:
        return covers.trivial
    common = (covers.found.T @ covers.truth).tocoo()  # pairs without a common node have an F1 of 0 and no entry
    found, truth = covers.sizes
    f1 = 2 * common.data / (found[common.row] + truth[common.col])
    best_of_found, best_of_truth = np.zeros(len(found)), np.zeros(len(truth))
    np.maximum.at(best_of_found, common.row, f1)
    np.maximum.at(best_of_truth, common.col, f1)
    return (math.fsum(best_of_found) / len(found) + math.fsum(best_of_truth) / len(truth)) / 2
