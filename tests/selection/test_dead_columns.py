from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from philia import CommunityModel
from philia.factors import CommunityFactors
from philia.selection.search import _alive
from tests.strategies import random_graph


def _fold(*largest: float, repelling: tuple[float, ...] = ()) -> CommunityFactors:
    return CommunityFactors(np.outer([1.0, 0.5], largest), np.outer([0.5, 1.0], repelling), np.zeros(2))


def test_columns_of_zeros_go_and_the_others_keep_their_order() -> None:
    (left,) = _alive((_fold(0.0, 2.0, 1e-3, 1.0, repelling=(0.0,)),), (True, True))
    assert left.homophilous[0].tolist() == [2.0, 1.0]
    assert left.heterophilous.shape == (2, 0)


def test_folds_keep_as_many_as_live_in_one_of_them() -> None:
    first, second = _alive((_fold(0.0, 2.0, 1.0), _fold(3.0, 0.0, 1e-3)), (True, True))
    assert first.homophilous[0].tolist() == [2.0, 1.0]
    assert second.homophilous[0].tolist() == [3.0, 1e-3]


def test_a_number_that_was_given_stays() -> None:
    (left,) = _alive((_fold(0.0, 2.0, repelling=(0.0, 0.0)),), (True, False))
    assert left.counts == (1, 2)


@pytest.mark.parametrize("given", [{}, {"n_homophilous": 3}])
def test_under_a_penalty_that_kills_all_only_what_was_given_is_left(given: dict[str, Any]) -> None:
    model = CommunityModel(penalty=500.0, random_state=0, **given).fit(random_graph(60, 0.2, 0))
    assert model.factors_.counts == (given.get("n_homophilous", 0), 0)
