"""Covers: communities as sets of nodes, and how alike two covers are.

Four measures compare found communities with known ones: the F1 of best matches, normalized mutual information in the
two usual forms, and the omega index, which asks whether two covers put each pair of nodes together equally often.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from scipy import sparse

from philia._types import BoolArray, Float64Array, Int64Array, Node
from philia.exceptions import InvalidParameterError
from philia.explain import Communities
from philia.graphs import Graph, as_communities

_COMMUNITY_PAIRS = 2**21
"""Pairs of communities whose information is computed at once, in a few temporary arrays of 16 MB."""

_NODE_PAIRS = 2**22
"""Pairs of rows that the omega index compares at once, in a few temporary arrays of up to 32 MB."""

_DENSE = 100
"""How much faster a dense matrix product is than a sparse one, per multiplication (order of magnitude)."""

_ROUNDING = 1e-12
"""Differences of entropies, in bits, that are only rounding."""


@dataclass(frozen=True)
class Cover:
    """Communities as sets of nodes; a node may be in several, in one, or in none, and two sets may be the same.

    A community without members cannot be compared with anything: it is left out of ``sets`` and counted in ``empty``.

    >>> Cover((frozenset({"ann", "bob"}), frozenset({"bob"}))).sizes
    (2, 1)
    """

    sets: tuple[frozenset[Node], ...]
    empty: int = 0

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of members of each community."""
        return tuple(len(members) for members in self.sets)

    @property
    def covered(self) -> frozenset[Node]:
        """The nodes that are in at least one community."""
        return frozenset().union(*self.sets)


CoverLike = Cover | Communities | Mapping[Any, Iterable[Node]] | Iterable[Iterable[Node]]
"""What is accepted as a cover: found communities, sets of nodes with or without names, and clusterings of cdlib and
igraph."""

NodesLike = Graph | Iterable[Node] | int | None
"""The nodes that are compared: a graph, their names, or their number; None means all nodes in any community."""


def as_cover(communities: CoverLike) -> Cover:
    """The communities as sets: those of a model, or anything that :func:`philia.graphs.as_communities` takes.

    >>> as_cover({"B1": ["ann", "bob"], "B2": []})
    Cover(sets=(frozenset({...}),), empty=1)
    """
    if isinstance(communities, Cover):
        return communities
    sets = [frozenset(members) for members in as_communities(communities).values()]
    kept = tuple(members for members in sets if members)
    return Cover(kept, len(sets) - len(kept))


def trivial_covers(graph: Graph) -> dict[str, list[set[Node]]]:
    """Covers that need no method, as a baseline for those that do: all nodes together, and the connected components.

    An isolated node is its own component.

    >>> from philia import as_graph
    >>> for name, communities in trivial_covers(as_graph([("a", "b"), ("c", "d")])).items():
    ...     print(name, [sorted(members) for members in communities])
    one community of all nodes [['a', 'b', 'c', 'd']]
    connected components [['a', 'b'], ['c', 'd']]
    """
    count, component = sparse.csgraph.connected_components(graph.adjacency, directed=False)
    parts: list[set[Node]] = [set() for _ in range(count)]
    for node, number in zip(graph.nodes, component, strict=True):
        parts[number].add(node)
    return {"one community of all nodes": [set(graph.nodes)] if count else [], "connected components": parts}


@dataclass(frozen=True)
class CommunityScores:
    """How alike two covers are, by four measures; 1 is the best of each, and only omega can be negative.

    >>> print(CommunityScores(f1=0.6, nmi_lfk=0.35, nmi_mgh=0.25, omega=-0.125))
    F1 0.600 · NMI 0.350 (LFK), 0.250 (MGH) · omega -0.125
    """

    f1: float
    nmi_lfk: float
    nmi_mgh: float
    omega: float

    def __str__(self) -> str:
        nmi = f"NMI {self.nmi_lfk:.3f} (LFK), {self.nmi_mgh:.3f} (MGH)"
        return f"F1 {self.f1:.3f} · {nmi} · omega {self.omega:.3f}"


def compare_communities(found: CoverLike, truth: CoverLike, nodes: NodesLike = None) -> CommunityScores:
    """How alike found and true communities are: best-match F1, both overlapping NMIs, and the omega index.

    Nodes may be in several communities or in none. ``nodes`` are all nodes: a graph, names, or a number; by default
    those in any community. Only the F1 does not depend on it.

    >>> found = {"B1": {"ann", "bob", "cat"}, "B2": {"cat", "dan"}}
    >>> print(compare_communities(found, [{"ann", "bob"}, {"cat", "dan"}], nodes=6))
    F1 0.900 · NMI 0.740 (LFK), 0.718 (MGH) · omega 0.595
    """
    covers = incidence(found, truth, nodes)
    information = _mutual_information(covers)
    return CommunityScores(_best_match(covers), information.lfk, information.mgh, _omega(covers))


@dataclass(frozen=True, eq=False)
class _TwoCovers:
    """Two covers of the same nodes: 1 where a node (row) is in a community (column).

    Nodes in no community of either have no row; they are only counted.
    """

    found: sparse.csr_array
    truth: sparse.csr_array
    n_nodes: int

    @property
    def sizes(self) -> tuple[Int64Array, Int64Array]:
        """The number of members of each found and each true community."""
        return np.asarray(self.found.sum(axis=0), np.int64), np.asarray(self.truth.sum(axis=0), np.int64)

    @property
    def trivial(self) -> float | None:
        """How alike the two are if one of them has no communities: 1 if both have none, else 0."""
        empty = [cover.shape[1] == 0 for cover in (self.found, self.truth)]
        return float(all(empty)) if any(empty) else None


def incidence(found: CoverLike, truth: CoverLike, nodes: NodesLike = None) -> _TwoCovers:
    """The incidence matrices of two covers over the same rows.

    >>> both = incidence([{"a", "b"}], [{"b"}, {"b"}], nodes=5)
    >>> both.n_nodes, (both.found.T @ both.truth).toarray().tolist()
    (5, [[1, 1]])
    """
    covers = as_cover(found), as_cover(truth)
    covered = covers[0].covered | covers[1].covered
    rows = {node: row for row, node in enumerate(covered)}
    one, other = (_incidence(cover, rows) for cover in covers)
    return _TwoCovers(one, other, _count(nodes, covered))


def _incidence(cover: Cover, rows: Mapping[Node, int]) -> sparse.csr_array:
    indices = np.fromiter((rows[node] for members in cover.sets for node in members), dtype=np.int64)
    indptr = np.cumsum([0, *cover.sizes])
    ones = np.ones(len(indices), np.int32)
    return sparse.csc_array((ones, indices, indptr), shape=(len(rows), len(cover.sets))).tocsr()


def _count(nodes: NodesLike, covered: frozenset[Node]) -> int:
    """The number of nodes, which must include every member."""
    if nodes is None:
        return len(covered)
    if isinstance(nodes, (int, np.integer)):
        if nodes < len(covered):
            raise InvalidParameterError(
                f"{nodes:,} nodes were announced, but the communities have {len(covered):,}; count all nodes"
            )
        return int(nodes)
    known = frozenset(nodes.nodes if isinstance(nodes, Graph) else nodes)
    strangers = covered - known
    if strangers:
        raise InvalidParameterError(
            f"{next(iter(strangers))!r} is in a community but not among the {len(known):,} nodes, as are "
            f"{len(strangers) - 1:,} others; use the names of the nodes, or leave such members out"
        )
    return len(known)


def best_match_f1(found: CoverLike, truth: CoverLike) -> float:
    """How well found and true communities match, from 0 to 1; Yang and Leskovec's average F1 (WSDM 2013).

    The F1 of two sets is 2 |x ∩ y| / (|x| + |y|). Each true community is matched with the found one that fits it best,
    each found one with the true one that fits it best, and the two averages are averaged. Several may match the same
    one. Communities without members are left out; if nothing is left the result is 0, or 1 if neither cover has any.

    >>> best_match_f1([{"a", "b"}, {"c"}], [{"a", "b", "c", "d"}])
    0.6
    """
    return _best_match(incidence(found, truth))


def _best_match(covers: _TwoCovers) -> float:
    if covers.trivial is not None:
        return covers.trivial
    common = (covers.found.T @ covers.truth).tocoo()  # pairs without a common node have an F1 of 0 and no entry
    found, truth = covers.sizes
    f1 = 2 * common.data / (found[common.row] + truth[common.col])
    best_of_found, best_of_truth = np.zeros(len(found)), np.zeros(len(truth))
    np.maximum.at(best_of_found, common.row, f1)
    np.maximum.at(best_of_truth, common.col, f1)
    return (math.fsum(best_of_found) / len(found) + math.fsum(best_of_truth) / len(truth)) / 2


def overlapping_nmi(
    found: CoverLike, truth: CoverLike, nodes: NodesLike = None, *, variant: Literal["lfk", "mgh"] = "lfk"
) -> float:
    """How much each cover tells about the other, from 0 for nothing to 1 for everything.

    A community is a yes-or-no question about a random node. H(x|y) is the entropy of x that remains once y is
    answered, and H(x|Y) the least that remains after any one community of the cover Y. A y that is closer to the
    complement of x counts as uninformative: with h(p) = -p log p of the shares of nodes in both, in neither and in only
    one of them, that is if h(both) + h(neither) is not above h(only x) + h(only y).

    ``"lfk"`` (Lancichinetti, Fortunato and Kertész 2009) averages H(x|Y) / H(x) over the communities of each cover;
    ``"mgh"`` (McDaid, Greene and Hurley 2011) divides the information that the covers share, summed over communities,
    by the larger of their entropies, and so does not reward a cover for a few good communities among many.

    A community of all nodes has no entropy: for ``"lfk"`` it counts as known if the other cover has it too and as
    unknown otherwise; for ``"mgh"`` it adds nothing, and two covers without any other communities get 1. Communities
    without members are left out; a cover with none gets 0, or 1 if the other has none either.

    >>> overlapping_nmi([{0, 1, 2}, {2, 3}], [{2, 3}, {0, 1, 2}])
    1.0
    >>> overlapping_nmi([{0, 1}, {2, 3}], [{0, 1}], nodes=8, variant="lfk")
    0.75
    >>> overlapping_nmi([{0, 1}, {2, 3}], [{0, 1}], nodes=8, variant="mgh")
    0.5
    """
    if variant not in ("lfk", "mgh"):
        raise InvalidParameterError(f"the variant is {variant!r}; use 'lfk' or 'mgh'")
    information = _mutual_information(incidence(found, truth, nodes))
    return information.lfk if variant == "lfk" else information.mgh


@dataclass(frozen=True, eq=False)
class _Unknown:
    """The entropy of each community of a cover, its entropy given the other cover, and whether it has all nodes."""

    entropy: Float64Array
    remaining: Float64Array
    whole: BoolArray

    @property
    def total(self) -> float:
        """The entropy of the cover: the sum over its communities."""
        return math.fsum(self.entropy)

    @property
    def known(self) -> float:
        """The information in the other cover, summed over communities."""
        return self.total - math.fsum(self.remaining)

    def mean_share(self, other: _Unknown) -> float:
        """The mean of H(x|Y) / H(x)."""
        share = np.full(len(self.entropy), 0.0 if other.whole.any() else 1.0)
        np.divide(self.remaining, self.entropy, out=share, where=~self.whole)
        return math.fsum(share) / len(share)


@dataclass(frozen=True, eq=False)
class _MutualInformation:
    """The entropies of two covers given each other; ``trivial`` is the result if one of them has no communities."""

    found: _Unknown
    truth: _Unknown
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


def _mutual_information(covers: _TwoCovers) -> _MutualInformation:
    n, (x, y) = covers.n_nodes, covers.sizes
    h = _terms(n)
    entropy_x, entropy_y = h[n - x] + h[x], h[n - y] + h[y]
    given_y, given_x = entropy_x.copy(), entropy_y.copy()
    by_community = covers.found.T.tocsr()
    step = max(1, _COMMUNITY_PAIRS // max(1, len(y)))
    for first in range(0, len(x) if len(y) else 0, step):
        some = slice(first, first + step)
        both = (by_community[some] @ covers.truth).toarray()
        alike = h[n - x[some, None] - y + both] + h[both]
        unlike = h[x[some, None] - both] + h[y - both]
        joint = np.where(alike - unlike > _ROUNDING, alike + unlike, np.inf)
        given_y[some] = np.minimum(given_y[some], (joint - entropy_y).min(axis=1))
        given_x = np.minimum(given_x, (joint - entropy_x[some, None]).min(axis=0))
    found = _Unknown(entropy_x, np.maximum(given_y, 0), x == n)
    return _MutualInformation(found, _Unknown(entropy_y, np.maximum(given_x, 0), y == n), covers.trivial)


def _terms(n: int) -> Float64Array:
    """-p log p, in bits, for p = 0, 1/n, …, 1."""
    p = np.arange(1, n + 1) / max(1, n)
    return np.concatenate([[0.0], -p * np.log2(p)])


def omega_index(found: CoverLike, truth: CoverLike, nodes: NodesLike = None) -> float:
    """How well two covers agree about pairs of nodes, beyond chance: 1 for full agreement, about 0 for none.

    Collins and Dent (1988): two covers agree about a pair if the same number of communities in each has both nodes.
    With o the share of all pairs that they agree about, and e the share expected if the counts of either were assigned
    to random pairs, the index is (o - e) / (1 - e). It is negative if covers agree less than by chance. For partitions
    it is the adjusted Rand index. If chance alone gives full agreement (e = 1), or with fewer than two nodes, the
    covers do agree, and it is 1.

    >>> omega_index([{0, 1}, {2, 3}], [{2, 3}, {0, 1}])
    1.0
    >>> omega_index([{0, 1}, {2, 3}], [{0, 2}, {1, 3}])
    -0.5
    """
    return _omega(incidence(found, truth, nodes))


def _omega(covers: _TwoCovers) -> float:
    """The omega index, in integers until the last division."""
    pairs = covers.n_nodes * (covers.n_nodes - 1) // 2
    found, truth, differ = _compare(covers)
    never = (pairs - sum(found)) * (pairs - sum(truth))
    expected = never + sum(a * b for a, b in zip(found, truth, strict=False))
    if expected == pairs * pairs:
        return 1.0
    return ((pairs - differ) * pairs - expected) / (pairs * pairs - expected)


def _compare(covers: _TwoCovers) -> tuple[list[int], list[int], int]:
    """How many pairs are together once, twice, … in each cover, and about how many pairs the two differ."""
    sides, alike = _distinct((covers.found, covers.truth))
    memberships = [np.asarray(side.sum(axis=1), np.int64) for side in sides]
    counts = [-_tally(each, alike, 2) for each in memberships]  # a node with itself is not a pair
    differ = -float(alike[memberships[0] != memberships[1]].sum())
    for rows, found, truth in _blocks(sides):
        counts = [_added(counts[0], found, alike, rows), _added(counts[1], truth, alike, rows)]
        other = found != truth
        differ += float(_stored(other) @ _pairs(other, alike, rows))
    once_or_more = [[int(count) // 2 for count in each[1:]] for each in counts]  # every pair was counted in both orders
    return once_or_more[0], once_or_more[1], int(differ) // 2


_Sides = tuple[sparse.csr_array, sparse.csr_array]


def _distinct(sides: _Sides) -> tuple[_Sides, Float64Array]:
    """One row for all nodes that are in the same communities, and how many nodes it stands for.

    Pairs of such rows replace pairs of nodes. Numbers of pairs below 2⁵³ are exact as floats.
    """
    both = sparse.csr_array(sparse.hstack(sides))
    both.sort_indices()
    index, rows, alike = dict[bytes, int](), list[int](), list[int]()
    for row, (start, end) in enumerate(pairwise(both.indptr.tolist())):
        at = index.setdefault(both.indices[start:end].tobytes(), len(rows))
        if at == len(rows):
            rows.append(row)
            alike.append(0)
        alike[at] += 1
    return (sides[0][rows], sides[1][rows]), np.array(alike, dtype=np.float64)


def _added(counts: Float64Array, together: Any, alike: Float64Array, rows: slice) -> Float64Array:
    more = _tally(_stored(together).astype(np.int64), _pairs(together, alike, rows), len(counts))
    more[: len(counts)] += counts
    return more


def _tally(values: Int64Array, stand_for: Float64Array, least: int) -> Float64Array:
    return np.bincount(values, stand_for, minlength=least).astype(np.float64)  # without values it gives integers


def _pairs(matrix: Any, alike: Float64Array, rows: slice) -> Float64Array:
    """How many pairs of nodes each stored entry of a block of rows stands for."""
    if sparse.issparse(matrix):
        return np.asarray(np.repeat(alike[rows], np.diff(matrix.indptr)) * alike[matrix.indices])
    return np.outer(alike[rows], alike).ravel()


def _stored(matrix: Any) -> Any:
    return matrix.data if sparse.issparse(matrix) else matrix.ravel()


def _blocks(sides: _Sides) -> Iterator[tuple[slice, Any, Any]]:
    """In how many communities of each cover the rows of a block are together with every row.

    The matrices are sparse if few rows are together at all, else dense.
    """
    n = sides[0].shape[0]
    together = sum(side @ side.sum(axis=0) for side in sides)
    if _DENSE * together.sum() > n * n * sum(side.shape[1] for side in sides):
        found, truth = (side.toarray().astype(np.float32) for side in sides)
        together = np.full(n, 2 * n)
    else:
        found, truth = sides
    ends = np.flatnonzero(np.diff(np.cumsum(together) // _NODE_PAIRS)) + 1
    for top, bottom in zip([0, *ends], [*ends, n], strict=True):
        yield slice(top, bottom), found[top:bottom] @ found.T, truth[top:bottom] @ truth.T
