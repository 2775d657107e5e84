"""The search for the groups with the shortest description.

One descent starts from many small groups, merges the pairs that shorten the description most, moves the small groups as
a whole, then single nodes, and repeats this until nothing helps. Then it looks at ever fewer groups, moving nodes after
each merge. Several descents end in different places; where they agree is trusted. So the next ones start from the
groups that the best have in common, which are small and pure, and end lower than any of them. Nodes are searched in an
order that the links determine, so the order of the nodes in a file decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.graphs import Graph
from philia.graphs.canonical import canonical
from philia.reading.length import RIDGE, Description, DescriptionLength

_FIRST_STRENGTHS = (4.0, 3.0, 2.0)
"""The strengths of groups before any is known: e⁴ makes small groups to start from, e² larger ones. Which of them leads
to the shortest description depends on the graph."""

_SWEEPS, _ROUNDS = 30, 12
"""The most sweeps over all nodes with the same strengths, and the most rounds of merging and moving: more than any of
the tuning graphs took."""

_LEVELS = 48
"""Up to this many groups, coarser levels are looked at too: as many as a hierarchy has."""

_FEW = 16
"""Up to this many first groups, nodes move after each of their merges: one descent more, where it takes little time."""

_ASTRAY, _SHARE_ASTRAY = 50.0, 0.02
"""By how many nats the way to a shorter description may be longer, or by which share of what is saved."""

_AT_ONCE = 10
"""One in this many groups is merged before nodes move again; a single one where there are fewer."""

_POLISH_UP_TO, _POLISH_NODES, _CLOSE = 1000, 200, 2.0
"""Up to this many nodes, this many moves of nodes to groups that cost at most this many nats more are tried exactly: a
fraction of a second, and in larger graphs no single node matters."""

_LEAST_GAIN = 1e-6
"""A shorter description must be shorter by more than rounding."""


@dataclass(frozen=True)
class Effort:
    """How many descents from scratch, and rounds of descents from what the best ones have in common.

    >>> Effort.of(1_000), Effort.of(10_000_000)
    (Effort(starts=9, rounds=8), Effort(starts=1, rounds=0))
    >>> Effort.of_part(1_000), Effort.of_part(10_000_000)
    (Effort(starts=2, rounds=1), Effort(starts=1, rounds=0))
    """

    starts: int
    rounds: int

    @classmethod
    def of(cls, n_links: int) -> Effort:
        """As much as takes a second or a few, and a single descent where that takes longer."""
        if n_links <= 6_000:
            return cls(9, 8)
        return cls(6, 4) if n_links <= 200_000 else cls(1, 0)

    @classmethod
    def of_part(cls, n_links: int) -> Effort:
        """Fewer, for a graph that is read again without some of its links, and never more than for the whole."""
        whole = cls.of(n_links)
        return cls(min(2, whole.starts), min(1, whole.rounds))


def shortest(graph: Graph, rng: np.random.Generator, effort: Effort | None = None) -> Description:
    """The groups with the shortest description that was found; none if no groups make it shorter.

    >>> from philia import as_graph
    >>> cliques = [(c, i, j) for c in range(5) for i in range(6) for j in range(i)]
    >>> graph = as_graph([((c, i), (c, j)) for c, i, j in cliques] + [((c, 0), ((c + 1) % 5, 1)) for c in range(5)])
    >>> shortest(graph, np.random.default_rng(0)).count
    5
    """
    if graph.n_links == 0:
        return DescriptionLength(graph).none
    chosen = Effort.of(graph.n_links) if effort is None else effort
    return _whatever_the_order(graph, lambda measure: _shortest(measure, rng, chosen))


def _whatever_the_order(graph: Graph, search: Callable[[DescriptionLength], Description]) -> Description:
    """What a search finds if the nodes are in their canonical order; the labels are in the graph's own."""
    same, rows = canonical(graph)
    found = search(DescriptionLength(same))
    labels = np.empty_like(found.labels)
    labels[rows] = found.labels
    return replace(found, labels=labels)


def _shortest(measure: DescriptionLength, rng: np.random.Generator, effort: Effort) -> Description:
    found = [
        _descent(measure, _first_groups(measure, _FIRST_STRENGTHS[t % len(_FIRST_STRENGTHS)], rng), rng)
        for t in range(effort.starts)
    ]
    for _ in range(effort.rounds):
        found.sort(key=lambda description: description.length)
        if len(found) < 2:
            break
        new = [
            _descent(measure, _in_common([description.labels for description in found[:count]]), rng)
            for count in range(2, min(5, len(found)) + 1)
        ]
        better = min(description.length for description in new) < found[0].length - _LEAST_GAIN
        found += new
        if not better:
            break
    best = min([measure.none, *found], key=lambda description: description.length)
    return _polished(measure, best)


def _coarsened(measure: DescriptionLength, now: Description, rng: np.random.Generator) -> Description:
    """The shortest description on the way to ever fewer groups, if nodes move after every merge.

    A merge may gain only after the nodes have moved, and several may gain where none of them does. Ways that become
    much longer are not followed.
    """
    best = now
    while now.count > 1 and now.length < best.length + max(_ASTRAY, _SHARE_ASTRAY * best.saved):
        merges = _merges(measure, now, np.full(max(1, now.count // _AT_ONCE), -np.inf))[0]
        new = moved(measure, measure.describe(merged_labels(now.labels, merges)), rng)
        if new.count >= now.count:
            break
        best, now = min(best, new, key=lambda description: description.length), new
    return best


def _polished(measure: DescriptionLength, now: Description) -> Description:
    """The description after moving single nodes that are close to another group, with strengths fitted to each move.

    Moves are otherwise judged with the strengths as they are, which misses those that pay only with others.
    """
    tries = _POLISH_NODES if measure.n <= _POLISH_UP_TO else 0
    while tries and now.count > 1:
        found = measure.gains(now).tocoo()
        values, own = found.data + np.log(now.sizes)[found.col], now.labels[found.row]
        of_own = np.full(measure.n, -np.inf)
        of_own[found.row[own == found.col]] = values[own == found.col]
        values = np.where((own >= 0) & (own != found.col), values - of_own[found.row], -np.inf)
        better = None
        for at in np.argsort(-values, kind="stable")[:tries].tolist():
            node, group = found.row[at], found.col[at]
            if values[at] < -_CLOSE:
                break
            tries -= 1
            new = measure.describe(np.where(np.arange(measure.n) == node, group, now.labels))
            if new.length < now.length - _LEAST_GAIN:
                better = new
                break
        if better is None:
            break
        now = better
    return now


def _first_groups(measure: DescriptionLength, strength: float, rng: np.random.Generator) -> Int64Array:
    """Small groups: every node starts alone and moves to its neighbours', with one strength for all groups."""
    from philia.reading import kernels

    kernels.prepare()
    n = measure.n
    labels, w, sizes = np.arange(n), np.full(n, strength), np.ones(n)
    H = np.zeros((n, len(measure.counts)))
    H[np.arange(n), measure.classes] = 1.0
    costs = kernels.group_costs(np.eye(len(measure.counts)), measure.popularity, 0.0, w[: len(measure.counts)])
    groups = H, sizes, costs[measure.classes]
    for _ in range(_SWEEPS):
        if not kernels.move(
            measure.rows, measure.classes, measure.popularity, 0.0, labels, w, groups, rng.permutation(n), 0.0
        ):
            break
    return labels


def _descent(measure: DescriptionLength, labels: Int64Array, rng: np.random.Generator) -> Description:
    """The end of merging, moving and dropping from these groups, which move as a whole first."""
    first = now = measure.describe(labels)
    for round_ in range(_ROUNDS):
        merged = measure.describe(merged_labels(now.labels, _gaining(measure, now)))
        new = moved(measure, _moved_in_pieces(measure, merged, labels, rng), rng)
        if round_ and new.length >= now.length - _LEAST_GAIN:
            break
        now = new
    dropped = _dropped(measure, now)
    found = [now, *([] if dropped is now else [moved(measure, dropped, rng)])]
    if first.count <= _FEW:  # the merges above were chosen before any node moved
        found.append(_coarsened(measure, moved(measure, first, rng), rng))
    best = min(found, key=lambda description: description.length)
    return _coarsened(measure, best, rng) if best.count <= _LEVELS else best


def _moved_in_pieces(
    measure: DescriptionLength, now: Description, labels: Int64Array, rng: np.random.Generator
) -> Description:
    """The description after moving whole pieces, which are what its groups have in common with these, while it helps.

    A node in no group is a piece of its own.
    """
    from philia.reading import kernels, pieces

    pieces.prepare()
    of, first = _numbered(_in_common([labels, now.labels]))
    links, made = _between_pieces(measure, of)
    for _ in range(_ROUNDS):
        if not now.count:
            break
        a, s, w, where = measure.popularity, now.level, now.strengths, now.labels[first]
        groups = now.histograms.copy(), now.sizes, kernels.group_costs(now.histograms, a, s, w)
        for _ in range(_SWEEPS):
            if not pieces.move(links, made, a, s, where, w, groups, rng.permutation(len(first))):
                break
        new = measure.describe(where[of])
        if new.length >= now.length - _LEAST_GAIN:
            break
        now = new
    return now


def _numbered(labels: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The piece of each node, numbered from 0, where each -1 is a piece of its own; and the first node of each piece.

    >>> _numbered(np.array([4, -1, 4, -1]))[0].tolist()
    [0, 1, 0, 2]
    """
    alone = labels < 0
    different = np.where(alone, labels.max(initial=0) + np.cumsum(alone), labels)
    _, first, numbers = np.unique(different, return_index=True, return_inverse=True)
    return numbers.ravel(), first


def _between_pieces(measure: DescriptionLength, of: Int64Array) -> tuple[Any, Any]:
    """The links between pieces, and the pieces' histograms, links inside and sizes, as the compiled loop takes them."""
    from philia.reading import counting

    H, inside, sizes = counting.group_counts(of, measure.classes, len(measure.counts), measure.rows)
    links = counting.links_between(of, len(inside), measure.rows)
    pieces, classes = map(np.ascontiguousarray, np.nonzero(H))  # other arrays would compile the loop again
    starts = np.searchsorted(pieces, np.arange(len(inside) + 1))
    return links, (starts, classes, H[pieces, classes], inside, sizes[:-1].astype(np.float64))


def moved(measure: DescriptionLength, now: Description, rng: np.random.Generator) -> Description:
    """The description after moving single nodes, with the strengths fitted again after some sweeps, while it helps."""
    from philia.reading import kernels

    kernels.prepare()
    for _ in range(_ROUNDS):
        if not now.count:
            break
        a, s, w, labels = measure.popularity, now.level, now.strengths, now.labels.copy()
        groups = now.histograms.copy(), now.sizes, kernels.group_costs(now.histograms, a, s, w)
        for _ in range(_SWEEPS):
            if not kernels.move(
                measure.rows, measure.classes, a, s, labels, w, groups, rng.permutation(measure.n), 1.0
            ):
                break
        new = measure.describe(labels)
        if new.length >= now.length - _LEAST_GAIN:
            break
        now = new
    return now


def coarser(measure: DescriptionLength, now: Description) -> Int64Array:
    """The merges (pairs of groups) that lead from these groups to one; the second group goes into the first."""
    return _merges(measure, now, np.full(max(0, now.count - 1), -np.inf))[0]


def _gaining(measure: DescriptionLength, now: Description) -> Int64Array:
    """The first merges, as long as each makes the description shorter."""
    labels = now.count + bool((now.labels < 0).any())
    return _merges(measure, now, np.array([-_fewer_labels(measure, labels - t) for t in range(now.count - 1)]))[0]


def _fewer_labels(measure: DescriptionLength, labels: int) -> float:
    """What one label less than this many saves of the code for the sizes of groups."""
    return math.log((measure.n - labels + 1) / max(1, labels - 1))


def merged_labels(labels: Int64Array, merges: Int64Array) -> Int64Array:
    """The labels after merges, of which each puts its second group into its first.

    >>> merged_labels(np.array([0, 1, 2, 3, -1]), np.array([[1, 3], [0, 1]])).tolist()
    [0, 0, 2, 0, -1]
    """
    into = np.arange(int(labels.max(initial=-1)) + 2)  # the last stands for -1
    into[-1] = -1
    # A group that is gone never changes again, so the last merges know where the earlier ones end.
    for c, d in merges[::-1].tolist():
        into[d] = into[c]
    return np.asarray(into[labels])


def _merges(measure: DescriptionLength, now: Description, least: Float64Array) -> tuple[Int64Array, Float64Array]:
    """The pairs of groups to merge, cheapest first, and what each merge gains; the second goes into the first.

    There are at most as many as ``least`` has entries, and each gains more than its entry there.
    """
    from philia.reading import merging

    if not len(least):
        return np.empty((0, 2), np.int64), np.empty(0)
    merging.prepare()
    member = now.labels >= 0
    volumes = np.bincount(now.labels[member], measure.graph.degrees[member], now.count).astype(np.float64)
    groups = now.histograms.copy(), now.strengths.copy(), now.links.copy(), now.costs.copy(), volumes
    links = _links_between(measure, now)
    return merging.merges(groups, links, measure.popularity, (now.level, RIDGE, measure.per_group), least)


def _links_between(measure: DescriptionLength, now: Description) -> tuple[Int64Array, Int64Array, Float64Array]:
    """The number of links between each group and each other (k × k), in compressed rows."""
    from philia.reading import counting

    starts, others, counts = counting.links_between(now.labels, now.count, measure.rows)
    return starts, others, counts


def _dropped(measure: DescriptionLength, now: Description) -> Description:
    """The description without the groups whose dropping makes it shorter, a quarter of them at a time."""
    from scipy.special import gammaln  # it takes long to load

    while now.count:
        outside, sizes = float(np.count_nonzero(now.labels < 0)), now.sizes
        code = gammaln(sizes + outside + 1) - gammaln(sizes + 1) - gammaln(outside + 1)
        gains = now.costs + code + measure.per_group + _fewer_labels(measure, now.count + bool(outside))
        worst = np.argsort(-gains, kind="stable")[: max(1, np.count_nonzero(gains > 0) // 4)]
        new = measure.describe(np.where(np.isin(now.labels, worst), -1, now.labels)) if gains[worst[0]] > 0 else now
        if new.length >= now.length - _LEAST_GAIN:
            break
        now = new
    return now


def _in_common(labels: list[Int64Array]) -> Int64Array:
    """Groups of nodes that have the same label everywhere.

    >>> _in_common([np.array([0, 0, 0, 1, -1]), np.array([1, 1, 0, 0, -1])]).tolist()
    [2, 2, 1, 3, -1]
    """
    together = labels[0] + 1
    for more in labels[1:]:
        together = np.unique(together * (more.max(initial=-1) + 2) + more + 1, return_inverse=True)[1]
    return np.where(np.max(labels, axis=0) < 0, -1, together)


def shortest_with(graph: Graph, count: int, rng: np.random.Generator) -> Description | None:
    """The shortest description that was found with this many groups, or None; none at all may be shorter.

    >>> from philia.datasets import classic
    >>> shortest_with(classic("karate"), 3, np.random.default_rng(0)).count
    3
    """
    if graph.n_links == 0:
        return None
    found = _whatever_the_order(graph, lambda measure: _shortest_with(measure, count, rng))
    return found if found.count == count else None


def _shortest_with(measure: DescriptionLength, count: int, rng: np.random.Generator) -> Description:
    """The same, or the description without groups."""
    found = []
    for t in range(Effort.of(measure.m).starts):
        first = _first_groups(measure, _FIRST_STRENGTHS[t % len(_FIRST_STRENGTHS)], rng)
        now = moved(measure, measure.describe(first), rng)
        merges = now.count - count
        if merges > 0:
            now = measure.describe(merged_labels(now.labels, coarser(measure, now)[:merges]))
        found += [now, moved(measure, now, rng)]
    exactly = (description for description in found if description.count == count)
    return min(exactly, key=lambda description: description.length, default=measure.none)
