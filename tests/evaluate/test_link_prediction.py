from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn import metrics

from philia import CommunityModel
from philia.evaluate import LinkScores, evaluate_links, link_prediction, link_scores
from philia.exceptions import InvalidParameterError
from philia.pairs import ListedPairs, RandomPairs
from tests.strategies import random_graph

PAIRS = st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=30)


def split(pairs: list[tuple[bool, int]]) -> tuple[Any, Any]:
    linked, scores = zip(*pairs, strict=True)
    return np.array(linked), np.array(scores, dtype=float)


@given(PAIRS)
def test_ranking_scores_agree_with_scikit_learn(pairs: list[tuple[bool, int]]) -> None:
    linked, scores = split(pairs)
    found = link_scores(linked, scores)
    assert (found.pairs, found.links) == (len(linked), linked.sum())
    both = linked.any() and not linked.all()
    assert found.auc == (pytest.approx(metrics.roc_auc_score(linked, scores)) if both else None)
    if linked.any():
        assert found.average_precision == pytest.approx(metrics.average_precision_score(linked, scores))
        f1 = {t: metrics.f1_score(linked, scores >= t) for t in set(scores.tolist())}
        assert found.f1_best == pytest.approx(max(f1.values()))
        assert found.best_threshold == max(t for t in f1 if f1[t] == pytest.approx(max(f1.values())))


@given(PAIRS)
def test_probability_scores_agree_with_scikit_learn(pairs: list[tuple[bool, int]]) -> None:
    linked, scores = split(pairs)
    p = expit(2 * scores - 4)  # 2 is a half
    found = link_scores(linked, scores, p)
    assert found.brier == pytest.approx(metrics.brier_score_loss(linked, p, pos_label=True))
    assert found.log_loss == pytest.approx(metrics.log_loss(linked, p, labels=[False, True]))
    assert found.f1 == (pytest.approx(metrics.f1_score(linked, p >= 0.5)) if linked.any() else None)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=1, max_size=6))
def test_ties_are_averaged_over_all_orders(pairs: list[tuple[bool, int]]) -> None:
    linked, scores = split(pairs)
    found = link_scores(linked, scores, hits=range(1, 8))
    orders = [order for order in permutations(range(len(linked))) if (np.diff(scores[list(order)]) <= 0).all()]
    hits = np.mean([np.cumsum(linked[list(order)]) for order in orders], axis=0) / np.arange(1, len(linked) + 1)
    assert list(found.hits.values()) == pytest.approx([*hits, *[None] * (7 - len(hits))])
    # With as many predicted links as there are, F1, precision and recall are the same.
    assert found.f1_matched == (pytest.approx(hits[linked.sum() - 1]) if linked.any() else None)


def test_scores_of_many_pairs_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    linked = rng.random(50_000) < 0.02
    p = expit(np.round(rng.normal(size=50_000) + 2 * linked - 3, 2))
    found = link_scores(linked, p, p)
    assert found.auc == pytest.approx(metrics.roc_auc_score(linked, p))
    assert found.average_precision == pytest.approx(metrics.average_precision_score(linked, p))
    assert found.f1 == pytest.approx(metrics.f1_score(linked, p >= 0.5))
    assert found.log_loss == pytest.approx(metrics.log_loss(linked, p))


def test_undefined_scores_are_none() -> None:
    nothing = link_scores([], [], [])
    assert (nothing.pairs, nothing.links) == (0, 0)
    undefined = {name: value for name, value in vars(nothing).items() if name not in ("pairs", "links", "hits")}
    assert set(undefined.values()) == {None}
    assert nothing.hits == {10: None, 100: None, 1000: None}
    no_links = link_scores([0, 0], [1.0, 2.0], [0.1, 0.9], hits=[1])
    assert (no_links.auc, no_links.average_precision, no_links.f1, no_links.f1_best, no_links.f1_matched) == (None,) * 5
    assert no_links.hits == {1: 0}
    assert no_links.brier == pytest.approx((0.01 + 0.81) / 2)
    assert str(no_links).endswith("F1 - (best -, matched -)")
    only_links = link_scores([True, True], [1.0, 2.0])
    assert (only_links.auc, only_links.average_precision, only_links.f1_best) == (None, 1, 1)


def test_a_certain_and_wrong_prediction_has_a_finite_loss() -> None:
    assert link_scores([True], [0.0], [0.0]).log_loss == pytest.approx(-np.log(1e-12))


@pytest.mark.parametrize(
    ("linked", "scores", "probabilities", "complaint"),
    [
        ([True, False], [1.0], None, r"the shape \(2,\) and the scores \(1,\)"),
        ([[True]], [[1.0]], None, "one entry per pair"),
        ([True, False], [1.0, np.nan], None, "1 scores are not numbers"),
        ([1, 2], [1.0, 2.0], None, "neither 0 nor 1"),
        ([1, 0], [1.0, 2.0], [0.5, 1.5], r"go from 0.5 to 1.5; clip them"),
        ([1, 0], [1.0, 2.0], [0.5], r"the shape \(2,\)"),
    ],
)
def test_invalid_scores_are_refused(linked: Any, scores: Any, probabilities: Any, complaint: str) -> None:
    with pytest.raises(InvalidParameterError, match=complaint):
        link_scores(linked, scores, probabilities)


def stand_in(held_out: Any, n: int = 60) -> Any:
    """A model with known scores, whose expected entries leave [0, 1]."""
    graph = random_graph(n, 0.3, seed=1)
    values = np.random.default_rng(2).normal(0.3, 0.6, size=(n, n))
    return SimpleNamespace(
        graph_=graph,
        held_out_=held_out,
        factors_=SimpleNamespace(scores=lambda rows, columns: values[rows, columns] * 7),
        expected=lambda rows, columns: values[rows, columns],
        values=values,
    )


def same(one: LinkScores, other: LinkScores) -> bool:
    return all(
        getattr(one, name) == pytest.approx(value)
        for name, value in vars(other).items()
        if name not in ("calibration", "best_threshold")
    )


def test_a_model_is_evaluated_on_all_held_out_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_prediction, "_CHUNK", 50)
    model = stand_in(RandomPairs(0.2, seed=3))
    rows, columns = model.held_out_.pairs(60)
    values = model.values[rows, columns]
    expected = link_scores(model.graph_.linked(rows, columns), values, np.clip(values, 0, 1))
    assert same(evaluate_links(model), expected)
    assert same(evaluate_links(model, sample=100_000), expected)
    assert evaluate_links(model, sample=100).pairs == 100
    assert evaluate_links(model, sample=100).auc == evaluate_links(model, sample=100).auc
    assert evaluate_links(model, sample=100).auc != evaluate_links(model, sample=100, random_state=1).auc


def test_only_listed_pairs_are_evaluated() -> None:
    model = stand_in(None)
    model.held_out_ = ListedPairs(model.graph_, [(0, 1), (2, 3), (4, 5)])
    assert evaluate_links(model).pairs == 3


def test_a_fit_without_held_out_pairs_cannot_be_evaluated() -> None:
    with pytest.raises(InvalidParameterError, match=r"no pairs were held out .* fit again with held_out=0.1"):
        evaluate_links(stand_in(None))
    assert evaluate_links(stand_in(RandomPairs(0.0))).pairs == 0
    with pytest.raises(InvalidParameterError, match="a sample of 0 pairs was asked for; ask for at least 1"):
        evaluate_links(stand_in(RandomPairs(0.1)), sample=0)


def test_the_log_loss_is_the_likelihood_of_the_model() -> None:
    graph = random_graph(40, 0.2, seed=5)
    model = CommunityModel(2, 2, penalty=1, random_state=0).fit(graph, held_out=0.3)
    assert model.held_out_ is not None
    rows, columns = model.held_out_.pairs(40)
    found = evaluate_links(model)
    names = list(zip(graph.nodes.pick(rows), graph.nodes.pick(columns), strict=True))
    assert found.log_loss == pytest.approx(-model.score(pairs=names))
    assert found.pairs == len(rows)
