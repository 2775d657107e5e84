"""Graphs that hardly are graphs and weights that hardly are numbers, with every model and solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from philia import (
    SVD,
    AttractRepel,
    BigClam,
    CommunityModel,
    IeClam,
    LatentFeatures,
    LogisticPCA,
    NormalizedCuts,
    RandomLinks,
    SoftClustering,
    SymNMF,
    VGraph,
    load,
)
from philia._types import Float64Array
from philia.exceptions import DivergedError, PhiliaError
from philia.graphs import Graph, Nodes
from philia.graphs.weights import HEAVIEST
from philia.models import LinkModel
from philia.solvers import LBFGSB, Adam, FloorLBFGS


def _graph(n: int, pairs: list[tuple[int, int]], weight: Callable[[int], float] | None = None) -> Graph:
    rows, columns = (np.array([pair[end] for pair in pairs], np.int64) for end in (0, 1))
    if weight is None:
        return Graph.from_rows(rows, columns, Nodes.numbered(n))
    numbers = np.arange(2.0, 2 + len(pairs))  # of the links; what they weigh would not be let in at the door
    graph = Graph.from_rows(rows, columns, Nodes.numbered(n), weights=numbers)
    assert graph.weights is not None
    return replace(graph, weights=np.array([weight(int(number) - 2) for number in graph.weights]))


_RING = [(i, (i + 1) % 12) for i in range(12)]
_COMPLETE = [(i, j) for i in range(12) for j in range(i)]
_STAR = [(0, i) for i in range(1, 30)]

GRAPHS = {
    "nothing": lambda: _graph(0, []),
    "one node": lambda: _graph(1, []),
    "two nodes": lambda: _graph(2, []),
    "no links": lambda: _graph(12, []),
    "one link": lambda: _graph(2, [(0, 1)]),
    "one link of many": lambda: _graph(12, [(0, 1)]),
    "complete": lambda: _graph(12, _COMPLETE),
    "star": lambda: _graph(30, _STAR),
    "two halves": lambda: _graph(12, [(i, j) for i in range(12) for j in range(i) if i % 2 == j % 2]),
    "two sides": lambda: _graph(12, [(i, j) for i in range(12) for j in range(i) if i % 2 != j % 2]),
    "huge": lambda: _graph(12, _RING, lambda i: 1e300),
    "tiny": lambda: _graph(12, _RING, lambda i: 1e-300),
    "huge and tiny": lambda: _graph(12, _RING, lambda i: 1e300 if i % 2 else 1e-300),
    "largest": lambda: _graph(12, _RING, lambda i: 1.7e308),
    "one heavy": lambda: _graph(30, _STAR, lambda i: 1e12 if i == 0 else 1.0),
    "subnormal": lambda: _graph(12, _COMPLETE, lambda i: 5e-324),
}

MODELS: dict[str, LinkModel] = {
    "chosen": CommunityModel(random_state=0),
    "lbfgsb": CommunityModel(2, 1, penalty=1, solver=LBFGSB(20), random_state=0),
    "floor": CommunityModel(2, 1, penalty=1, solver=FloorLBFGS(20), random_state=0),
    "adam": CommunityModel(2, 1, penalty=1, solver=Adam(10), random_state=0),
    "unhidden adam": CommunityModel(2, 1, penalty=1, solver=Adam(10, hidden=0), random_state=0),
    "many columns": CommunityModel(40, 40, penalty=0, solver=LBFGSB(10), random_state=0),
    "no columns": CommunityModel(0, 0, penalty=1, random_state=0),
    "no penalty": CommunityModel(2, 2, penalty=0, background="none", solver=LBFGSB(20), random_state=0),
    "huge penalty": CommunityModel(2, 2, penalty=1e300, solver=LBFGSB(20), random_state=0),
    "tiny penalty": CommunityModel(2, 2, penalty=1e-300, solver=LBFGSB(20), random_state=0),
    "single": CommunityModel(2, 1, penalty=1, dtype="float32", solver=LBFGSB(20), random_state=0),
    "uniform": CommunityModel(2, 1, penalty=1, start="uniform", n_starts=2, solver=LBFGSB(20), random_state=0),
    "signed": CommunityModel(2, 1, penalty=1, start="signed", solver=LBFGSB(20), random_state=0),
    "logistic": CommunityModel(2, 1, penalty=1, start="logistic", solver=LBFGSB(20), random_state=0),
    "LogisticPCA": LogisticPCA(2, solver=LBFGSB(20), random_state=0),
    "BigClam": BigClam(2, solver=LBFGSB(20), random_state=0),
    "SymNMF": SymNMF(2, solver=LBFGSB(20), random_state=0),
    "SymNMF by Adam": SymNMF(2, solver=Adam(10), random_state=0),
    "SoftClustering": SoftClustering(2, solver=LBFGSB(20), random_state=0),
    "AttractRepel": AttractRepel(2, 1, solver=LBFGSB(20), random_state=0),
    "IeClam": IeClam(2, solver=LBFGSB(20), random_state=0),
    "LatentFeatures": LatentFeatures(2, 1, random_state=0),
    "SVD": SVD(2, random_state=0),
    "NormalizedCuts": NormalizedCuts(2, random_state=0),
    "NormalizedCuts by signs": NormalizedCuts(2, cut_by="signs", random_state=0),
    "VGraph": VGraph(2, iterations=20, random_state=0),
    "RandomLinks": RandomLinks(2, random_state=0),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")  # that numbers are large is no news here
@pytest.mark.parametrize("held_out", [None, 0.3])
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("model", MODELS)
def test_a_fit_is_finite_or_refused(model: str, graph: str, held_out: float | None, tmp_path: Path) -> None:
    try:
        fitted: Any = clone(MODELS[model]).fit(GRAPHS[graph](), held_out=held_out)
    except PhiliaError:
        return
    assert np.isfinite(fitted.solution_.value) or model == "RandomLinks"
    assert all(np.isfinite(array).all() for array in fitted.factors_.arrays().values())
    if fitted.graph_.weights is not None and fitted.graph_.weights.max() > HEAVIEST:
        return  # such a graph is let in nowhere, not from a model file either
    fitted.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    again.communities()
    if again.graph_.n_nodes > 1:
        assert (again.predict_proba([(0, 1)]) >= 0).all()


@pytest.mark.parametrize("model", ["lbfgsb", "floor", "adam", "BigClam", "SymNMF", "LogisticPCA"])
def test_weights_whose_loss_is_infinite_are_no_model(model: str, tmp_path: Path) -> None:
    fitted: Any = clone(MODELS[model])
    with pytest.raises(DivergedError, match=r"weights from 1\.7e\+308 to 1\.7e\+308 are a likely cause; scale them"):
        fitted.fit(GRAPHS["largest"](), checkpoint=tmp_path / "kept")
    assert not hasattr(fitted, "factors_")
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("graph", ["one link", "star", "one heavy"])
def test_small_graphs_are_no_extremes(graph: str) -> None:
    fitted: Any = clone(MODELS["lbfgsb"]).fit(GRAPHS[graph]())
    assert np.isfinite(fitted.solution_.value)


@pytest.mark.parametrize("numbers", [{}, {"n_homophilous": 2, "n_heterophilous": 1, "penalty": 1}])
def test_a_start_that_is_not_a_number_is_no_model(numbers: dict[str, Any]) -> None:
    def lost(
        graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
    ) -> tuple[Float64Array, Float64Array]:
        n = graph.n_nodes
        return np.full((n, n_homophilous), np.nan), np.full((n, n_heterophilous), np.nan)

    with pytest.raises(DivergedError, match=r"not finite|loss of nan"):
        CommunityModel(start=lost, random_state=0, **numbers).fit(GRAPHS["star"]())
