"""Latent features: strengths against a logistic regression, pair by pair, and explanations that add up."""

from __future__ import annotations

import numpy as np
import pytest

from philia import LatentFeatures
from philia.datasets import dating_app
from philia.exceptions import InvalidParameterError

APP = dating_app(120, cities=3, random_state=0)


@pytest.fixture(scope="module")
def fitted() -> LatentFeatures:
    return LatentFeatures(3, 2, random_state=0).fit(APP.graph)


@pytest.mark.parametrize("strengths", ["full", "diagonal"])
@pytest.mark.parametrize("held_out", [None, 0.2])
def test_strengths_are_those_of_a_logistic_regression(strengths: str, held_out: float | None) -> None:
    from sklearn.linear_model import LogisticRegression

    model = LatentFeatures(3, 2, strengths=strengths, random_state=0).fit(APP.graph, held_out=held_out)
    Z, W = model.factors_.features_of, model.factors_.strengths
    rows, columns = np.triu_indices(APP.graph.n_nodes, k=1)
    if model.held_out_ is not None:
        seen = ~model.held_out_.contains(rows, columns)
        rows, columns = rows[seen], columns[seen]
    k = Z.shape[1]
    cells = [(c, d) for c in range(k) for d in range(c, k) if c == d or strengths == "full"]
    X = np.stack([Z[rows, c] * Z[columns, d] + (Z[rows, d] * Z[columns, c] if c != d else 0) for c, d in cells], axis=1)
    theirs = LogisticRegression(C=1.0, tol=1e-8, max_iter=5000).fit(X, APP.graph.linked(rows, columns))
    np.testing.assert_allclose([W[cell] for cell in cells], theirs.coef_[0], atol=5e-3)
    assert float(model.factors_.constant[0]) == pytest.approx(float(theirs.intercept_[0]), abs=5e-3)
    if strengths == "diagonal":
        assert (W[~np.eye(k, dtype=bool)] == 0).all()


def test_members_are_all_or_nothing(fitted: LatentFeatures) -> None:
    assert set(np.unique(fitted.factors_.features_of)) == {0.0, 1.0}
    for community in fitted.communities(everything=True):
        assert set(community.members.values()) == {1.0}


def test_opposite_genders_attract_and_different_cities_do_not(fitted: LatentFeatures) -> None:
    pairs = {(row["one"], row["other"]): row["strength"] for row in fitted.community_pairs()}
    assert pairs["C1", "C2"] > 0
    assert min(pairs["B1", "B2"], pairs["B1", "B3"], pairs["B2", "B3"]) < 0


def test_the_reasons_of_a_link_add_up_to_its_logit(fitted: LatentFeatures) -> None:
    for pair in [(0, 1), (4, 70), (33, 2)]:
        said = fitted.explain(*pair)
        assert said.logit == pytest.approx(float(fitted.decision_function([pair])[0]), abs=1e-9)
        assert said.probability == pytest.approx(float(fitted.predict_proba([pair])[0]), abs=1e-9)


def test_the_reasons_of_a_link_stand_below_each_other(fitted: LatentFeatures) -> None:
    lines = [line for line in str(fitted.explain(2, 33)).splitlines() if "attracts" in line or "repels" in line]
    assert len({len(line.split()[0]) for line in lines} | {"with" in line for line in lines}) > 1
    assert len({line.index(" odds ") for line in lines}) == 1


def test_more_strengths_explain_more() -> None:
    few, many = (LatentFeatures(3, 2, strengths=s, random_state=0).fit(APP.graph) for s in ("diagonal", "full"))
    assert many.solution_.value < few.solution_.value
    assert few.community_pairs() == []


@pytest.mark.parametrize("settings", [{"strengths": "some"}, {"rule": "loud"}, {"penalty": 0}, {"penalty": "auto"}])
def test_senseless_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(InvalidParameterError, match=next(iter(settings))):
        LatentFeatures(2, 1, **settings).fit(APP.graph)  # type: ignore[arg-type]


def test_a_rule_is_refused_after_the_fit(fitted: LatentFeatures) -> None:
    with pytest.raises(InvalidParameterError, match="all or nothing"):
        fitted.communities("split")
