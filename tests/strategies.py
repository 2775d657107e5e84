"""Random graphs and recipes for the laws."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from philia.graphs import Graph, Nodes
from philia.objective import CrossEntropy, Divergence, Freedom, Group, Loss, NoisyOr, Recipe, SquaredError
from philia.objective.recipe import attracting, blocks, meeting_ones, one_way, repelling


def random_graph(n: int, density: float, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero(np.triu(rng.random((n, n)) < density, k=1))
    return Graph.from_rows(rows, columns, Nodes.numbered(n))


def weighed(graph: Graph, seed: int) -> Graph:
    """The same links with weights, of which about a third is 1."""
    rng = np.random.default_rng(seed)
    rows, columns = graph.links
    weights = np.where(rng.random(rows.size) < 0.3, 1.0, rng.choice([0.1, 0.5, 2.0, 3.0, 40.0], rows.size))
    return Graph.from_rows(rows, columns, graph.nodes, weights=weights)


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 40) -> Graph:
    n = draw(st.integers(1, max_nodes))
    return random_graph(n, draw(st.sampled_from([0.0, 0.05, 0.3, 0.7, 1.0])), draw(st.integers(0, 2**32 - 1)))


def community_recipe(k_B: int, k_C: int, background: Freedom | None = None, loss: Loss | None = None) -> Recipe:
    groups = [Group("homophilous", k_B, lower_bound=0.0), Group("heterophilous", k_C, lower_bound=0.0)]
    mixing = [attracting(k_B), repelling(k_C)]
    if background is not None:
        groups += [
            Group("ones", 1, freedom=Freedom.FIXED),
            Group("background", 1, freedom=background, penalized=False, own_penalty=0.5),
        ]
        mixing.append(meeting_ones(1))
    return Recipe(tuple(groups), blocks(*mixing), loss or CrossEntropy())


def logistic_recipe(k: int, loss: Loss | None = None) -> Recipe:
    return Recipe((Group("sides", 2 * k),), one_way(2 * k), loss or CrossEntropy())


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """Every mixing there is, with every loss that knows it: two are for nonnegative scores only."""
    loss = draw(st.sampled_from([CrossEntropy(), SquaredError(), NoisyOr(), Divergence()]))
    if loss.moment == 1:
        return community_recipe(draw(st.integers(1, 10)), 0, None, loss)
    if draw(st.booleans()):
        return logistic_recipe(draw(st.integers(1, 9)), loss)
    background = draw(st.sampled_from([None, Freedom.SHARED, Freedom.EVERY_NODE]))
    k_B, k_C = draw(st.integers(0, 10)), draw(st.integers(0, 10))
    return community_recipe(k_B + (k_B + k_C == 0), k_C, background, loss)
