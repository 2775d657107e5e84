"""New nodes in a fitted model: the best place there is, and what can be asked about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

from philia import CommunityModel
from philia._types import BoolArray, Float64Array
from philia.datasets import dating_app, planted
from philia.exceptions import InvalidParameterError, UnknownNodeError
from philia.factors import CommunityFactors
from philia.fitting.community import Background
from philia.graphs import Nodes
from philia.models import Placement
from philia.objective import Freedom, Recipe
from philia.objective.fold_in import LEAST_PENALTY, fold_in
from philia.solvers import LBFGSB
from tests.reference import placed as reference
from tests.strategies import community_recipe, random_graph

BACKGROUNDS: list[Background] = ["none", "constant", "popularity"]
TIGHT = LBFGSB(iterations=20_000, value_tolerance=1e-16, gradient_tolerance=1e-9)


@pytest.fixture(scope="module", params=BACKGROUNDS)
def model(request: pytest.FixtureRequest) -> CommunityModel:
    graph = dating_app(n=90, cities=3, random_state=0).graph.renamed(Nodes([f"user {row}" for row in range(90)]))
    return CommunityModel(
        3, 2, penalty=1.0, background=request.param, include_diagonal=False, solver=TIGHT, random_state=0
    ).fit(graph)


def rows_of(factors: CommunityFactors) -> Float64Array:
    return np.hstack([factors.homophilous, factors.heterophilous, factors.background[:, None]])


@st.composite
def fitted_columns(draw: st.DrawFn) -> tuple[CommunityModel, CommunityFactors, np.random.Generator]:
    """A model and factors that nobody fitted: the place of a new node is defined for any."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, k_B, k_C = draw(st.integers(1, 30)), draw(st.integers(0, 4)), draw(st.integers(0, 4))
    background = draw(st.sampled_from(BACKGROUNDS))
    B, C = (rng.gamma(0.7, 1.0, (n, k)) * (rng.random((n, k)) < 0.7) for k in (k_B + (k_B + k_C == 0), k_C))
    a = {"none": np.zeros(n), "constant": np.full(n, -1.0), "popularity": rng.normal(-1, 1, n)}[background]
    penalty = draw(st.sampled_from([0.01, 1.0, 10.0]))
    model = CommunityModel(B.shape[1], k_C, penalty=penalty, background=background)
    return model, CommunityFactors(B, C, a), rng


@settings(max_examples=60)
@given(fitted_columns(), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_no_other_place_is_better(
    drawn: tuple[CommunityModel, CommunityFactors, np.random.Generator], density: float
) -> None:
    model, factors, rng = drawn
    recipe, F = model.recipe(), model.parametrization().columns(factors)
    linked = rng.random((3, len(F))) < density
    seen = rng.random((3, len(F))) < 0.8
    seen |= linked
    placed, residuals = fold_in(
        recipe, F, sparse.csr_array(linked, dtype=float), sparse.csr_array(~seen), penalty=float(model.penalty)
    )
    assert residuals.max() < 1e-7
    for i in range(3):
        node = new_node(recipe, F, float(model.penalty), linked[i], seen[i])
        ours = placed[i, node.free]
        assert (ours >= node.lower[node.free]).all()
        np.testing.assert_array_equal(placed[i, ~node.free], F[0, ~node.free])
        assert node.residual(ours) < 1e-6
        if ours.size:
            expected, least = node.best()
            assert node.cost(ours)[0] <= least + 1e-9 * (1 + abs(least))
            if node.penalties[node.free].min() > 0.005:
                np.testing.assert_allclose(ours, expected, atol=1e-4)


def new_node(recipe: Recipe, F: Float64Array, penalty: float, linked: BoolArray, seen: BoolArray) -> reference.NewNode:
    widths = [group.width for group in recipe.groups]
    charged = [penalty * group.penalized + group.own_penalty for group in recipe.groups]
    return reference.NewNode(
        F,
        recipe.mixing,
        F[0],
        np.repeat([group.freedom is Freedom.EVERY_NODE for group in recipe.groups], widths),
        linked,
        seen,
        np.maximum(np.repeat(charged, widths), LEAST_PENALTY),
        np.repeat([group.lower_bound for group in recipe.groups], widths),
    )


def test_a_node_of_the_graph_is_placed_where_the_fit_put_it(model: CommunityModel) -> None:
    graph = model.graph_
    names = list(graph.nodes[:20])
    placed = model.place(
        {f"copy of {name}": graph.neighbours(name) for name in names}, {f"copy of {name}": [name] for name in names}
    )
    assert placed.kkt < 1e-7
    np.testing.assert_allclose(rows_of(placed.factors.readable()), rows_of(model.factors_.readable())[:20], atol=2e-3)
    both = [(f"copy of {name}", other) for name in names for other in graph.nodes if other != name]
    expected = model.predict_proba([(new.removeprefix("copy of "), other) for new, other in both])
    np.testing.assert_allclose(placed.predict_proba(both), expected, atol=1e-3)
    normal = model.normalized()
    for row, name in enumerate(names):  # not who is a member: one node lies on the threshold itself
        expected_shares = dict(zip(normal.names, normal.memberships[row], strict=True))
        found = placed.memberships(f"copy of {name}")
        assert found == pytest.approx({name: expected_shares[name] for name in found}, abs=2e-3)


def test_nodes_are_placed_one_by_one_or_together_in_any_order(model: CommunityModel) -> None:
    listed = {f"new {i}": model.graph_.nodes[i : 3 * i + 1] for i in range(8)}
    one, other = model.place(listed), model.place(dict(reversed(listed.items())))
    np.testing.assert_allclose(rows_of(one.factors.readable()), rows_of(other.factors.readable())[::-1], atol=1e-6)
    alone = model.place(listed["new 5"])
    np.testing.assert_allclose(rows_of(alone.factors.readable())[0], rows_of(one.factors.readable())[5], atol=1e-6)
    assert list(alone.nodes) == ["new"]


def test_unknown_pairs_are_not_looked_at(model: CommunityModel) -> None:
    recipe, F = model.recipe(), model.parametrization().columns(model.factors_.readable())
    linked, hidden = model.graph_.adjacency[[0]].toarray()[0] > 0, np.arange(90) % 3 == 1
    names = model.graph_.nodes
    neighbours = names.pick(np.flatnonzero(linked & ~hidden))
    placed = model.place({"zoe": neighbours}, {"zoe": names.pick(np.flatnonzero(hidden))})
    expected, _ = fold_in(
        recipe, F[~hidden], sparse.csr_array(linked[None, ~hidden].astype(float)), penalty=float(model.penalty)
    )
    np.testing.assert_allclose(
        rows_of(placed.factors.readable()), rows_of(model.parametrization().factors(expected)), atol=1e-6
    )
    assert not np.allclose(
        rows_of(placed.factors.readable()), rows_of(model.place({"zoe": neighbours}).factors.readable()), atol=1e-4
    )


def test_nodes_with_no_link_and_with_all_have_a_place(model: CommunityModel) -> None:
    placed = model.place({"nobody": [], "everybody": list(model.graph_.nodes)})
    assert np.isfinite(rows_of(placed.factors.readable())).all()
    assert placed.kkt < 1e-7
    probabilities = placed.predict_proba([(new, old) for new in placed.nodes for old in model.graph_.nodes])
    assert probabilities[:90].mean() < probabilities[90:].mean()
    assert placed.top_links(node="everybody") == []


def test_a_place_without_any_penalty_is_found_as_well() -> None:
    graph = random_graph(40, 0.2, seed=3)
    free = CommunityModel(2, 2, penalty=0.0, background="popularity", random_state=0).fit(graph)
    placed = free.place({f"new {i}": list(range(0, 40, i + 1)) for i in range(12)})
    assert placed.kkt < 1e-6
    assert np.isfinite(rows_of(placed.factors.readable())).all()


def test_many_new_nodes_are_placed_in_blocks_as_they_are_alone() -> None:
    rng = np.random.default_rng(0)
    recipe = community_recipe(3, 2)
    F = rng.gamma(0.5, 1.0, (50, 5))
    links = sparse.csr_array((rng.random((600, 50)) < 0.1).astype(float))
    placed, residuals = fold_in(recipe, F, links, penalty=1.0)
    assert residuals.max() < 1e-8
    for row in (0, 255, 256, 599):
        alone, _ = fold_in(recipe, F, links[[row]], penalty=1.0)
        np.testing.assert_allclose(placed[[row]], alone, atol=1e-7)


def test_a_penalty_of_a_group_of_its_own_is_charged() -> None:
    recipe = community_recipe(2, 1, Freedom.EVERY_NODE)
    *others, popularity = recipe.groups
    charged = replace(recipe, groups=(*others, replace(popularity, own_penalty=3.0)))
    rng = np.random.default_rng(0)
    F = np.hstack([rng.gamma(0.5, 1.0, (30, 3)), np.ones((30, 1)), rng.normal(-1, 1, (30, 1))])
    linked = rng.random(30) < 0.2
    links = sparse.csr_array(linked[None].astype(float))
    placed, _ = fold_in(charged, F, links, penalty=1.0)
    expected, _ = new_node(charged, F, 1.0, linked, np.ones(30, bool)).best()
    np.testing.assert_allclose(placed[0, [0, 1, 2, 4]], expected, atol=1e-5)
    assert placed[0, 3] == 1.0
    assert np.abs(placed - fold_in(recipe, F, links, penalty=1.0)[0]).max() > 0.1


def test_an_explanation_adds_up_to_the_logit(model: CommunityModel) -> None:
    placed = model.place({"zoe": model.graph_.nodes[:9]})
    for fitted in model.graph_.nodes[:20]:
        why = placed.explain("zoe", fitted)
        assert why.logit == pytest.approx(placed.decision_function([("zoe", fitted)])[0])
        assert why.linked == (fitted in model.graph_.nodes[:9])
    assert "zoe and user 0" in str(placed.explain("zoe", "user 0"))


def test_the_best_links_are_the_likeliest_that_were_not_given(model: CommunityModel) -> None:
    given_links = model.graph_.nodes[:9]
    placed = model.place({"zoe": given_links, "max": model.graph_.nodes[40:50]})
    others = [name for name in model.graph_.nodes if name not in given_links]
    p = placed.predict_proba([("zoe", name) for name in others])
    best = placed.top_links(5, node="zoe")
    assert [link.v for link in best] == [others[i] for i in np.argsort(-p, kind="stable")[:5]]
    assert [link.probability for link in best] == pytest.approx(np.sort(p)[::-1][:5])
    everybody = placed.top_links(count=200)
    assert len(everybody) == 90 - 9 + 90 - 10
    assert [link.probability for link in everybody] == sorted((x.probability for x in everybody), reverse=True)


def test_memberships_stay_between_zero_and_one(model: CommunityModel) -> None:
    full = np.argmax(model.factors_.homophilous[:, 0])
    placed = model.place({"zoe": model.graph_.nodes[:9]})
    larger = replace(placed, factors=CommunityFactors(*(10 * a[[full]] for a in model.factors_.arrays().values())))
    assert max(larger.memberships("zoe").values()) == 1.0
    assert all(0 < share <= 1 for c in larger.communities() for share in c.members.values())
    assert placed.memberships() == placed.memberships("zoe")
    assert [c.threshold for c in placed.communities(0.3)] == [0.3] * len(placed.communities(0.3))


def test_a_placement_tells_about_itself(model: CommunityModel) -> None:
    placed = model.place({f"new {i}": ["user 1"] for i in range(12)})
    assert isinstance(placed, Placement)
    assert str(placed).startswith("12 new nodes placed (residual ")
    assert str(placed).endswith("… and 2 more")


def test_a_placement_is_not_moved_by_a_later_fit() -> None:
    graph = random_graph(30, 0.3, seed=1)
    model = CommunityModel(2, 1, penalty=1.0, random_state=0).fit(graph)
    placed = model.place({"zoe": [1, 2, 3]})
    before = placed.predict_proba([("zoe", 5)])
    model.fit(random_graph(30, 0.1, seed=2))
    assert placed.predict_proba([("zoe", 5)]) == before


@pytest.mark.parametrize(
    ("neighbours", "unknown", "complaint"),
    [
        ({}, None, "at least one"),
        ({"user 1": ["user 2"]}, None, "'user 1' is not new.*partial_fit"),
        ({"zoe": ["max"], "max": ["user 1"]}, None, "both new"),
        ({"zoe": "user 1"}, None, "list of names"),
        ("user 1", None, "list of names"),
        (7, None, "list of names"),
        ({"zoe": ["user 1"]}, {"zoe": ["user 1"]}, "as a link and as unknown"),
        ({"zoe": ["user 1"]}, {"max": ["user 1"]}, "'max', which is not among the new nodes"),
    ],
)
def test_what_makes_no_sense_is_refused(
    model: CommunityModel, neighbours: object, unknown: object, complaint: str
) -> None:
    with pytest.raises(InvalidParameterError, match=complaint):
        model.place(neighbours, unknown)  # type: ignore[arg-type]


def test_names_that_nobody_has_are_complained_about(model: CommunityModel) -> None:
    with pytest.raises(UnknownNodeError, match="nearest names"):
        model.place({"zoe": ["user x1"]})
    placed = model.place({"zoe": ["user 1"], "max": []})
    with pytest.raises(UnknownNodeError):
        placed.predict_proba([("user 1", "zoe")])
    with pytest.raises(InvalidParameterError, match="which one"):
        placed.memberships()
    with pytest.raises(InvalidParameterError, match="at least 1"):
        placed.top_links(count=0)
    with pytest.raises(NotFittedError):
        CommunityModel().place(["user 1"])


@pytest.mark.parametrize("number", [3, "auto"])
def test_a_copy_of_a_node_is_in_the_communities_of_the_original(number: int | str) -> None:
    graph = planted(120, 3, 0, degree=12, attraction=4, overlap=0.3, random_state=0).graph
    model = CommunityModel(number, 0, penalty=1, random_state=0).fit(graph)  # type: ignore[arg-type]
    copies = {f"copy of {node}": graph.neighbours(node) for node in graph.nodes}
    placed = model.place(copies, unknown={f"copy of {node}": [node] for node in graph.nodes}).communities()
    original = model.communities()
    same = [original.of(node).keys() == placed.of(f"copy of {node}").keys() for node in graph.nodes]
    assert np.mean(same) > 0.9
    assert placed.finer == original.finer


def test_a_new_node_is_where_its_links_lead_in_a_model_that_read_its_communities() -> None:
    cliques = [(f"{c}{i}", f"{c}{j}") for c in "abc" for i in range(6) for j in range(i)]
    model = CommunityModel("auto", 0, penalty=1, random_state=0).fit(cliques)
    home = {node: name for name, members in model.partition().items() for node in members}
    placed = model.place({"one": ["a0"], "most": ["a0", "b0", "b1", "b2"], "none": []}).communities()
    assert placed.of("one") == {home["a0"]: 1.0}
    assert placed.of("most") == {home["b0"]: 0.75}
    assert placed.of("none") == {}
