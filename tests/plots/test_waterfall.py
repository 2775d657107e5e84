from __future__ import annotations

import pytest
from matplotlib.patches import Rectangle

from philia import plots
from philia.explain import LinkExplanation, Reason
from philia.models import CommunityModel
from tests.plots.rendering import render


def explanation(*terms: float, baseline: float = 0.0, names: tuple[str, str] = ("ann", "bob")) -> LinkExplanation:
    reasons = tuple(Reason(f"B{place + 1}", term, (1.0, term)) for place, term in enumerate(terms))
    return LinkExplanation(*names, True, baseline, reasons)


def bars(drawn: LinkExplanation) -> list[tuple[float, float]]:
    """Where each bar begins and ends, from top to bottom."""
    patches = [patch for patch in plots.waterfall(drawn).patches if isinstance(patch, Rectangle)]
    return [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in patches]


def test_each_bar_begins_where_the_last_one_ended_and_the_total_at_zero() -> None:
    found = bars(explanation(2.0, -0.5, baseline=-1.0))
    assert found == [(0.0, -1.0), (-1.0, 1.0), (1.0, 0.5), (0.0, 0.5)]


def test_the_total_is_the_models_logit(model: CommunityModel) -> None:
    assert bars(model.explain(3, 5))[-1][1] == pytest.approx(model.decision_function([(3, 5)])[0])


def test_many_reasons_share_the_last_bar() -> None:
    ax = plots.waterfall(explanation(*[1.0] * 30))
    assert [tick.get_text() for tick in ax.get_yticklabels()][-2:] == ["21 more", "together"]
    assert len(ax.get_yticklabels()) == 12


def test_factors_are_written_on_the_bars() -> None:
    written = [text.get_text() for text in plots.waterfall(explanation(1.5, -1.5)).texts]
    assert written == ["odds 1 to 1", "× 4.48", "÷ 4.48", "odds 1 to 1"]


@pytest.mark.parametrize("terms", [(), (0.0,), (800.0, -2000.0), (1e-9,), (60.0,)])
def test_extremes_can_be_drawn(terms: tuple[float, ...]) -> None:
    render(plots.waterfall(explanation(*terms)))


def test_names_are_taken_literally_and_shortened() -> None:
    ax = plots.waterfall(explanation(1.0, names=("$x$ [red] \\frac", "n" * 100)))
    render(ax)
    assert ax.get_title(loc="left").startswith("\\$x\\$ [red] \\frac and nnnn")
    assert len(ax.get_title(loc="left").splitlines()[0]) < 60
