from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from philia import CommunityModel, as_graph
from philia.datasets import classic, dating_app
from philia.exceptions import InvalidGraphError, InvalidParameterError, NotEnoughMemoryError, UnknownNodeError
from philia.fitting import solver_for
from philia.fitting.community import Background
from philia.graphs import Graph, Nodes
from philia.objective import AllPairsObjective
from philia.pairs import RandomPairs
from philia.solvers import LBFGSB, Progress
from tests.reference import dense
from tests.reference.paper import algorithm_2
from tests.strategies import random_graph


@pytest.fixture(scope="module")
def karate() -> Graph:
    return classic("karate")


PAPER: Any = {"background": "none", "include_diagonal": True}


@pytest.fixture(scope="module")
def model(karate: Graph) -> CommunityModel:
    return CommunityModel(3, 2, penalty=0.5, random_state=0, **PAPER).fit(karate)


def test_the_paper_settings_are_a_word_each() -> None:
    graph = random_graph(40, 0.2, seed=0)
    model = CommunityModel(3, 2, penalty=10, start="uniform", solver="lbfgsb", random_state=5, **PAPER).fit(graph)
    assert solver_for(model.solver, graph, model.recipe(), None) == LBFGSB(iterations=200)
    rng = np.random.default_rng(5)
    F = np.hstack([rng.uniform(0, 1 / np.sqrt(3), (40, 3)), rng.uniform(0, 1 / np.sqrt(2), (40, 2))])
    A, M = graph.adjacency.toarray().astype(float), np.diag([1.0, 1, 1, -1, -1])
    start, _ = dense.cross_entropy(A, F, M, np.ones((40, 40), dtype=bool))
    assert model.solution_.history[0] == pytest.approx(start + 10 * (F**2).sum())
    assert model.factors_.homophilous.shape == (40, 3)
    assert (model.factors_.homophilous >= 0).all()
    assert (model.factors_.heterophilous >= 0).all()


@pytest.mark.parametrize("penalty", [10.0, 1.0])
@pytest.mark.parametrize("name", ["karate", "les_miserables"])
def test_the_paper_settings_are_its_algorithm_2(name: str, penalty: float) -> None:
    graph = classic(name)
    few = LBFGSB(iterations=20)
    model = CommunityModel(3, 2, penalty=penalty, start="uniform", solver=few, random_state=0, **PAPER).fit(graph)
    A = graph.adjacency.toarray().astype(float)
    B, C, loss = algorithm_2(A, 3, 2, penalty, np.random.default_rng(0), iterations=20)
    assert model.solution_.value == pytest.approx(loss, rel=1e-9)
    np.testing.assert_allclose(model.factors_.homophilous, B, atol=1e-6)
    np.testing.assert_allclose(model.factors_.heterophilous, C, atol=1e-6)


def test_probabilities_are_the_sigmoid_of_the_factors_by_name(model: CommunityModel, karate: Graph) -> None:
    B, C = model.factors_.homophilous, model.factors_.heterophilous
    expected = 1 / (1 + np.exp(-(B @ B.T - C @ C.T)))
    pairs = [(0, 1), (33, 5), (7, 7)]
    np.testing.assert_allclose(model.predict_proba(pairs), [expected[pair] for pair in pairs])
    np.testing.assert_allclose(model.predict_proba(np.array(pairs)), model.predict_proba(pairs))
    logits = model.decision_function(pairs)
    np.testing.assert_allclose(model.predict_proba(pairs), 1 / (1 + np.exp(-logits)))


def test_the_score_is_the_mean_log_likelihood_of_all_pairs(model: CommunityModel, karate: Graph) -> None:
    pairs = [(i, j) for i in range(34) for j in range(i + 1, 34)]
    p = model.predict_proba(pairs)
    linked = np.array([karate.has_link(*pair) for pair in pairs])
    expected = np.mean(np.where(linked, np.log(p), np.log(1 - p)))
    assert model.score() == pytest.approx(expected)
    assert model.score(karate) == pytest.approx(expected)
    assert model.score(pairs=pairs) == pytest.approx(expected)
    with pytest.raises(InvalidGraphError, match="other nodes"):
        model.score(random_graph(33, 0.1, 0))


def test_the_same_seed_gives_the_same_bits_whatever_the_threads() -> None:
    graph = dating_app(n=700, random_state=1).graph
    one, two, three = (
        CommunityModel(4, 2, penalty=10, random_state=3, n_jobs=jobs, solver=LBFGSB(iterations=8)).fit(graph)
        for jobs in (1, 2, 5)
    )
    for other in (two, three):
        np.testing.assert_array_equal(one.factors_.homophilous, other.factors_.homophilous)
        np.testing.assert_array_equal(one.factors_.heterophilous, other.factors_.heterophilous)


def test_other_seeds_give_other_starts_and_random_states_of_all_kinds_are_taken(karate: Graph) -> None:
    def first(state: object) -> float:
        model = CommunityModel(2, 1, penalty=1, start="uniform", random_state=state)
        return float(model.fit(karate).solution_.history[0])

    assert first(1) != first(2)
    assert first(np.random.RandomState(0)) == first(np.random.RandomState(0))
    assert first(np.random.default_rng(0)) == first(0)


@pytest.mark.parametrize("background", ["none", "constant", "popularity"])
def test_the_background_is_what_everybody_gets_first(karate: Graph, background: Background) -> None:
    model = CommunityModel(2, 1, penalty=2.0, background=background, random_state=0).fit(karate)
    a = model.factors_.background
    assert {"none": not a.any(), "constant": np.ptp(a) == 0 and a[0] < 0, "popularity": np.ptp(a) > 0.5}[background]
    link = model.explain(0, 33)
    assert link.baseline == a[0] + a[33]
    assert link.logit == pytest.approx(model.decision_function([(0, 33)])[0])
    if background == "popularity":
        assert np.corrcoef(a, karate.degrees)[0, 1] > 0.7


def test_a_background_alone_is_the_density() -> None:
    graph = random_graph(60, 0.1, seed=1)
    model = CommunityModel(0, 0, penalty=1, background="constant").fit(graph)
    assert model.predict_proba([(0, 1)])[0] == pytest.approx(graph.density, rel=1e-4)


def test_popularity_alone_reproduces_the_degrees_drawn_towards_their_mean() -> None:
    graph = random_graph(50, 0.2, seed=1)
    model = CommunityModel(0, 0, penalty=1, background="popularity").fit(graph)
    P = 1 / (1 + np.exp(-model.factors_.score_block(slice(None), slice(None))))
    np.fill_diagonal(P, 0)
    # Where the slope of the objective is zero, 2 (expected - observed degree) + 2 · 1 · (a - mean) = 0.
    a = model.factors_.background
    np.testing.assert_allclose(P.sum(axis=1) + a - a.mean(), graph.degrees, atol=2e-2)


def test_held_out_pairs_do_not_touch_the_fit() -> None:
    graph = random_graph(40, 0.3, seed=2)
    held = [(0, 1), (5, 9), (12, 30)]
    flipped = {frozenset(pair) for pair in held}
    links = {frozenset(pair) for pair in zip(*(side.tolist() for side in graph.links), strict=True)}
    other = as_graph(np.array([[frozenset((i, j)) in links ^ flipped for j in range(40)] for i in range(40)]))
    one, two = (CommunityModel(2, 2, penalty=1.0, random_state=0).fit(g, held_out=held) for g in (graph, other))
    np.testing.assert_array_equal(one.factors_.homophilous, two.factors_.homophilous)
    shared = CommunityModel(2, 2, random_state=0).fit(graph, held_out=0.2)
    assert isinstance(shared.held_out_, RandomPairs)
    assert shared.held_out_.rate == 0.2


def test_fitting_goes_down_and_tells_whoever_watches(karate: Graph) -> None:
    seen: list[Progress] = []
    model = CommunityModel(2, 1, penalty=1, random_state=0).fit(karate, on_iteration=seen.append)
    assert len(seen) == model.solution_.iterations
    assert model.solution_.history[-1] < model.solution_.history[0]


def test_a_sample_is_drawn_from_the_fitted_probabilities(model: CommunityModel) -> None:
    P = 1 / (1 + np.exp(-model.factors_.score_block(slice(None), slice(None))))
    np.fill_diagonal(P, 0)
    drawn = [model.sample(seed) for seed in range(300)]
    mean = np.mean([graph.adjacency.toarray() for graph in drawn], axis=0)
    assert np.abs(mean - P).max() < 5 * 0.5 / np.sqrt(300)
    assert drawn[0].nodes == model.graph_.nodes
    np.testing.assert_array_equal(model.sample(4).adjacency.toarray(), drawn[4].adjacency.toarray())


def test_names_go_in_and_come_out_everywhere() -> None:
    links = [("ann", "bob"), ("bob", "çelik"), ("çelik", "ann"), ("dana", "ann"), (7, "dana"), (("x", 1), 7)]
    model = CommunityModel(2, 1, penalty=0.1, random_state=0).fit(links)
    assert set(model.graph_.nodes) == {"ann", "bob", "çelik", "dana", 7, ("x", 1)}
    assert model.predict_proba([("ann", ("x", 1))]).shape == (1,)
    assert all(link.u in model.graph_.nodes and link.v in model.graph_.nodes for link in model.top_links(count=3))
    assert all(member in model.graph_.nodes for community in model.communities() for member in community.members)
    with pytest.raises(UnknownNodeError, match="nearest names are 'ann'"):
        model.explain("anne", "bob")
    with pytest.raises(UnknownNodeError, match=r"'7' \(str\), but there is 7 \(int\)"):
        model.predict_proba([("7", "ann")])


def test_communities_overlap_and_account_for_every_node(model: CommunityModel) -> None:
    communities = model.communities()
    memberships = [len(communities.of(node)) for node in model.graph_.nodes]
    assert max(memberships) > 1
    assert memberships.count(0) == communities.n_unassigned
    assert str(communities.n_unassigned) in str(communities)
    for community in communities:
        values = list(community.members.values())
        assert values == sorted(values, reverse=True)
        assert all(0 < v <= 1 for v in values)
        assert (community.strength > 0) == (community.kind == "homophilous") == (community.odds_factor > 1)


def test_one_node_and_no_links_are_fitted_without_fuss() -> None:
    for graph in (as_graph(np.zeros((1, 1))), as_graph(np.zeros((5, 5))), as_graph(1 - np.eye(5))):
        for background in ("none", "popularity"):
            model = CommunityModel(2, 2, penalty=10, background=background, random_state=0).fit(graph)
            assert np.isfinite(model.solution_.value)
            assert np.isfinite(model.score())
            assert len(model.communities()) <= 4
    with pytest.raises(InvalidGraphError, match="no nodes"):
        CommunityModel().fit(np.zeros((0, 0)))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"n_homophilous": -1}, "whole number"),
        ({"n_homophilous": 2.5}, "whole number"),
        ({"n_homophilous": 0, "n_heterophilous": 0, "background": "none"}, "at least one"),
        ({"n_starts": 0}, "whole number"),
        ({"penalty": -1}, "0 or more"),
        ({"penalty": float("nan")}, "0 or more"),
        ({"background": "some"}, "popularity"),
        ({"dtype": "float16"}, "float32"),
        ({"dtype": "nonsense"}, "float32"),
        ({"n_jobs": 0}, "all cores"),
        ({"n_jobs": 2.5}, "all cores"),
        ({"random_state": -1}, "whole number"),
        ({"solver": "newton"}, "lbfgsb"),
        ({"start": "warm"}, "spectral"),
    ],
)
def test_settings_that_make_no_sense_are_refused_when_fitting(
    karate: Graph, settings: dict[str, object], complaint: str
) -> None:
    model = CommunityModel(**settings)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match=complaint):
        model.fit(karate)


def test_a_fit_that_cannot_fit_into_memory_is_refused_before_anything_is_allocated() -> None:
    n = 1_000_000
    path = Graph.from_rows(np.arange(n - 1), np.arange(1, n), Nodes.numbered(n))
    with pytest.raises(NotEnoughMemoryError, match=r"4,003 columns on 1,000,000 nodes needs about .* GB, but"):
        CommunityModel(2000, 2000, penalty=1).fit(path)


def test_a_model_that_was_not_fitted_says_so() -> None:
    model = CommunityModel()
    for ask in (model.communities, model.sample, model.score, model.top_links, model.normalized):
        with pytest.raises(NotFittedError):
            ask()


def test_settings_survive_cloning_and_are_never_overwritten(karate: Graph) -> None:
    model = CommunityModel(3, 1, penalty=2, solver=LBFGSB(iterations=3), random_state=1)
    before = model.get_params()
    model.fit(karate)
    assert model.get_params() == before
    assert clone(model).get_params() == before
    assert not hasattr(clone(model), "factors_")


def test_the_objective_at_the_solution_is_the_value_reported(karate: Graph) -> None:
    for background in ("none", "constant"):
        model = CommunityModel(3, 2, penalty=0.5, background=background, random_state=0).fit(karate)
        recipe = model.recipe()
        objective = AllPairsObjective(karate, recipe, penalty=0.5, diagonal=False)
        point = recipe.point(model.parametrization().columns(model.factors_.readable()))
        assert objective.value_and_gradient(point)[0] == pytest.approx(model.solution_.value)


def test_several_starts_compete_and_the_best_goes_on(karate: Graph) -> None:
    one, four = (
        CommunityModel(3, 2, penalty=0.5, start="uniform", n_starts=count, random_state=0).fit(karate)
        for count in (1, 4)
    )
    assert four.solution_.history[0] < one.solution_.history[0]
    assert four.solution_.value < 1.02 * one.solution_.value
