"""Slow, short and obviously right: the measures of covers as the papers define them, set by set and pair by pair.

Communities are nonempty sets; ``nodes`` is every node there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from fractions import Fraction
from itertools import combinations
from math import log2

Communities = Sequence[Set[int]]


def best_match_f1(X: Communities, Y: Communities) -> float:
    """Yang and Leskovec 2013: the mean of the best F1 of each community, averaged over the two directions."""
    if not X or not Y:
        return float(len(X) == len(Y))

    def one_way(X: Communities, Y: Communities) -> Fraction:
        return sum((max(Fraction(2 * len(x & y), len(x) + len(y)) for y in Y) for x in X), Fraction()) / len(X)

    return float((one_way(X, Y) + one_way(Y, X)) / 2)


def omega_index(X: Communities, Y: Communities, nodes: Set[int]) -> float:
    """Collins and Dent 1988: agreement about pairs, less what chance gives, of what chance leaves."""
    pairs = list(combinations(nodes, 2))
    if not pairs:
        return 1.0
    together = [[sum(u in x and v in x for x in cover) for u, v in pairs] for cover in (X, Y)]
    observed = Fraction(sum(a == b for a, b in zip(*together, strict=True)), len(pairs))
    in_X, in_Y = Counter(together[0]), Counter(together[1])
    expected = Fraction(sum(in_X[count] * in_Y[count] for count in in_X), len(pairs) ** 2)
    return 1.0 if expected == 1 else float((observed - expected) / (1 - expected))


def h(p: float) -> float:
    return -p * log2(p) if p else 0.0


def entropy(x: Set[int], nodes: Set[int]) -> float:
    return h(len(x) / len(nodes)) + h(1 - len(x) / len(nodes))


def remaining(x: Set[int], Y: Communities, nodes: Set[int]) -> float:
    """H(x|Y): the least H(x|y) = H(x, y) - H(y) of all y that may be compared with x, or else H(x)."""
    best = entropy(x, nodes)
    for y in Y:
        parts = x & y, nodes - x - y, x - y, y - x
        both, neither, only_x, only_y = (h(len(part) / len(nodes)) for part in parts)
        if both + neither > only_x + only_y + 1e-12:
            best = min(best, both + neither + only_x + only_y - entropy(y, nodes))
    return max(best, 0.0)


def lfk(X: Communities, Y: Communities, nodes: Set[int]) -> float:
    """Lancichinetti, Fortunato and Kertész 2009: one less the mean share that remains unknown.

    A community of all nodes has no entropy, and the share would be 0 / 0: nothing remains if Y has it, else all.
    """
    if not X or not Y:
        return float(len(X) == len(Y))

    def one_way(X: Communities, Y: Communities) -> float:
        shares = [remaining(x, Y, nodes) / entropy(x, nodes) if x != nodes else float(x not in Y) for x in X]
        return sum(shares) / len(shares)

    return 1 - (one_way(X, Y) + one_way(Y, X)) / 2


def mgh(X: Communities, Y: Communities, nodes: Set[int]) -> float:
    """McDaid, Greene and Hurley 2011: the information shared, as a share of the larger entropy.

    If all communities have all nodes neither cover has any entropy, and nothing remains unknown.
    """
    if not X or not Y:
        return float(len(X) == len(Y))
    H_X, H_Y = (sum(entropy(x, nodes) for x in cover) for cover in (X, Y))
    if not H_X and not H_Y:
        return 1.0
    H_X_given_Y = sum(remaining(x, Y, nodes) for x in X)
    H_Y_given_X = sum(remaining(y, X, nodes) for y in Y)
    return (H_X - H_X_given_Y + H_Y - H_Y_given_X) / 2 / max(H_X, H_Y)
