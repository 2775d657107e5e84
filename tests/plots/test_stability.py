from __future__ import annotations

import numpy as np

from philia import plots
from philia.explain import measure_stability
from philia.factors import CommunityFactors


def test_every_fit_has_a_dot_and_every_community_says_in_how_many_it_was_found() -> None:
    B = np.repeat(np.eye(2), 3, axis=0)
    both = CommunityFactors.attracting(B)
    ax = plots.stability(measure_stability(both, [both, CommunityFactors.attracting(B[:, :1]), both]))
    dots = [np.asarray(line.get_xdata()) for line in ax.lines if len(np.asarray(line.get_xdata())) == 3]
    np.testing.assert_allclose(dots, [[1, 1, 1], [1, 0, 1]])
    assert [text.get_text() for text in ax.texts] == ["3 of 3", "2 of 3"]


def test_a_model_without_communities_has_an_empty_picture() -> None:
    nothing = CommunityFactors.attracting(np.zeros((3, 1)))
    assert plots.stability(measure_stability(nothing, [nothing])).get_yticklabels() == []
