"""The motivating network of the paper: matches of a mostly heterosexual dating app, in several cities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.datasets.sampling import sample_graph
from philia.graphs import Graph, Nodes


@dataclass(frozen=True, eq=False)
class DatingApp:
    """A sampled network, the city and gender of each node, and the probabilities it was drawn from.

    >>> app = dating_app(n=50, cities=2, random_state=0)
    >>> app.city.shape, app.probabilities().shape
    ((50,), (50, 50))
    """

    graph: Graph
    city: Int64Array
    gender: Int64Array
    _by_kind: Float64Array

    def probabilities(self, rows: slice = slice(None), columns: slice = slice(None)) -> Float64Array:
        """The true probability of a match for all pairs of these rows and columns."""
        return _probabilities(self.city, self.gender, self._by_kind, rows, columns)


def dating_app(
    n: int = 1000,
    cities: int = 10,
    *,
    same_city_other_gender: float = 0.5,
    same_city_same_gender: float = 0.05,
    other_city_other_gender: float = 0.05,
    other_city_same_gender: float = 0.005,
    random_state: Any = None,
) -> DatingApp:
    """A network with both kinds of communities: cities attract, genders repel.

    Every user lives in a random city and has a random gender; the four probabilities of a match depend on whether two
    users share them. The names of the nodes are 0 … n - 1.

    >>> app = dating_app(random_state=0)
    >>> app.graph.n_nodes, len(set(app.city.tolist())), len(set(app.gender.tolist()))
    (1000, 10, 2)
    """
    rng = np.random.default_rng(random_state)
    city, gender = rng.integers(cities, size=n), rng.integers(2, size=n)
    by_kind = np.array(
        [[other_city_other_gender, other_city_same_gender], [same_city_other_gender, same_city_same_gender]]
    )
    graph = sample_graph(lambda r, c: _probabilities(city, gender, by_kind, r, c), Nodes.numbered(n), rng)
    return DatingApp(graph, city, gender, by_kind)


def _probabilities(
    city: Int64Array, gender: Int64Array, by_kind: Float64Array, rows: slice, columns: slice
) -> Float64Array:
    same_city = (city[rows][:, None] == city[columns]).astype(int)
    same_gender = (gender[rows][:, None] == gender[columns]).astype(int)
    return np.asarray(by_kind[same_city, same_gender])
