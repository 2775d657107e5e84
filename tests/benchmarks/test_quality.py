"""One small task of every kind, what is kept of it, and the page that is written of it."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchmarks.quality
import experiments.communities
from benchmarks.quality import communities, known_groups, links, methods, place, planted
from benchmarks.quality.__main__ import EXPERIMENTS, chosen_tasks, main, read
from benchmarks.quality.experiment import ALL
from benchmarks.quality.methods import MODELS, fitted
from benchmarks.quality.running import Reconsidering, apart, failed, in_own_process
from experiments.experiment import Task
from experiments.methods import Shape
from experiments.results import ResultStore, run_tasks
from philia import as_graph
from philia.datasets import Dataset
from philia.datasets import planted as drawn
from philia.exceptions import MissingDataError, MissingDependencyError
from philia.pairs import seen
from philia.solvers import LBFGSB

pytestmark = pytest.mark.slow  # programs beside the package, several of them in processes of their own

MODULES = [module.name for module in pkgutil.iter_modules(benchmarks.quality.__path__)]


def stand_in(name: str) -> Dataset:
    """A small graph in the place of a real network."""
    found = drawn(100, 4, 2, degree=12, attraction=5, random_state=0)
    labels = {str(label): list(members) for label, members in enumerate(found.homophilous)}
    return Dataset(name, "", found.graph, labels, "", "", "", "")


@pytest.mark.parametrize("method", [*MODELS, *links.FORMULAS, links.CONSTANT])
def test_every_method_predicts_hidden_links(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "network", lambda name: stand_in(name).graph)
    found = links.predict("football", method, seed=0)
    assert 0 < found["auc"] <= 1
    assert found["judged"] == found["pairs"]
    assert (found["log_likelihood"] is None) == (method in links.FORMULAS)
    if method == links.CONSTANT:
        assert found["average_precision"] == pytest.approx(found["links"] / found["pairs"])


@pytest.mark.parametrize("method", [*communities.TRIVIAL, *communities.FACTORS, *communities.FINDERS])
def test_every_method_finds_communities(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "NOCD" in method:
        pytest.importorskip("torch")
    monkeypatch.setattr(communities, "dataset", stand_in)
    found = communities.find("football", method, seed=0)
    assert 0 <= found["f1"] <= 1
    assert -1 <= found["omega"] <= 1


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("BigClam", "BigClam, no penalty"),
        ("SymNMF", "SymNMF, no penalty"),
        ("BigClam, penalty 10", "BigClam"),
        ("SymNMF, penalty 10", "SymNMF"),
    ],
)
def test_both_pages_compare_the_same_fits(here: str, there: str) -> None:
    graph = stand_in("karate").graph
    ours = fitted(here, graph, 5, seed=1)
    papers = experiments.communities.METHODS[there](Shape(4, 1, seed=1, iterations=200)).fit(graph)
    assert ours.communities().as_sets() == papers.communities("density").as_sets()
    assert np.array_equal(ours.solution_.point, papers.solution_.point)


def test_only_a_graph_too_large_for_the_papers_solver_gets_another(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = stand_in("karate").graph
    assert isinstance(fitted("BigClam", graph, 3, seed=0).get_params()["solver"], LBFGSB)
    monkeypatch.setattr(methods, "MOST_NODES", graph.n_nodes - 1)
    assert fitted("BigClam", graph, 3, seed=0).get_params()["solver"] == "auto"


@pytest.mark.parametrize("method", [*known_groups.FINDERS, *known_groups.TOLD])
def test_every_method_is_compared_with_known_groups(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn_graph = stand_in("karate")
    groups = [set(members) for members in drawn_graph.communities.values()]
    monkeypatch.setattr(known_groups, "labelled", lambda _: (drawn_graph.graph, groups))
    find = {**known_groups.FINDERS, **known_groups.TOLD}[method]
    try:
        found = known_groups.beside_groups("karate", find, count=2)
    except MissingDependencyError as error:
        pytest.skip(str(error))
    assert 0 <= found["f1"] <= 1
    assert -1 <= found["agreement"] <= 1
    assert len(found["found"]) == 2


def test_the_teams_of_2000_are_in_one_group_each_as_those_of_the_file_are() -> None:
    games = as_graph([("Hawaii", "TexasChristian"), ("Idaho", "UtahState"), ("NotreDame", "LouisianaTech")])
    of_2001 = [{"Hawaii", "LouisianaTech"}, {"TexasChristian"}, {"Idaho"}, {"NotreDame", "UtahState"}]
    _, of_2000 = known_groups._football_of_2000(games, of_2001)
    assert {"Hawaii", "TexasChristian"} in of_2000
    assert sorted(map(len, of_2000)) == [2, 5, 6]
    assert of_2001[3] == {"NotreDame", "UtahState"}


def test_the_whole_fit_has_the_communities_that_are_read() -> None:
    found = known_groups.whole_fit("karate")
    assert found["same"]
    assert found["fit"] > 0


def test_graphs_with_a_plain_answer_and_random_ones_are_read() -> None:
    answers = known_groups.plain_answers(known_groups.philia)["graphs"]
    assert answers["K6 and K5, apart"] == {"known": 2, "found": 2, "f1": 1.0}
    assert answers["star of 30"]["found"] == 0
    assert known_groups.nothing_found("karate", known_groups.philia)["nothing"] <= 5


def test_a_labelled_graph_that_is_not_there_is_missing_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHILIA_DATA", str(tmp_path))
    known_groups.labelled.cache_clear()
    with pytest.raises(MissingDataError, match=r"no labelled/dolphins\.tsv"):
        known_groups.labelled("dolphins")


@pytest.mark.parametrize("method", [*place.PLACED, place.AGAIN, *links.FORMULAS, links.CONSTANT])
def test_every_method_predicts_links_of_new_nodes(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "network", lambda name: stand_in(name).graph)
    found = place.predict_new("football", method, seed=0)
    assert found["new"] == 5
    assert 0 < found["auc"] <= 1


def test_what_a_new_node_is_told_is_what_is_not_hidden() -> None:
    graph = stand_in("football").graph
    newcomers = place.Newcomers.drawn(graph, seed=1)
    neighbours, unknown = newcomers.told()
    known = newcomers.without_new()
    assert known.n_nodes == graph.n_nodes - len(newcomers.new)
    seen_links = known.n_links + sum(map(len, neighbours.values()))
    assert seen_links == seen(graph, newcomers.unseen).n_links
    for name in neighbours:
        assert set(neighbours[name]) <= set(graph.neighbours(name)) - set(unknown[name])


@pytest.mark.parametrize("method", list(planted.METHODS))
@pytest.mark.parametrize("n_heterophilous", [0, 2])
def test_planted_communities_are_looked_for(method: str, n_heterophilous: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted, "N", 100)
    found = planted.recover(planted.Plan(3, n_heterophilous, attraction=5.0), method, seed=0)
    assert 0 <= found["f1"] <= 1
    assert ("heterophilous" in found) == (n_heterophilous > 0)


def test_a_task_apart_tells_its_figures_its_memory_or_its_error() -> None:
    figures = in_own_process(partial(dict, f1=float("nan"), sizes=[1, 2]))
    assert figures["f1"] is None
    assert figures["sizes"] == [1, 2]
    assert figures["peak_gb"] > 0
    assert in_own_process(partial(int, "many"))["error"].startswith("ValueError: invalid literal")  # type: ignore[arg-type]
    assert in_own_process(partial(time.sleep, 60), limit=1)["error"] == "stopped after 1 seconds"  # type: ignore[arg-type]


def test_a_task_apart_that_lacks_data_says_so_as_others_do() -> None:
    with pytest.raises(MissingDataError, match="no blog"):
        in_own_process(_without_data)


def _without_data() -> dict[str, Any]:
    raise MissingDataError("there is no blog here")


def test_what_is_done_is_not_done_again_unless_it_failed(tmp_path: Path) -> None:
    fails = Task("links", "football", "SVD", 0, {}, partial(dict, "many"))
    works = Task("links", "football", "SVD", 0, {}, partial(dict, f1=1.0))
    run_tasks([apart(fails, None)], ResultStore(tmp_path))
    run_tasks([apart(works, None)], ResultStore(tmp_path))
    assert failed(ResultStore(tmp_path).results([works])[0])
    run_tasks([apart(works, None)], Reconsidering(tmp_path, failed))
    assert ResultStore(tmp_path).results([works])[0].values["f1"] == 1


def test_every_task_has_a_line_of_its_own_and_cheap_ones_come_first() -> None:
    tasks = chosen_tasks(read([]))
    assert len({(task.experiment, task.key) for task in tasks}) == len(tasks) > 500
    costs = [EXPERIMENTS[task.experiment].cost(task) for task in tasks]
    assert costs == sorted(costs)
    assert not {(t.dataset, t.method) for t in tasks if t.experiment == "links"} & set(links.LEFT_OUT)


def test_a_name_that_there_is_not_is_refused() -> None:
    with pytest.raises(SystemExit, match="no 'blogs'"):
        chosen_tasks(read(["--datasets", "blogs"]))


def test_the_page_says_what_results_there_are(tmp_path: Path) -> None:
    store, one_seed = ResultStore(tmp_path / "results"), replace(ALL, seeds=(0,))
    for task in EXPERIMENTS["links"].tasks(one_seed):
        precision = {"philia": 0.6, "constant": 0.1}.get(task.method, 0.5)
        store.keep(task, _made_up(precision), seconds=1.0)
    numbers = {"numbers": [5, 2], "f1": 0.9, "homophilous": {"f1": 0.9}, "heterophilous": {"f1": 0.5}}
    for task in list(EXPERIMENTS["planted"].tasks(one_seed))[:30]:
        store.keep(task, numbers, seconds=1.0)
    main(["page", "--seeds", "0", "--results", str(tmp_path / "results"), "--page", str(tmp_path)])
    page = (tmp_path / "README.md").read_text()
    assert page.count("| **holds** |") == 10
    assert "| philia | **0.600** |" in page
    assert "paper is not run on slashdot" in page
    assert (tmp_path / "figures" / "planted-philia.svg").is_file()


def _made_up(value: float) -> dict[str, Any]:
    return {**dict.fromkeys(("average_precision", "auc", "f1_best"), value), **dict.fromkeys(links.CLIPS, value - 1)}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_are_true(name: str) -> None:
    module = importlib.import_module(f"benchmarks.quality.{name}")
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).failed == 0
