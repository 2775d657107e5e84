from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from philia.objective.kernels.kernel import LANES, cut
from tests.strategies import random_graph


@given(st.integers(1, 90), st.integers(1, 30), st.booleans(), st.integers(0, 10**6))
def test_lanes_cover_every_ordered_pair_once_and_every_link_row_once(
    n: int, tile: int, symmetric: bool, seed: int
) -> None:
    links: sparse.csr_array = sparse.triu(random_graph(n, 0.2, seed).adjacency, format="csr")
    lanes = cut(n, links, symmetric=symmetric, tile=tile)
    covered = np.zeros((n, n), dtype=int)
    for lane in lanes:
        for top, bottom, first, end, weight in lane.tiles:
            covered[top:bottom, first:end] += 1
            if weight == 2:
                covered[first:end, top:bottom] += 1
    assert (covered == 1).all()
    rows = [row for lane in lanes for row in range(*lane.link_rows)]
    assert rows == list(range(n))
    assert len(lanes) <= LANES
