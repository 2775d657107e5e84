"""A simulation of the search by pairs of shards, in one process: what its loss loses to the search that sees all.

Nodes are cut into P shards. An epoch has P rounds: those of a tournament, after which every two shards have met once,
and one in which each meets itself. In a round a row sees its links with the shard that its own one meets, and columns
drawn there; so a worker with the two shards at hand could compute it. Columns drawn in an epoch are as many as in the
search that sees all, whose steps and memory are spread over the P moves that a row makes in an epoch.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.measuring import save
from philia import CommunityModel, Graph
from philia._types import Float64Array, FloatArray, Int64Array
from philia.datasets import planted
from philia.objective import AllPairsObjective, Recipe, SampledPairsObjective
from philia.solvers import Adam

NODES, COLUMNS, STEP = 50_000, 512, 0.25


def tournament(shards: int) -> list[Int64Array]:
    """Whom each shard meets, round by round; in the last, itself.

    >>> [partners.tolist() for partners in tournament(4)]
    [[3, 2, 1, 0], [2, 3, 0, 1], [1, 0, 3, 2], [0, 1, 2, 3]]
    """
    rounds = []
    for turn in range(shards - 1):
        circle = [0, *(1 + (np.arange(shards - 1) - turn) % (shards - 1))]
        partners = np.empty(shards, dtype=np.int64)
        for one, two in zip(circle[: shards // 2], circle[: shards // 2 - 1 : -1], strict=True):
            partners[one], partners[two] = two, one
        rounds.append(partners)
    return [*rounds, np.arange(shards)]


class Meetings(SampledPairsObjective):
    """``SampledPairsObjective`` whose rows see one shard at a time; each turn of all blocks is a round."""

    def __init__(self, graph: Graph, recipe: Recipe, shards: int, **settings: Any) -> None:
        super().__init__(graph, recipe, columns=COLUMNS // shards, **settings)
        self.bounds = np.linspace(0, self.n, shards + 1).astype(int)
        tops = list(pairwise(self.bounds))
        self.blocks = [slice(t, min(t + 1024, end)) for top, end in tops for t in range(top, end, 1024)]
        self.schedule, self.calls = tournament(shards), 0
        self.meeting = [self._only(slice(top, end), shards) for top, end in tops]

    def by_rows(self, F: FloatArray, rows: slice, rng: np.random.Generator) -> tuple[float, FloatArray]:
        """What the rows' pairs with one shard add, and the gradient by the rows."""
        partners = self.schedule[self.calls // len(self.blocks) % len(self.schedule)]
        own = np.searchsorted(self.bounds, rows.start, side="right") - 1
        self.calls += 1
        return SampledPairsObjective.by_rows(self.meeting[partners[own]], F, rows, rng)

    def _only(self, columns: slice, shards: int) -> SampledPairsObjective:
        """The objective of all rows with some columns alone, and with their share of the penalty."""
        links = self.known.adjacency.tocsc()[:, columns].tocoo()
        inside = sparse.csr_array((links.data, (links.row, links.col + columns.start)), shape=(self.n, self.n))
        inside.sort_indices()
        part, chances = copy(self), np.zeros(self.n)
        chances[columns] = self._chances[columns]
        part.known = replace(self.known, adjacency=inside)
        part._chances = chances / chances.sum()
        part._up_to = np.cumsum(part._chances)
        part._charged = self._charged / np.float32(shards)
        return part


class Searches:
    """Searches on one planted graph from one start, each ending in an exact loss."""

    def __init__(self) -> None:
        self.graph = planted(NODES, 20, 4, degree=20, popularity=0.5, random_state=0).graph
        model = CommunityModel(20, 4, penalty=1.0, random_state=0)
        self.recipe = model.recipe()
        self.start = model.parametrization().start(self.graph, np.random.default_rng(0))
        self.exact = AllPairsObjective(self.graph, self.recipe, penalty=1.0, diagonal=False, dtype="float32")

    def loss(self, F: Float64Array) -> float:
        """The exact loss."""
        return self.exact.value_and_gradient(self.recipe.point(F))[0]

    def reached(self, shards: int, longer: float, epochs: int) -> dict[str, Any]:
        """Where a search with so many shards ends, its steps so many times as long as usual in an epoch."""
        how = Adam(epochs * shards, longer * STEP / shards)
        how = replace(how, first_decay=how.first_decay ** (1 / shards), second_decay=how.second_decay ** (1 / shards))
        groups = self.recipe.groups
        lower = np.repeat([g.lower_bound for g in groups], [g.width for g in groups])
        meetings = Meetings(self.graph, self.recipe, shards, penalty=1.0, diagonal=False)
        found = how.minimize(meetings, self.start, lower, np.random.default_rng(0))
        row = {"shards": shards, "longer": longer, "epochs": epochs, "loss": round(self.loss(found.point))}
        print(row, flush=True)
        return row


def run() -> None:
    """The loss after as many epochs, by the number of shards and the length of the steps."""
    searches = Searches()
    print({"loss at the start": round(searches.loss(searches.start))}, flush=True)
    asked = product((1, 8, 16), (1.0, 2.0, 4.0), (10, 30))
    save("pairs_of_shards", [searches.reached(*settings) for settings in asked])


if __name__ == "__main__":
    run()
