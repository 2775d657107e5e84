from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from philia import VGraph, load
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, Nodes
from philia.models.vgraph import _Bound
from philia.solvers import Progress
from tests.reference import vgraph as slow
from tests.strategies import random_graph


def planted(groups: int, size: int, inside: float, seed: int = 0) -> tuple[Graph, Any]:
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), size)
    P = np.where(group[:, None] == group, inside, 0.01)
    rows, columns = np.nonzero(np.triu(rng.random(P.shape) < P, k=1))
    return Graph.from_rows(rows, columns, Nodes.numbered(groups * size)), group


@pytest.fixture(scope="module")
def fitted() -> VGraph:
    return VGraph(3, random_state=0).fit(random_graph(30, 0.1, seed=4))


def test_the_value_is_the_authors_bound_at_the_best_shared_posterior(fitted: VGraph) -> None:
    graph, chosen, reached = fitted.graph_, fitted.factors_.memberships, fitted.factors_.emissions
    best = slow.lower_bound(graph, chosen, reached, slow.best_shared(graph, chosen, reached))
    assert fitted.solution_.value == pytest.approx(-best, rel=1e-4)
    assert fitted.solution_.value == fitted.solution_.history.min()
    assert fitted.solution_.value < fitted.solution_.history[0]


def test_no_other_shared_posterior_gives_a_better_bound_and_none_exceeds_the_likelihood() -> None:
    graph, rng = random_graph(12, 0.4, seed=0), np.random.default_rng(0)
    chosen, reached = rng.dirichlet(np.ones(3), size=12), rng.dirichlet(np.ones(12), size=3).T
    shared = slow.best_shared(graph, chosen, reached)
    best = slow.lower_bound(graph, chosen, reached, shared)
    assert best < slow.log_likelihood(graph, chosen, reached)
    w, c = graph.adjacency.nonzero()
    for _ in range(5):
        noise = rng.random((12, 12, 3))
        other = shared * (noise + noise.transpose(1, 0, 2))[w, c]
        other /= other.sum(axis=1, keepdims=True)
        assert slow.lower_bound(graph, chosen, reached, other) < best


@pytest.mark.parametrize("smoothness", [0.0, 2.5])
def test_value_and_gradient_are_those_of_the_slow_reference(smoothness: float) -> None:
    graph, rng = random_graph(12, 0.4, seed=0), np.random.default_rng(0)
    bound = _Bound(graph, 3, 5, smoothness)
    bound.precision = np.float64
    point = rng.normal(size=27 * 5)
    nodes, communities, contexts = np.split(point.reshape(27, 5), [12, 15])
    chosen, reached = np.exp(nodes @ communities.T), np.exp(contexts @ communities.T)
    chosen, reached = chosen / chosen.sum(axis=1, keepdims=True), reached / reached.sum(axis=0)
    expected = -slow.lower_bound(graph, chosen, reached, slow.best_shared(graph, chosen, reached))
    value, gradient = bound(point)
    assert value == pytest.approx(expected + smoothness * slow.roughness(graph, chosen), rel=1e-9)
    direction = rng.normal(size=point.size)
    slope = (bound(point + 1e-6 * direction)[0] - bound(point - 1e-6 * direction)[0]) / 2e-6
    assert slope == pytest.approx(float(gradient @ direction), rel=1e-6)


def test_expected_links_add_up_to_the_links_and_at_the_optimum_to_the_degrees(fitted: VGraph) -> None:
    factors = fitted.factors_
    sent = factors.degrees[:, None] * (factors.memberships @ factors.emissions.T)
    np.testing.assert_allclose(sent.sum(axis=1), factors.degrees, rtol=1e-9)
    block = factors.score_block(slice(None), slice(None))
    np.testing.assert_allclose(block, (sent + sent.T) / 2, atol=1e-12)
    np.testing.assert_allclose(block.sum(axis=1), factors.degrees, rtol=0.02, atol=1e-3)


@pytest.mark.parametrize("groups", [2, 3])
def test_planted_groups_are_found(groups: int) -> None:
    graph, group = planted(groups, 40, 0.3)
    model = VGraph(groups, random_state=0).fit(graph)
    assert adjusted_rand_score(group, model.factors_.shares.argmax(axis=1)) > 0.9


def test_smoothness_brings_neighbours_together() -> None:
    graph, _ = planted(3, 20, 0.4)
    rough, smooth = (VGraph(3, smoothness=weight, random_state=0).fit(graph) for weight in (0.0, 10.0))
    assert slow.roughness(graph, smooth.factors_.memberships) < slow.roughness(graph, rough.factors_.memberships)


def test_a_node_is_where_its_links_are(fitted: VGraph) -> None:
    shares, degrees = fitted.factors_.shares, fitted.graph_.degrees
    assert (degrees == 0).any()
    np.testing.assert_allclose(shares.sum(axis=1), degrees > 0)
    for rule, least in (("links", 1e-9), ("density", 1e-9), (0.3, 0.3), (1.0, 1.0)):
        found = fitted.communities(rule)
        for community in found:
            column = int(community.name[1:]) - 1
            assert set(community.members) == set(np.flatnonzero(shares[:, column] >= least).tolist())
    assert fitted.communities().n_unassigned == int((degrees == 0).sum())


@pytest.mark.parametrize("rule", ["median", 0, 1.5, True])
def test_a_rule_that_makes_no_sense_is_refused(fitted: VGraph, rule: Any) -> None:
    with pytest.raises(InvalidParameterError, match="rule"):
        fitted.communities(rule)


@pytest.mark.parametrize(
    "settings", [{"learning_rate": 0}, {"smoothness": -1}, {"smoothness": "much"}, {"dimensions": 0}, {"iterations": 0}]
)
def test_a_setting_that_makes_no_sense_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError, match=next(iter(settings))):
        VGraph(2, **settings).fit([(0, 1)])


def test_a_graph_without_links_is_fitted() -> None:
    model = VGraph(2, smoothness=1.0, iterations=3, random_state=0).fit(np.zeros((4, 4)))
    assert model.communities().n_unassigned == 4
    assert model.predict_proba([(0, 1)])[0] == 0


def test_ctrl_c_keeps_the_best_so_far() -> None:
    def stop(progress: Progress) -> None:
        if progress.iteration == 4:
            raise KeyboardInterrupt

    model = VGraph(3, random_state=0).fit(random_graph(30, 0.2, seed=1), on_iteration=stop)
    assert model.solution_.reason == "interrupted"
    assert model.solution_.iterations == 4
    assert model.solution_.value == model.solution_.history.min()


def test_the_same_seed_gives_the_same_fit() -> None:
    graph = random_graph(20, 0.2, seed=1)
    first, second = (VGraph(2, iterations=20, random_state=0).fit(graph).solution_.point for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_hidden_links_have_no_influence() -> None:
    graph = random_graph(30, 0.2, seed=2)
    rows, columns = graph.links
    hidden = [(0, 1), (5, 9), *zip(rows[:5].tolist(), columns[:5].tolist(), strict=True)]
    without = Graph.from_rows(rows[5:], columns[5:], graph.nodes)
    fits = [VGraph(3, iterations=30, random_state=0).fit(each, held_out=hidden) for each in (graph, without)]
    for name, array in fits[0].factors_.arrays().items():
        np.testing.assert_array_equal(array, fits[1].factors_.arrays()[name])


def test_chunks_of_links_do_not_change_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(40, 0.3, seed=2)
    whole = VGraph(3, smoothness=0.5, iterations=5, random_state=0).fit(graph)
    monkeypatch.setattr("philia.models.vgraph._LINKS", 7)
    parts = VGraph(3, smoothness=0.5, iterations=5, random_state=0).fit(graph)
    np.testing.assert_allclose(whole.solution_.history, parts.solution_.history, rtol=1e-4)


def test_a_model_comes_back_from_its_file(fitted: VGraph, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert isinstance(again, VGraph)
    assert again.get_params() == fitted.get_params()
    assert again.communities().as_sets() == fitted.communities().as_sets()
    assert again.score() == fitted.score()
