from __future__ import annotations

import builtins
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from philia import VGraph
from philia.exceptions import InvalidParameterError, MissingDependencyError
from philia.graphs import Graph, Nodes
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
    return VGraph(3, random_state=0).fit(random_graph(30, 0.2, seed=1))


def test_the_value_is_the_likelihood_of_the_links(fitted: VGraph) -> None:
    factors = fitted.factors_
    expected = -slow.log_likelihood(fitted.graph_, factors.memberships, factors.emissions)
    assert fitted.solution_.value == pytest.approx(expected, rel=1e-4)
    assert fitted.solution_.history.min() == fitted.solution_.value
    assert fitted.solution_.value < fitted.solution_.history[0]


def test_no_posterior_gives_its_authors_bound_more_than_the_likelihood(fitted: VGraph) -> None:
    chosen, reached = fitted.factors_.memberships, fitted.factors_.emissions
    likelihood = slow.log_likelihood(fitted.graph_, chosen, reached)
    rng = np.random.default_rng(0)
    n_links = fitted.graph_.adjacency.nnz
    for _ in range(5):
        q = rng.dirichlet(np.ones(3), size=n_links)
        assert slow.lower_bound(fitted.graph_, chosen, reached, q) < likelihood
    w, c = fitted.graph_.adjacency.nonzero()
    best = chosen[w] * reached[c]
    best /= best.sum(axis=1, keepdims=True)
    assert slow.lower_bound(fitted.graph_, chosen, reached, best) == pytest.approx(likelihood, rel=1e-9)


def test_the_gradient_is_the_slope_of_the_likelihood() -> None:
    import torch

    from philia.models.vgraph import _expectation

    graph = random_graph(12, 0.4, seed=0)
    ends = [torch.from_numpy(np.ascontiguousarray(e, dtype=np.int64)) for e in graph.links]
    rng = np.random.default_rng(0)
    chosen, reached = (torch.from_numpy(rng.normal(size=(12, 3))) for _ in range(2))
    _, by_chosen, by_reached = _expectation(chosen, reached, *ends)
    for matrix, gradient in ((chosen, by_chosen), (reached, by_reached)):
        direction = torch.from_numpy(rng.normal(size=(12, 3)))
        values = []
        for step in (1e-5, -1e-5):
            matrix += step * direction
            values.append(_expectation(chosen, reached, *ends)[0])
            matrix -= step * direction
        assert (values[0] - values[1]) / 2e-5 == pytest.approx(float((gradient * direction).sum()), rel=1e-6)


def test_expected_links_add_up_to_the_degrees(fitted: VGraph) -> None:
    sent = fitted.factors_.degrees[:, None] * (fitted.factors_.memberships @ fitted.factors_.emissions.T)
    np.testing.assert_allclose(sent.sum(axis=1), fitted.graph_.degrees, rtol=1e-5)
    block = fitted.factors_.score_block(slice(None), slice(None))
    np.testing.assert_allclose(block, (sent + sent.T) / 2, atol=1e-12)


def test_planted_groups_are_found() -> None:
    graph, group = planted(3, 40, 0.3)
    model = VGraph(3, random_state=0).fit(graph)
    assert adjusted_rand_score(group, model.factors_.shares.argmax(axis=1)) > 0.9


def test_a_node_is_where_its_links_are(fitted: VGraph) -> None:
    shares = fitted.factors_.shares
    linked = fitted.graph_.degrees > 0
    np.testing.assert_allclose(shares[linked].sum(axis=1), 1)
    found = fitted.communities()
    for community in found:
        column = int(community.name[1:]) - 1
        assert set(community.members) == set(np.flatnonzero(shares[:, column] > 0).tolist())
    assert found.n_unassigned == int((~linked).sum())
    fewer = fitted.communities(0.5)
    assert sum(map(len, fewer)) < sum(map(len, found))
    with pytest.raises(InvalidParameterError, match="rule"):
        fitted.communities("median")


def test_ctrl_c_keeps_the_best_so_far() -> None:
    def stop(progress: Progress) -> None:
        if progress.iteration == 4:
            raise KeyboardInterrupt

    model = VGraph(3, random_state=0).fit(random_graph(30, 0.2, seed=1), on_iteration=stop)
    assert model.solution_.reason == "interrupted"
    assert model.solution_.value == model.solution_.history.min()


def test_the_worlds_chance_and_threads_are_left_alone() -> None:
    import torch

    torch.manual_seed(5)
    threads, expected = torch.get_num_threads(), torch.get_rng_state()
    VGraph(2, iterations=3, random_state=0).fit(random_graph(20, 0.2, seed=1))
    assert torch.equal(torch.get_rng_state(), expected)
    assert torch.get_num_threads() == threads


def test_chunks_of_links_do_not_change_the_likelihood(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(40, 0.3, seed=2)
    whole = VGraph(3, iterations=5, random_state=0).fit(graph).solution_.history
    monkeypatch.setattr("philia.models.vgraph._LINKS", 7)
    parts = VGraph(3, iterations=5, random_state=0).fit(graph).solution_.history
    np.testing.assert_allclose(whole, parts, rtol=1e-4)


def test_torch_is_loaded_by_a_fit_only() -> None:
    script = "import sys; from philia import VGraph; VGraph(2); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_torch_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any, **more: Any) -> Any:
        if name == "torch":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingDependencyError, match="philia\\[vgraph\\]"):
        VGraph(2).fit([(0, 1)])
