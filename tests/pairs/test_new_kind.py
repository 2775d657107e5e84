"""A kind of held-out pairs that only this file knows goes through everything that a fit does with such pairs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone

from philia import BigClam, CommunityModel, NormalizedCuts, load
from philia._types import BoolArray
from philia.datasets import planted
from philia.evaluate import estimated_link_scores, evaluate_links
from philia.fitting.checkpoint import description
from philia.graphs import Graph
from philia.objective import AllPairsObjective, SampledPairsObjective
from philia.pairs import BothPairs, HeldOut, ListedPairs, PairSample, RandomPairs, seen
from philia.selection import Folds
from philia.solvers import LBFGSB, Adam

N, NODE = 150, 7
GRAPH = planted(N, 3, 1, degree=12, random_state=0).graph


@dataclass(frozen=True)
class PairsOfNode(HeldOut):
    """All pairs of one node."""

    row: int

    def contains(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> BoolArray:
        return np.asarray(((rows == self.row) | (columns == self.row)) & (rows != columns))


OURS = PairsOfNode(NODE)
SAME = ListedPairs.of_rows(GRAPH, np.full(N - 1, NODE), np.delete(np.arange(N), NODE))
FEW = ListedPairs.of_rows(GRAPH, np.arange(4), np.arange(5, 9))
RANDOM = RandomPairs(0.2, seed=3)


def model(**settings: Any) -> CommunityModel:
    return CommunityModel(2, 1, **{"penalty": 1.0, "solver": LBFGSB(iterations=5), "random_state": 0, **settings})


@pytest.mark.parametrize(
    "estimator",
    [model(), model(solver=Adam(3)), BigClam(3, random_state=0), NormalizedCuts(3, random_state=0)],
    ids=["all pairs", "sampled pairs", "closed form", "no loss"],
)
def test_a_fit_leaves_its_pairs_out_as_if_they_were_listed(estimator: Any) -> None:
    ours, listed = (estimator.fit(GRAPH, held_out=pairs).factors_.arrays() for pairs in (OURS, SAME))
    assert all((ours[name] == listed[name]).all() for name in listed)


def test_the_choice_of_settings_does_not_see_its_pairs_either() -> None:
    chosen = CommunityModel("auto", 0, penalty=1.0, random_state=0)
    ours, listed = (clone(chosen).fit(GRAPH, held_out=pairs) for pairs in (OURS, SAME))
    assert str(ours.selection_) == str(listed.selection_)
    np.testing.assert_array_equal(ours.factors_.homophilous, listed.factors_.homophilous)


def test_it_is_saved_as_its_pairs(tmp_path: Path) -> None:
    model().fit(GRAPH, held_out=OURS).save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors").held_out_
    assert again is not None
    np.testing.assert_array_equal(np.stack(again.pairs(N)), np.stack(OURS.pairs(N)))


def test_its_fits_can_be_told_apart() -> None:
    about = []
    for row in (NODE, NODE, NODE + 1):
        fitted = model()
        fitted.held_out_ = PairsOfNode(row)
        about.append(description(fitted, GRAPH, fitted.held_out_)["held out"])
    assert about[0] == about[1] != about[2]


def test_it_goes_on_holding_out_the_same_pairs_of_a_graph_that_grows() -> None:
    found = []
    for more in ([("zoe", 0), ("zoe", 1)], [("zoe", 0), ("zoe", 1), ("zoe", NODE)]):
        fitted = model().fit(GRAPH, held_out=OURS)
        found.append(fitted.partial_fit(more).factors_.homophilous)
        assert fitted.held_out_ == OURS
    np.testing.assert_array_equal(found[0], found[1])  # the new link is of the held-out node


def test_its_pairs_are_sampled() -> None:
    rows, columns = OURS.sample(N, 20, np.random.default_rng(0))
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == 20
    assert OURS.contains(rows, columns).all()
    sample = PairSample.held_out(GRAPH, OURS, None, np.random.default_rng(0))
    assert (len(sample.rows), sample.n_links) == (N - 1, GRAPH.degrees[NODE])
    drawn = PairSample.draw(GRAPH, OURS, 50, np.random.default_rng(0))
    assert not OURS.contains(drawn.rows, drawn.columns).any()


def test_a_model_is_judged_by_its_pairs() -> None:
    fitted = model().fit(GRAPH, held_out=OURS)
    assert evaluate_links(fitted).pairs == N - 1
    scores = estimated_link_scores(fitted)
    assert scores.auc is not None
    assert scores.auc.exact


@pytest.mark.parametrize("other", [RANDOM, FEW, OURS])
@pytest.mark.parametrize("both", [False, True], ids=["alone", "beside random pairs"])
def test_it_joins_any_other_kind(other: HeldOut, both: bool) -> None:
    ours = BothPairs(RandomPairs(0.1, 5), OURS) if both else OURS
    rows, columns = np.indices((N, N))
    for union in (ours.union(other, GRAPH), other.union(ours, GRAPH)):
        expected = ours.contains(rows, columns) | other.contains(rows, columns)
        np.testing.assert_array_equal(union.contains(rows, columns), expected)
        np.testing.assert_array_equal(left_out(GRAPH, union), expected)


@pytest.mark.parametrize("n", [N, 3001])
@pytest.mark.parametrize("unknown", [None, OURS, RANDOM, BothPairs(RANDOM, OURS), BothPairs(RANDOM, SAME)])
@pytest.mark.parametrize("folds", [Folds(5, 0.2), Folds(2, 0.1), Folds(1, 0.1)], ids=["five", "two", "one"])
def test_every_fold_hides_all_that_is_unknown_and_more(unknown: HeldOut | None, n: int, folds: Folds) -> None:
    graph = planted(n, 3, 1, degree=4, random_state=0).graph
    some = np.random.default_rng(0).integers(n, size=(2, 20_000))
    some = some[:, some[0] != some[1]]
    before = np.zeros(some.shape[1], bool) if unknown is None else unknown.contains(*some)
    for fold in folds.hidden(graph, unknown, np.random.default_rng(0)):
        hidden = fold.contains(*some)
        assert hidden[before].all()
        assert hidden[~before].mean() == pytest.approx(folds.share, abs=0.02)
        if n == N:
            np.testing.assert_array_equal(left_out(graph, fold)[*some], hidden)


@pytest.mark.parametrize("unknown", [None, OURS, RANDOM, BothPairs(RANDOM, OURS)])
def test_every_known_pair_is_hidden_once_and_links_are_shared_out_evenly(unknown: HeldOut | None) -> None:
    rows, columns = np.triu_indices(N, 1)
    if unknown is not None:
        known = ~unknown.contains(rows, columns)
        rows, columns = rows[known], columns[known]
    hidden = [f.contains(rows, columns) for f in Folds(5, 0.2).hidden(GRAPH, unknown, np.random.default_rng(0))]
    assert (np.sum(hidden, axis=0) == 1).all()
    links = [np.count_nonzero(fold & GRAPH.linked(rows, columns)) for fold in hidden]
    assert max(links) - min(links) <= 1


def left_out(graph: Graph, held_out: HeldOut) -> BoolArray:
    """The pairs that the kernels leave out, as a matrix."""
    recipe = model().recipe()
    omitted = AllPairsObjective(graph, recipe, held_out=held_out).omitted.mask(0, N, 0, N)
    assert (SampledPairsObjective(graph, recipe, held_out=held_out).omitted.mask(0, N, 0, N) == omitted).all()
    assert not seen(graph, held_out).linked(*np.nonzero(omitted)).any()
    return omitted
