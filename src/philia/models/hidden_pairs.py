"""A few pairs hidden from a search, to judge it by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import BoolArray, Float64Array, FloatArray, Int64Array
from philia.graphs import Graph
from philia.objective import BothPairs, HeldOut, ListedPairs, RandomPairs, Recipe, seen
from philia.objective.sampled_pairs import drawing_chances

_NON_LINKS = 4
"""How many pairs without a link are drawn for each hidden link."""

_CHUNK = 65536


@dataclass(frozen=True, eq=False)
class HiddenPairs:
    """A few pairs that a search does not see, each with the number of pairs of the graph it stands for.

    Links are drawn evenly, among those whose nodes have others. Pairs without a link are drawn as columns of
    ``SampledPairsObjective`` are, popular nodes more often, because the likeliest of them decide. With the weights,
    the sum estimates the loss of the whole graph, so links and the many other pairs keep their balance.

    >>> from philia.datasets import planted
    >>> graph = planted(400, 4, 2, degree=15, random_state=0).graph
    >>> hidden = HiddenPairs.draw(graph, None, 100, np.random.default_rng(0))
    >>> bool(graph.linked(hidden.rows, hidden.columns)[hidden.linked].all()), int(hidden.linked.sum())
    (True, 100)
    """

    rows: Int64Array
    columns: Int64Array
    linked: BoolArray
    weights: Float64Array

    @classmethod
    def draw(cls, graph: Graph, held_out: HeldOut | None, count: int, rng: np.random.Generator) -> HiddenPairs:
        """At most ``count`` links, and pairs without one, none of which is held out already."""
        known = seen(graph, held_out)
        chosen = _some_links(known, count, rng)
        others, stand_for = _non_links(graph, known, held_out, _NON_LINKS * count, rng)
        weights = np.full(chosen.shape[1], known.n_links / max(1, chosen.shape[1]))
        return cls(
            np.concatenate([chosen[0], others[0]]),
            np.concatenate([chosen[1], others[1]]),
            np.arange(chosen.shape[1] + others.shape[1]) < chosen.shape[1],
            np.concatenate([weights, stand_for]),
        )

    def beside(self, held_out: HeldOut | None, graph: Graph) -> HeldOut:
        """These pairs held out, and those that are held out anyway."""
        rows, columns = self.rows, self.columns
        if held_out is not None:
            indptr, listed = held_out.listed()
            rows = np.concatenate([rows, np.repeat(np.arange(max(0, len(indptr) - 1)), np.diff(indptr))])
            columns = np.concatenate([columns, listed])
        together = ListedPairs.of_rows(graph, rows, columns)
        by_chance = held_out.random if isinstance(held_out, BothPairs) else held_out
        return BothPairs(by_chance, together) if isinstance(by_chance, RandomPairs) else together

    def cost(self, recipe: Recipe, F: FloatArray) -> float:
        """The loss of the pairs by the factors F, weights included; minus a log-likelihood where the loss is one."""
        mixing, loss, total = recipe.mixing.astype(F.dtype), recipe.loss, 0.0
        for at in range(0, len(self.rows), _CHUNK):
            part = slice(at, at + _CHUNK)
            scores = np.einsum("ij,ij->i", F[self.rows[part]] @ mixing, F[self.columns[part]]).astype(np.float64)
            linked, without = loss.with_link(scores)[0], loss.without_link(scores)[0]
            total += float(self.weights[part] @ np.where(self.linked[part], linked, without))
        return total


def _some_links(graph: Graph, count: int, rng: np.random.Generator) -> Int64Array:
    """At most so many links, in the order of their rows, without a list of all."""
    entries = rng.choice(graph.adjacency.nnz, min(graph.adjacency.nnz, 3 * count), replace=False)
    rows = np.searchsorted(graph.adjacency.indptr, entries, side="right") - 1
    links = np.stack([rows, graph.adjacency.indices[entries].astype(np.int64)])
    links = links[:, (links[0] < links[1]) & (graph.degrees[links] > 1).all(axis=0)][:, :count]  # each is there twice
    return links[:, np.lexsort(links[::-1])]


def _non_links(
    graph: Graph, known: Graph, held_out: HeldOut | None, count: int, rng: np.random.Generator
) -> tuple[Int64Array, Float64Array]:
    """About so many pairs without a link, and for how many each one stands."""
    chances = drawing_chances(known)
    up_to = np.cumsum(chances)
    pairs = np.searchsorted(up_to, rng.random((2, count)) * up_to[-1], side="right").clip(max=graph.n_nodes - 1)
    keep = (pairs[0] != pairs[1]) & ~graph.linked(*pairs)
    if held_out is not None:
        keep &= ~held_out.contains(*pairs)
    pairs = pairs[:, keep]
    return pairs, 1 / (2 * count * chances[pairs].prod(axis=0))
