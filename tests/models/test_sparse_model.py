"""A model with many communities: read, weighed, explained, saved and used as a dense one is."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

import philia
from philia import CommunityModel
from philia.datasets import classic, overlapping_cliques, random_cliques
from philia.evaluate import best_match_f1
from philia.evaluate.predictors import _resource_allocation
from philia.exceptions import InvalidParameterError, ModelFileError
from philia.factors import SparseFactors
from philia.fitting.sparse import SparseColumns
from philia.graphs import Graph, Nodes
from philia.pairs import RandomPairs, seen
from philia.pairs.sample import near_and_far, weighted_order
from philia.reading import read_levels
from philia.selection.plan import MOST_HOMOPHILOUS
from philia.solvers import LBFGSB, Progress
from philia.storage.tensors import read_arrays, write_arrays
from tests.reading.graphs import planted

DRAWN = overlapping_cliques(1600, 64, random_state=3)


@pytest.fixture(scope="module")
def model() -> CommunityModel:
    return CommunityModel(random_state=0).fit(DRAWN.graph)


def test_more_communities_than_a_dense_fit_has_are_stored_sparsely(model: CommunityModel) -> None:
    assert isinstance(model.factors_, SparseFactors)
    assert model.selection_ is not None
    assert model.selection_.storage == "sparse"
    assert "64 communities that attract, which are more than a dense fit can have" in str(model.selection_)
    assert best_match_f1(model.communities().as_sets(), DRAWN.communities()) > 0.97


def test_storage_can_be_asked_for() -> None:
    graph = classic("les_miserables")
    assert isinstance(CommunityModel(random_state=0, storage="sparse").fit(graph).factors_, SparseFactors)
    few = overlapping_cliques(1250, 50, inside=20, random_state=0).graph
    dense = CommunityModel(random_state=0, storage="dense", solver=LBFGSB(iterations=2))
    assert not isinstance(dense.fit(few).factors_, SparseFactors)


@pytest.mark.parametrize("settings", [{"n_homophilous": 3}, {"penalty": 1.0}, {"background": "none"}])
def test_a_sparse_model_takes_no_numbers_of_communities(settings: dict[str, object]) -> None:
    with pytest.raises(InvalidParameterError, match="leave these settings as they are"):
        CommunityModel(storage="sparse", **settings).fit(classic("karate"))  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="use 'auto', 'dense' or 'sparse'"):
        CommunityModel(storage="csr").fit(classic("karate"))  # type: ignore[arg-type]


def test_scores_are_those_of_the_regression(model: CommunityModel) -> None:
    columns, level, graph = model.sparse_, model.level(), DRAWN.graph
    assert columns is not None
    assert level is not None
    members, A = level.memberships.toarray(), graph.adjacency.toarray()
    rng = np.random.default_rng(0)
    for i, j in rng.integers(1600, size=(50, 2)).tolist():
        if i == j:
            continue
        common = np.flatnonzero(A[i] * A[j])
        shared = level.strengths[members[i] & members[j]]
        together = float(np.expm1(columns.membership + columns.strength * shared).sum())
        known = (1 + float((1 / graph.degrees[common]).sum()) / columns.scale) ** columns.neighbours
        alone = columns.popularity * math.log((graph.degrees[i] + 0.5) * (graph.degrees[j] + 0.5)) + columns.level
        raised = math.exp(alone) * (together + known if columns.adds else (1 + together) * known)
        expected = math.log((1 + raised / 4) ** 4 - 1) - math.log((1 + math.exp(alone) / 4) ** 4 - 1) + alone
        assert model.decision_function([(i, j)])[0] == pytest.approx(expected, abs=1e-6)


def test_an_explanation_adds_up_and_names_shared_communities_and_neighbours(model: CommunityModel) -> None:
    i, j = next((i, j) for i, j in zip(*DRAWN.graph.links, strict=True) if len(_shared(model, i, j)))
    explained = model.explain(int(i), int(j))
    assert explained.logit == pytest.approx(model.decision_function([(int(i), int(j))])[0])
    assert {r.community for r in explained.reasons if r.community.startswith("B")} == _shared(model, i, j)
    common = set(DRAWN.graph.neighbours(int(i))) & set(DRAWN.graph.neighbours(int(j)))
    assert any(f"{len(common)} common neighbour" in r.community for r in explained.reasons) == bool(common)
    with pytest.raises(InvalidParameterError, match="was given twice"):
        model.explain(1, 1)


def _shared(model: CommunityModel, i: int, j: int) -> set[str]:
    level = model.level()
    assert level is not None
    return set(level.of(int(i))) & set(level.of(int(j)))


def test_the_likeliest_missing_links_are_those_of_all_pairs(
    model: CommunityModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    block_by_block = model.top_links(count=30), model.top_links(5, node=7)
    monkeypatch.setattr("philia.explain.missing_links.BLOCK_BY_BLOCK", 10)
    among_sharing = model.top_links(count=30), model.top_links(5, node=7)
    for found, expected in zip(among_sharing, block_by_block, strict=True):
        assert [(p.u, p.v) for p in found] == [(p.u, p.v) for p in expected]


def test_a_saved_model_is_the_same(model: CommunityModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m.philia")
    again = philia.load(tmp_path / "m.philia")
    assert isinstance(again, CommunityModel)
    assert again.communities().as_sets() == model.communities().as_sets()
    assert again.sparse_ == model.sparse_
    assert again.hierarchy().counts == model.hierarchy().counts
    pairs = [(1, 2), (3, 400)]
    np.testing.assert_array_equal(again.predict_proba(pairs), model.predict_proba(pairs))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("homophilous_columns", 64),
        ("homophilous_columns", -1),
        ("homophilous_starts", 10**9),
        ("neighbourhoods_columns", 1600),
        ("homophilous_values", np.nan),
        ("homophilous_values", -1.0),
        ("communities", 3),
    ],
)
def test_a_damaged_file_is_refused(model: CommunityModel, tmp_path: Path, name: str, value: float) -> None:
    path = tmp_path / "m.philia"
    model.save(path)
    arrays, header = read_arrays(path)
    arrays[name] = arrays[name].copy()
    arrays[name][len(arrays[name]) // 2] = value
    write_arrays(path, dict(arrays), {k: v for k, v in header.items() if k not in ("format", "checksum", "digest")})
    with pytest.raises(ModelFileError, match="does not hold a model as it should"):
        philia.load(path)


def test_new_nodes_join_by_their_links(model: CommunityModel) -> None:
    friends = [int(row) for row in DRAWN.members[0][:8]]
    placed = model.place({"zoe": friends, "max": []})
    of_zoe = placed.communities().of("zoe")
    found = {c.name: set(c.members) for c in model.communities()}
    assert len(found[next(iter(of_zoe))] & set(DRAWN.members[0].tolist())) > 5
    assert placed.communities().of("max") == {}
    explained = placed.explain("zoe", int(DRAWN.members[0][9]))
    assert explained.logit == pytest.approx(placed.decision_function([("zoe", int(DRAWN.members[0][9]))])[0])
    assert placed.top_links(1, node="zoe")[0].probability > 0.1


def test_partial_fit_reads_the_grown_graph_anew(model: CommunityModel) -> None:
    grown = CommunityModel(random_state=0).fit(DRAWN.graph)
    grown.partial_fit([("zoe", int(row)) for row in DRAWN.members[0][:8]])
    assert grown.graph_.n_nodes == 1601
    assert grown.communities().of("zoe")


def test_held_out_links_are_never_seen() -> None:
    hidden = RandomPairs(0.2, seed=1)
    first = CommunityModel(random_state=0).fit(DRAWN.graph, held_out=hidden)
    without = CommunityModel(random_state=0).fit(seen(DRAWN.graph, hidden), held_out=hidden)
    assert first.communities().as_sets() == without.communities().as_sets()
    np.testing.assert_allclose(first.factors_.background, without.factors_.background, atol=1e-9)


def test_one_seed_gives_one_model(model: CommunityModel) -> None:
    again = CommunityModel(random_state=0, n_jobs=1).fit(DRAWN.graph)
    assert again.sparse_ == model.sparse_
    assert again.communities().as_sets() == model.communities().as_sets()


def test_hidden_links_rank_at_least_as_high_as_by_resource_allocation() -> None:
    drawn = overlapping_cliques(4000, 160, inside=12, outside=2, random_state=8)
    model = CommunityModel(random_state=0).fit(drawn.graph, held_out=0.1)
    hidden, graph = model.held_out_, drawn.graph
    assert hidden is not None
    rows, columns = graph.links
    links = hidden.contains(rows, columns)
    known = seen(graph, hidden)
    i, j, chances = near_and_far(graph, known, 200_000, np.random.default_rng(0))
    found = {}
    for name, score in (
        ("philia", model.factors_.scores),
        ("resources", lambda u, v: _resource_allocation(known, u, v)),
    ):
        _, precision = weighted_order(score(rows[links], columns[links]), score(i, j), 1 / chances)
        assert precision is not None
        found[name] = precision.value
    assert found["philia"] > found["resources"]


def test_numbers_from_a_file_are_checked() -> None:
    columns = SparseColumns(0.5, 1.0, 2.0, 0.1, 0.4, -9.0)
    assert SparseColumns.from_dict(columns.to_dict()) == columns
    for name, value in (
        ("strength", -1.0),
        ("level", math.inf),
        ("scale", 0.0),
        ("neighbours", "2"),
        ("popularity", True),
    ):
        with pytest.raises(ValueError, match=name):
            SparseColumns.from_dict({**columns.to_dict(), name: value})


def test_probabilities_of_hidden_pairs_are_shares_of_links() -> None:
    drawn = random_cliques(4000, 160, random_state=2)  # larger graphs have more hidden links, and smaller errors
    model = CommunityModel(random_state=0).fit(drawn.graph, held_out=0.1)
    assert model.held_out_ is not None
    rows, columns = np.triu_indices(4000, 1)
    hidden = model.held_out_.contains(rows, columns)
    rows, columns = rows[hidden], columns[hidden]
    p, linked = expit(model.factors_.scores(rows, columns)), drawn.graph.linked(rows, columns)
    assert p.sum() == pytest.approx(linked.sum(), rel=0.2)
    for least, most in ((0.1, 0.3), (0.3, 0.5), (0.5, 1.0)):
        some = (p >= least) & (p < most)
        assert p[some].mean() == pytest.approx(linked[some].mean(), abs=0.1)


def test_an_empty_graph_asked_to_be_sparse_has_no_communities() -> None:
    two = Graph.from_rows(np.array([0]), np.array([1]), Nodes("abc"))
    assert len(CommunityModel(storage="sparse", random_state=0).fit(two).communities()) == 0


@pytest.mark.parametrize(("across", "sparse"), [(0.02, True), (0.05, False)])
def test_communities_are_stored_alone_only_if_many_links_are_inside(across: float, sparse: bool) -> None:
    graph = planted(60, 10, seed=0, inside=0.9, across=across)
    level = read_levels(graph).default
    assert len(level) > MOST_HOMOPHILOUS
    assert CommunityModel()._sparse(level, graph) == sparse
    assert CommunityModel(storage="sparse")._sparse(level, graph)
    assert not CommunityModel(storage="dense")._sparse(level, graph)


@pytest.mark.parametrize("at", ["reading what overlaps", "reading communities without the hidden links"])
def test_after_an_interruption_the_communities_read_so_far_make_a_model(at: str, tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.stage == at:
            raise KeyboardInterrupt

    model = CommunityModel(random_state=0).fit(DRAWN.graph, on_iteration=interrupt)
    assert model.solution_.reason == "interrupted"
    assert model.selection_ is not None
    assert model.selection_.interrupted
    assert best_match_f1(model.communities().as_sets(), DRAWN.communities()) > 0.8
    model.save(tmp_path / "m.philia")
    np.testing.assert_array_equal(
        philia.load(tmp_path / "m.philia").predict_proba([(1, 2)]), model.predict_proba([(1, 2)])
    )


def test_stages_tell_the_share_that_is_done() -> None:
    told: list[Progress] = []
    CommunityModel(storage="sparse", random_state=0).fit(classic("les_miserables"), on_iteration=told.append)
    shares = [progress.share for progress in told]
    assert shares == [0.0, 0.3, 0.5, 0.95]
