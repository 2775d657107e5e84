"""What a model does on a large graph, beside what it does on a small one: the same, by another way."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from philia import SVD, BigClam, CommunityModel
from philia.datasets import dating_app
from philia.explain import missing_links
from philia.factors.boxes import Boxes
from philia.models import LinkModel, link_model
from philia.objective import rates

RUNS = 200


@pytest.fixture(scope="module", params=["community", "bigclam", "svd"])
def model(request: pytest.FixtureRequest) -> LinkModel:
    graph = dating_app(60, cities=2, random_state=0).graph
    models: dict[str, LinkModel] = {
        "community": CommunityModel(2, 2, penalty=1, random_state=0),
        "bigclam": BigClam(3, random_state=0),
        "svd": SVD(4, random_state=0),
    }
    return models[request.param].fit(graph)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on every graph is a large one."""
    monkeypatch.setattr(link_model, "PAIR_BY_PAIR", 0)
    monkeypatch.setattr(link_model, "ALL_PAIRS", 0)
    monkeypatch.setattr(missing_links, "BLOCK_BY_BLOCK", 0)


@pytest.mark.usefixtures("large")
def test_samples_have_the_fitted_probabilities(model: LinkModel) -> None:
    n = model.graph_.n_nodes
    P = np.clip(model.expected_block(slice(0, n), slice(0, n)), 0, 1)
    np.fill_diagonal(P, 0)
    drawn = [model.sample(seed) for seed in range(RUNS)]
    mean = np.mean([graph.adjacency.toarray() for graph in drawn], axis=0)
    assert np.abs(mean - P).max() < 5 * 0.5 / np.sqrt(RUNS)
    assert mean.sum() == pytest.approx(P.sum(), abs=10 * np.sqrt(P.sum() / RUNS))
    assert drawn[0].nodes == model.graph_.nodes
    np.testing.assert_array_equal(model.sample(4).adjacency.toarray(), drawn[4].adjacency.toarray())


def test_top_links_and_score_are_those_of_all_pairs(model: LinkModel, request: pytest.FixtureRequest) -> None:
    links, score = model.top_links(count=15), model.score()
    request.getfixturevalue("large")
    found = model.top_links(count=15)
    np.testing.assert_allclose([link.probability for link in found], [link.probability for link in links])
    assert model.score() == pytest.approx(score)  # so few pairs are all drawn


@pytest.mark.usefixtures("large")
def test_who_gives_up_says_so(
    model: LinkModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    patient = Boxes.largest
    monkeypatch.setattr(Boxes, "largest", lambda boxes, links, count: patient(boxes, links, count, patience=2))
    with caplog.at_level(logging.WARNING, "philia"):
        model.top_links(count=5)
    assert "the search for the 5 most likely missing links ended early" in caplog.text


@pytest.mark.usefixtures("large")
def test_factors_that_say_little_are_remarked(
    model: LinkModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(rates, "_MANY", (0, 10))
    with caplog.at_level(logging.INFO, "philia"):
        model.sample(0)
    assert "most pairs have to be examined one by one" in caplog.text
