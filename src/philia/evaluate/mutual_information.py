"""Normalised mutual information of covers that may overlap, in the two usual forms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from philia._types import BoolArray, Float64Array
from philia.evaluate.covers import CoverLike, NodesLike, TwoCovers, side_by_side
from philia.exceptions import InvalidParameterError

Variant = Literal["lfk", "mgh"]

_BLOCK = 2**21
"""Pairs of communities that are looked at together."""

_ROUNDING = 1e-12


def overlapping_nmi(found: CoverLike, truth: CoverLike, nodes: NodesLike = None, *, variant: Variant = "lfk") -> float:
    """How much each cover says about the other, from 0 for nothing to 1 for everything.

    A community is a yes-or-no question about a node drawn by chance. H(x|y) is what remains unknown of x once y is
    answered, and H(x|Y) the least that remains after any one community of the cover Y. A y that is rather the opposite
    of x counts as saying nothing: with h(p) = -p log p of the shares of nodes in both, in neither and in only one of
    them, that is where h(both) + h(neither) is not above h(only x) + h(only y).

    ``"lfk"`` (Lancichinetti, Fortunato and Kertész 2009) averages H(x|Y) / H(x) over the communities of each cover;
    ``"mgh"`` (McDaid, Greene and Hurley 2011) divides the information that the covers share, summed over communities,
    by the larger of their entropies, and so does not praise a cover for a few good communities among many.

    A community of all nodes has no entropy: for ``"lfk"`` it is known if the other cover has it too and unknown
    otherwise; for ``"mgh"`` it adds nothing, and two covers without any other communities get 1. Communities without
    members are left out; a cover with none gets 0, or 1 beside another with none.

    >>> overlapping_nmi([{0, 1, 2}, {2, 3}], [{2, 3}, {0, 1, 2}])
    1.0
    >>> overlapping_nmi([{0, 1}, {2, 3}], [{0, 1}], nodes=8, variant="lfk")
    0.75
    >>> overlapping_nmi([{0, 1}, {2, 3}], [{0, 1}], nodes=8, variant="mgh")
    0.5
    """
    if variant not in ("lfk", "mgh"):
        raise InvalidParameterError(f"the variant is {variant!r}; use 'lfk' or 'mgh'")
    information = mutual_information(side_by_side(found, truth, nodes))
    return information.lfk if variant == "lfk" else information.mgh


@dataclass(frozen=True, eq=False)
class Unknown:
    """Of each community of a cover: its entropy, what remains of it given the other cover, and if it has all nodes."""

    entropy: Float64Array
    remaining: Float64Array
    whole: BoolArray

    @property
    def total(self) -> float:
        """The entropy of the cover: the sum over its communities."""
        return math.fsum(self.entropy)

    @property
    def known(self) -> float:
        """What the other cover tells, summed over communities."""
        return self.total - math.fsum(self.remaining)

    def mean_share(self, other: Unknown) -> float:
        """The mean of H(x|Y) / H(x)."""
        share = np.full(len(self.entropy), 0.0 if other.whole.any() else 1.0)
        np.divide(self.remaining, self.entropy, out=share, where=~self.whole)
        return math.fsum(share) / len(share)


@dataclass(frozen=True, eq=False)
class MutualInformation:
    """What two covers leave unknown of each other; ``trivial`` is the verdict if one of them has no communities."""

    found: Unknown
    truth: Unknown
    trivial: float | None

    @property
    def lfk(self) -> float:
        """Averaged over communities."""
        if self.trivial is not None:
            return self.trivial
        return 1 - (self.found.mean_share(self.truth) + self.truth.mean_share(self.found)) / 2

    @property
    def mgh(self) -> float:
        """Summed over communities, as a share of the larger entropy."""
        if self.trivial is not None:
            return self.trivial
        largest = max(self.found.total, self.truth.total)
        return min(max((self.found.known + self.truth.known) / 2 / largest, 0.0), 1.0) if largest else 1.0


def mutual_information(covers: TwoCovers) -> MutualInformation:
    """What remains unknown of each community given the other cover, for covers that stand side by side."""
    n, (x, y) = covers.n_nodes, covers.sizes
    h = _terms(n)
    entropy_x, entropy_y = h[n - x] + h[x], h[n - y] + h[y]
    given_y, given_x = entropy_x.copy(), entropy_y.copy()
    by_community = covers.found.T.tocsr()
    step = max(1, _BLOCK // max(1, len(y)))
    for first in range(0, len(x) if len(y) else 0, step):
        some = slice(first, first + step)
        both = (by_community[some] @ covers.truth).toarray()
        alike = h[n - x[some, None] - y + both] + h[both]
        unlike = h[x[some, None] - both] + h[y - both]
        joint = np.where(alike - unlike > _ROUNDING, alike + unlike, np.inf)
        given_y[some] = np.minimum(given_y[some], (joint - entropy_y).min(axis=1))
        given_x = np.minimum(given_x, (joint - entropy_x[some, None]).min(axis=0))
    found = Unknown(entropy_x, np.maximum(given_y, 0), x == n)
    return MutualInformation(found, Unknown(entropy_y, np.maximum(given_x, 0), y == n), covers.trivial)


def _terms(n: int) -> Float64Array:
    """-p log p, in bits, for p = 0, 1/n, …, 1."""
    p = np.arange(1, n + 1) / max(1, n)
    return np.concatenate([[0.0], -p * np.log2(p)])
