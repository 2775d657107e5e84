"""Estimates from sampled pairs compared with the values over all pairs, and the coverage of their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from philia import CommunityModel, RandomLinks
from philia.datasets import dating_app
from philia.evaluate import estimated_likelihood, estimated_link_scores, evaluate_links, link_scores
from philia.evaluate.link_prediction import _MOST
from philia.exceptions import InvalidParameterError
from philia.pairs import ListedPairs, RandomPairs
from philia.pairs.sample import weighted_order

RUNS = 100


@pytest.fixture(scope="module")
def model() -> CommunityModel:
    graph = dating_app(300, cities=3, random_state=0).graph
    return CommunityModel(3, 2, penalty=1, random_state=0).fit(graph, held_out=0.3)


def test_intervals_cover_the_exact_likelihood_at_their_nominal_rate(model: CommunityModel) -> None:
    exact = model.score()
    found = [estimated_likelihood(model, pairs=1500, random_state=seed) for seed in range(RUNS)]
    assert not any(estimate.exact for estimate in found)
    assert sum(estimate.lower <= exact <= estimate.upper for estimate in found) >= 86
    spread = np.std([estimate.value for estimate in found]) / np.sqrt(RUNS)
    assert np.mean([estimate.value for estimate in found]) == pytest.approx(exact, abs=5 * spread)
    assert spread < 0.01 * abs(exact)


def test_intervals_cover_the_exact_ranking_scores_at_their_nominal_rate(model: CommunityModel) -> None:
    exact = evaluate_links(model)
    assert exact.auc is not None
    assert exact.average_precision is not None
    assert exact.log_loss is not None
    found = [estimated_link_scores(model, pairs=2000, random_state=seed) for seed in range(RUNS)]
    values = {"auc": exact.auc, "average_precision": exact.average_precision, "log_likelihood": -exact.log_loss}
    for name, value in values.items():
        estimates = [getattr(each, name) for each in found]
        assert not any(each.exact for each in estimates)
        assert sum(each.lower <= value <= each.upper for each in estimates) >= 86
        assert np.mean([each.value for each in estimates]) == pytest.approx(value, abs=0.01)
    assert {each.links for each in found} == {exact.links}


def test_the_same_seed_gives_the_same_estimates(model: CommunityModel) -> None:
    assert estimated_likelihood(model, pairs=500) == estimated_likelihood(model, pairs=500)
    assert estimated_link_scores(model, pairs=500) == estimated_link_scores(model, pairs=500)
    assert estimated_likelihood(model, pairs=500) != estimated_likelihood(model, pairs=500, random_state=1)


def test_enough_pairs_are_all_pairs_and_the_values_are_exact(model: CommunityModel) -> None:
    exact = evaluate_links(model)
    found = estimated_link_scores(model)
    assert found.auc is not None
    assert found.average_precision is not None
    assert (found.auc.value, found.average_precision.value) == (exact.auc, exact.average_precision)
    assert found.auc.exact
    assert found.log_likelihood is not None
    assert found.log_likelihood.exact
    assert exact.log_loss is not None
    assert found.log_likelihood.value == pytest.approx(-exact.log_loss)
    assert found.links + found.non_links == exact.pairs
    assert estimated_likelihood(model).value == pytest.approx(model.score())
    assert estimated_likelihood(model, model.graph_).exact


def test_a_sample_of_all_pairs_is_ranked_as_without_weights() -> None:
    rng = np.random.default_rng(0)
    links, others = rng.integers(5, size=30).astype(float), rng.integers(4, size=50).astype(float)
    auc, precision = weighted_order(links, others, np.ones(50))
    exact = link_scores(np.arange(80) < 30, np.concatenate([links, others]))
    assert auc is not None
    assert precision is not None
    assert auc.value == pytest.approx(exact.auc)
    assert precision.value == pytest.approx(exact.average_precision)
    assert auc.exact
    assert precision.exact


def test_a_pair_with_a_weight_of_two_counts_twice() -> None:
    links, others = np.array([3.0, 1.0, 1.0]), np.array([2.0, 1.0, 0.0])
    auc, precision = weighted_order(links, others, np.array([2.0, 1.0, 2.0]))
    exact = link_scores([True] * 3 + [False] * 5, [*links, 2.0, 2.0, 1.0, 0.0, 0.0])
    assert auc is not None
    assert precision is not None
    assert auc.value == pytest.approx(exact.auc)
    assert precision.value == pytest.approx(exact.average_precision)


def test_models_without_low_rank_are_estimated_too(model: CommunityModel) -> None:
    coins = RandomLinks(2, random_state=0).fit(model.graph_, held_out=0.3)
    found, exact = estimated_link_scores(coins, pairs=3000), evaluate_links(coins)
    assert found.auc is not None
    assert exact.auc is not None
    assert found.auc.lower <= exact.auc <= found.auc.upper
    likelihood = estimated_likelihood(coins, pairs=3000)
    assert likelihood.lower <= coins.score() <= likelihood.upper


def test_listed_pairs_are_evaluated_exactly(model: CommunityModel) -> None:
    rows, columns = model.graph_.links
    listed = CommunityModel(1, 0, penalty=1, random_state=0).fit(model.graph_)
    listed.held_out_ = ListedPairs.of_rows(model.graph_, rows[:9], columns[:9])
    few = estimated_link_scores(listed, pairs=3)
    assert (few.links, few.non_links, few.auc) == (9, 0, None)
    assert str(few).endswith("AUC - · average precision 1 (exact)")


def test_wrong_arguments_are_refused(model: CommunityModel) -> None:
    with pytest.raises(InvalidParameterError, match="0 pairs were asked for; ask for at least 1"):
        estimated_likelihood(model, pairs=0)
    seen = CommunityModel(1, 0, penalty=1, random_state=0).fit(model.graph_)
    with pytest.raises(InvalidParameterError, match=r"no pairs were held out .* held_out=0.1"):
        estimated_link_scores(seen)


def test_too_many_held_out_pairs_are_refused_before_any_work(model: CommunityModel) -> None:
    class Large:
        held_out_ = RandomPairs(0.5)

        class graph_:  # noqa: N801
            n_nodes = int(np.sqrt(_MOST * 5))

    with pytest.raises(InvalidParameterError, match=r"too many to score each; use estimated_link_scores"):
        evaluate_links(Large())  # type: ignore[arg-type]
