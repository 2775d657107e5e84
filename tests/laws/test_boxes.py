"""Laws of boxes of nodes: whatever the factors and the graph, the largest scores are those a full sort finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from philia.explain import best_missing_links, missing_links
from philia.factors import CommunityFactors, LowRankFactors, SignedFactors, boxes
from philia.graphs import Graph
from tests.strategies import graphs


@st.composite
def factors_of(draw: st.DrawFn, n: int) -> LowRankFactors:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    whole = draw(st.booleans())  # whole numbers have many equal scores
    k_B, k_C = draw(st.integers(0, 4)), draw(st.integers(0, 4))

    def columns(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        values = rng.normal(size=(n, count)) * 2
        return np.round(values) if whole else values

    if draw(st.booleans()):
        return SignedFactors(columns(k_B), columns(k_C))
    return CommunityFactors(np.maximum(columns(k_B), 0), np.maximum(columns(k_C), 0), columns(1)[:, 0])


@settings(deadline=None)
@given(st.data(), graphs(max_nodes=60), st.integers(1, 30), st.sampled_from([0, 3, 2**18]))
def test_boxes_find_the_missing_links_that_a_full_sort_finds(
    data: st.DataObject, graph: Graph, count: int, best_first: int
) -> None:
    factors = data.draw(factors_of(graph.n_nodes))
    scores = factors.score_block(slice(None), slice(None))
    rows, columns = np.triu_indices(graph.n_nodes, k=1)
    missing = ~graph.linked(rows, columns)
    rows, columns = rows[missing], columns[missing]
    order = np.lexsort((columns, rows, -scores[rows, columns].round(9)))[:count]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(missing_links, "BLOCK_BY_BLOCK", 0)
        patch.setattr(boxes, "_BEST_FIRST", best_first)
        patch.setattr(boxes, "_LEAF", 4)
        found = best_missing_links(graph, factors, count, probability=lambda values: values)
    np.testing.assert_allclose([link.probability for link in found], scores[rows, columns][order], atol=1e-9)
    assert [(link.u, link.v) for link in found] == list(zip(rows[order], columns[order], strict=True))
