"""IeClam against its formulas as written, and against BigClam, which it contains."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from philia import BigClam, IeClam
from philia._types import Float64Array
from philia.datasets import dating_app, planted
from philia.exceptions import InvalidParameterError
from philia.factors import ConeFactors
from philia.objective import AllPairsObjective, ClosedFormObjective, exact_objective

GRAPH = planted(100, 4, 2, degree=12, random_state=0).graph
BIPARTITE = [(i, 10 + j) for i in range(10) for j in range(10)]


def log_likelihood(A: Float64Array, T: Float64Array, S: Float64Array) -> float:
    """The authors' formula, over pairs of different nodes, each once."""
    rows, columns = np.triu_indices(len(A), k=1)
    scores = np.maximum((T @ T.T - S @ S.T)[rows, columns], 1e-12)
    return float(np.where(A[rows, columns] > 0, np.log(-np.expm1(-scores)), -scores).sum())


def test_the_value_is_minus_twice_the_authors_log_likelihood() -> None:
    model = IeClam(4, random_state=0).fit(GRAPH)
    A = GRAPH.adjacency.toarray().astype(float)
    said = -2 * log_likelihood(A, model.factors_.inclusive, model.factors_.exclusive)
    assert model.solution_.value == pytest.approx(said, rel=1e-6)


def test_every_node_is_in_the_cone_and_no_score_is_negative() -> None:
    factors = IeClam(5, random_state=1).fit(GRAPH).factors_
    assert (np.abs(factors.exclusive) <= factors.inclusive).all()
    assert factors.score_block(slice(None), slice(None)).min() >= 0


def test_scores_are_the_difference_of_the_two_products() -> None:
    rng = np.random.default_rng(0)
    factors = ConeFactors(rng.exponential(size=(6, 3)), rng.exponential(size=(6, 3)), np.zeros(6))
    T, S = factors.inclusive, factors.exclusive
    np.testing.assert_allclose(factors.score_block(slice(None), slice(None)), T @ T.T - S @ S.T, atol=1e-12)


def test_without_exclusion_it_is_bigclam() -> None:
    F = BigClam(3, include_diagonal=False, random_state=0).fit(GRAPH).factors_.homophilous
    half = F / np.sqrt(2)
    recipe = IeClam(3).recipe()
    objective = exact_objective(GRAPH, recipe, diagonal=False)
    theirs = exact_objective(GRAPH, BigClam(3).recipe(), diagonal=False)
    own, _ = objective.value_and_gradient(recipe.point(np.hstack([half, half])))
    assert own == pytest.approx(theirs.value_and_gradient(F.ravel())[0], rel=1e-9)


@pytest.mark.parametrize("start", ["spectral", "uniform"])
def test_its_loss_falls_below_that_of_bigclam(start: str) -> None:
    theirs = BigClam(4, include_diagonal=False, start=start, random_state=0).fit(GRAPH)
    ours = IeClam(4, start=start, random_state=0).fit(GRAPH)
    assert ours.solution_.value < theirs.solution_.value


def test_one_community_is_enough_for_two_groups_that_link_across() -> None:
    model = IeClam(1, random_state=0).fit(BIPARTITE)
    assert model.predict_proba([(0, 10), (3, 15)]).min() > 0.95
    assert model.predict_proba([(0, 1), (12, 13)]).max() < 0.05


def test_all_pairs_and_the_closed_form_agree() -> None:
    recipe, rng = IeClam(3).recipe(), np.random.default_rng(0)
    point = rng.exponential(0.3, size=recipe.size(GRAPH.n_nodes))
    fast, slow = exact_objective(GRAPH, recipe, diagonal=False), AllPairsObjective(GRAPH, recipe, diagonal=False)
    assert isinstance(fast, ClosedFormObjective)
    (value, gradient), (other, slopes) = fast.value_and_gradient(point), slow.value_and_gradient(point)
    assert value == pytest.approx(other, rel=1e-9)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-7, atol=1e-7)


def test_the_terms_of_a_link_add_up_to_its_score() -> None:
    app = dating_app(90, cities=3, random_state=0)
    model = IeClam(4, random_state=0).fit(app.graph)
    names = {c.name for c in model.communities(everything=True)} | set(model.communities().left_out)
    for pair in [(0, 1), (4, 70), (33, 2)]:
        said = model.explain(*pair)
        assert said.score == pytest.approx(float(model.decision_function([pair])[0]), abs=1e-9)
        assert said.probability == pytest.approx(float(model.predict_proba([pair])[0]), abs=1e-9)
        assert all(set(term.community.split(" meets ")) <= names for term in said.terms)


def test_a_prior_stays_in_the_cone_and_comes_back_from_a_file(tmp_path: Path) -> None:
    app = dating_app(60, cities=2, random_state=0)
    model = IeClam(2, prior=True, random_state=0).fit(app.graph, held_out=0.1)
    assert (np.abs(model.factors_.exclusive) <= model.factors_.inclusive).all()
    model.save(tmp_path / "model.safetensors")
    again = IeClam.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.log_prior(), model.log_prior())
    np.testing.assert_array_equal(again.solution_.point, model.solution_.point)
    other = IeClam(2, prior=True, random_state=0).fit(app.graph, held_out=0.1)
    np.testing.assert_array_equal(other.log_prior(), model.log_prior())


def test_a_prior_makes_hidden_pairs_likelier_where_the_likelihood_alone_overfits() -> None:
    app = dating_app(200, cities=4, random_state=0)
    told = []
    for prior in (False, True):
        model = IeClam(4, prior=prior, random_state=0).fit(app.graph, held_out=0.1)
        assert model.held_out_ is not None
        rows, columns = model.held_out_.pairs(app.graph.n_nodes)
        told.append(model.score(pairs=zip(rows.tolist(), columns.tolist(), strict=True)))
    assert told[1] > told[0]


def test_without_a_prior_there_is_no_density() -> None:
    with pytest.raises(InvalidParameterError, match="prior"):
        IeClam(2, random_state=0).fit(GRAPH).log_prior()
    with pytest.raises(InvalidParameterError, match="prior"):
        IeClam(2, prior="flow").fit(GRAPH)  # type: ignore[arg-type]
