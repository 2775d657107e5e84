from __future__ import annotations

import numpy as np
import pytest

from philia import CommunityModel, LogisticPCA
from philia.datasets import dating_app
from philia.exceptions import InvalidParameterError
from philia.factors import CommunityFactors
from philia.fitting.warm_starts import FromFactors

GRAPH = dating_app(90, cities=3, random_state=0).graph


def test_a_fit_from_converted_factors_begins_at_them_and_goes_down() -> None:
    start = FromFactors.converted(LogisticPCA(3, penalty=1, random_state=0).fit(GRAPH).factors_, 6)
    assert sum(start.counts) == 6
    settings = {"penalty": 1.0, "background": "none", "random_state": 0}
    fitted = CommunityModel(*start.counts, start=start, **settings).fit(GRAPH).solution_  # type: ignore[arg-type]
    chance = CommunityModel(*start.counts, start="uniform", **settings).fit(GRAPH).solution_  # type: ignore[arg-type]
    assert fitted.history[0] < chance.history[0]
    assert fitted.value < fitted.history[0]


def test_a_start_with_other_counts_than_the_model_is_refused() -> None:
    start = FromFactors(CommunityFactors.attracting(np.ones((GRAPH.n_nodes, 2))))
    with pytest.raises(InvalidParameterError, match=r"has 2 \+ 0 columns and the model asks for 1 \+ 1"):
        CommunityModel(1, 1, penalty=1, start=start).fit(GRAPH)


def test_a_start_for_other_nodes_is_refused() -> None:
    start = FromFactors(CommunityFactors.attracting(np.ones((7, 2))))
    with pytest.raises(InvalidParameterError, match="the start has 7 nodes and the graph has 90"):
        CommunityModel(2, 0, penalty=1, start=start).fit(GRAPH)
