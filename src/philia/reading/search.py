"""The search for the groups with the shortest description.

One descent starts from many small groups, merges the pairs that shorten the description most, moves single nodes, and
repeats this until nothing helps. Several descents end in different places; where they agree is trusted. So the next
ones start from the groups that the best have in common, which are small and pure, and end lower than any of them.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from philia._types import Int64Array
from philia.graphs import Graph
from philia.reading.length import RIDGE, Description, DescriptionLength

_FIRST_STRENGTHS = (4.0, 3.0, 2.0)
"""The strengths of groups before any is known: e⁴ makes small groups to start from, e² larger ones. Which of them leads
to the shortest description depends on the graph."""

_SWEEPS, _ROUNDS = 30, 12
"""The most sweeps over all nodes with the same strengths, and the most rounds of merging and moving: more than any of
the tuning graphs took."""

_COARSE = 12
"""From this many groups down, all pairs of groups may merge, linked or not, and every coarser level is looked at: a
coarser one may be shorter although each single step there is longer."""

_OFFERS = 10
"""How many merges are compared for each group: of hundreds that it is linked with, only the closest matter."""

_POLISH_UP_TO, _POLISH_NODES, _CLOSE = 1000, 200, 2.0
"""Up to this many nodes, this many moves of nodes to groups that cost at most this many nats more are tried exactly: a
fraction of a second, and in larger graphs no single node matters."""

_LEAST_GAIN = 1e-6
"""A shorter description must be shorter by more than rounding."""


@dataclass(frozen=True)
class Effort:
    """How many descents from scratch, and how many rounds of descents from what the best ones have in common.

    >>> Effort.of(1_000), Effort.of(10_000_000)
    (Effort(starts=12, rounds=8), Effort(starts=1, rounds=0))
    """

    starts: int
    rounds: int

    @classmethod
    def of(cls, n_links: int) -> Effort:
        """As much as takes a second or two, and a single descent where that takes longer."""
        if n_links <= 20_000:
            return cls(12, 8)
        return cls(6, 4) if n_links <= 200_000 else cls(1, 0)


def shortest(graph: Graph, rng: np.random.Generator, effort: Effort | None = None) -> Description:
    """The groups with the shortest description that was found; none if no groups make it shorter.

    >>> from philia import as_graph
    >>> cliques = [(c, i, j) for c in range(5) for i in range(6) for j in range(i)]
    >>> graph = as_graph([((c, i), (c, j)) for c, i, j in cliques] + [((c, 0), ((c + 1) % 5, 1)) for c in range(5)])
    >>> shortest(graph, np.random.default_rng(0)).count
    5
    """
    measure = DescriptionLength(graph)
    if graph.n_links == 0:
        return measure.none
    effort = Effort.of(graph.n_links) if effort is None else effort
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
    return _polished(measure, min([measure.none, *found], key=lambda description: description.length))


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
    """The end of merging, moving and dropping from these groups."""
    now = measure.describe(labels)
    for round_ in range(_ROUNDS):
        new = moved(measure, measure.describe(_merged(now.labels, _gaining(measure, now))), rng)
        if round_ and new.length >= now.length - _LEAST_GAIN:
            break
        now = new
    candidates = [now, _dropped(measure, now)]
    if now.count <= _COARSE:
        into = np.append(np.arange(now.count), -1)
        for c, d in coarser(measure, now):
            into[into == d] = c
            candidates.append(measure.describe(into[now.labels]))
    best = min(candidates, key=lambda description: description.length)
    return best if best is now else min(best, moved(measure, best, rng), key=lambda description: description.length)


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


def coarser(measure: DescriptionLength, now: Description) -> Iterator[tuple[int, int]]:
    """The merges that lead from these groups to a single one; the second group goes into the first."""
    return ((c, d) for c, d, _ in _merges(measure, now))


def _gaining(measure: DescriptionLength, now: Description) -> Iterator[tuple[int, int]]:
    labels = now.count + bool((now.labels < 0).any())
    for done, (c, d, gain) in enumerate(_merges(measure, now)):
        if gain + _fewer_labels(measure, labels - done) <= 0:
            break
        yield c, d


def _fewer_labels(measure: DescriptionLength, labels: int) -> float:
    """What one label less than this many saves of the code for the sizes of groups."""
    return math.log((measure.n - labels + 1) / max(1, labels - 1))


def _merged(labels: Int64Array, merges: Iterator[tuple[int, int]]) -> Int64Array:
    into = np.arange(int(labels.max(initial=-1)) + 2)  # the last stands for -1
    into[-1] = -1
    for c, d in merges:
        into[into == d] = c
    return np.asarray(into[labels])


def _merges(measure: DescriptionLength, now: Description) -> Iterator[tuple[int, int, float]]:
    """The pairs of groups to merge, cheapest first, with what each merge gains; the second goes into the first."""
    from philia.reading import kernels

    H, w, costs = now.histograms.copy(), now.strengths.copy(), now.costs.copy()
    sizes, inside = now.sizes, now.links.copy()
    between, version, alive = _links_between(measure, now), [0] * now.count, set(range(now.count))
    waiting: list[tuple[float, int, int, int, int]] = []

    def offer(c: int, d: int) -> None:
        links = inside[c] + inside[d] + between[c].get(d, 0.0)
        _, cost = kernels.merged(H, c, d, links, measure.popularity, now.level, min(w[c], w[d]), RIDGE)
        code = gammaln(sizes[c] + sizes[d] + 1) - gammaln(sizes[c] + 1) - gammaln(sizes[d] + 1)
        gain = float(costs[c] + costs[d] - cost + code + measure.per_group)
        heapq.heappush(waiting, (-gain, c, d, version[c], version[d]))

    def offer_closest(groups: Iterable[int]) -> None:
        """Offer the merges with the groups that have the most links with a group for their number of links in all."""
        for c in groups:
            closest: Iterable[int] = between[c]
            if len(between[c]) > _OFFERS:
                closest = [
                    d for _, d in heapq.nlargest(_OFFERS, ((links / volumes[d], d) for d, links in between[c].items()))
                ]
            for d in closest:
                offer(min(c, d), max(c, d))

    volumes = np.bincount(now.labels[now.labels >= 0], measure.graph.degrees[now.labels >= 0], now.count).tolist()
    offer_closest(alive)
    every_pair = False
    while len(alive) > 1:
        if len(alive) <= _COARSE and not every_pair:
            every_pair = True
            for c, d in combinations(sorted(alive), 2):
                offer(c, d)
        if not waiting:
            offer_closest(alive)
        if not waiting:  # no two of them are linked: too many to compare all pairs
            first, second = sorted(alive, key=lambda c: (sizes[c], c))[:2]
            offer(min(first, second), max(first, second))
        lost, c, d, *versions = heapq.heappop(waiting)
        if not {c, d} <= alive or versions != [version[c], version[d]]:
            continue
        yield c, d, -lost
        inside[c] += inside[d] + between[c].get(d, 0.0)
        w[c], costs[c] = kernels.merged(H, c, d, inside[c], measure.popularity, now.level, min(w[c], w[d]), RIDGE)
        H[c] += H[d]
        sizes[c] += sizes[d]
        volumes[c] += volumes[d]
        version[c] += 1
        alive.discard(d)
        for other, links in between.pop(d).items():
            del between[other][d]
            if other != c:
                between[c][other] = between[other][c] = between[c].get(other, 0.0) + links
        if every_pair:
            for other in alive - {c}:
                offer(min(c, other), max(c, other))
        else:
            offer_closest([c])


def _links_between(measure: DescriptionLength, now: Description) -> dict[int, dict[int, float]]:
    """The number of links between each group and each other that it is linked with."""
    starts, neighbours = measure.rows
    own, other = np.repeat(now.labels, np.diff(starts)), now.labels[neighbours]
    across = (own >= 0) & (other >= 0) & (own != other)
    shape = (now.count, now.count)
    counts = sparse.csr_array(sparse.coo_array((np.ones(int(across.sum())), (own[across], other[across])), shape=shape))
    counts.sum_duplicates()
    rows = [slice(counts.indptr[c], counts.indptr[c + 1]) for c in range(now.count)]
    return {
        c: dict(zip(counts.indices[row].tolist(), counts.data[row].tolist(), strict=True)) for c, row in enumerate(rows)
    }


def _dropped(measure: DescriptionLength, now: Description) -> Description:
    """The description without the groups whose dropping makes it shorter, a quarter of them at a time."""
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
    stacked = np.stack(labels, axis=1)
    numbers = np.unique(stacked, axis=0, return_inverse=True)[1].ravel()
    return np.where((stacked < 0).all(axis=1), -1, numbers)


def shortest_with(graph: Graph, count: int, rng: np.random.Generator) -> Description | None:
    """The shortest description that was found with this many groups, or None; none at all may be shorter.

    >>> from philia.datasets import classic
    >>> shortest_with(classic("karate"), 3, np.random.default_rng(0)).count
    3
    """
    measure, found = DescriptionLength(graph), []
    for t in range(Effort.of(graph.n_links).starts if graph.n_links else 0):
        first = _first_groups(measure, _FIRST_STRENGTHS[t % len(_FIRST_STRENGTHS)], rng)
        now = moved(measure, measure.describe(first), rng)
        merges = now.count - count
        if merges > 0:
            now = measure.describe(_merged(now.labels, islice(coarser(measure, now), merges)))
        found += [now, moved(measure, now, rng)]
    exactly = (description for description in found if description.count == count)
    return min(exactly, key=lambda description: description.length, default=None)
