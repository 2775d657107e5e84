"""Runs that can be killed and go on, pages that are drawn from kept results alone, and honest verdicts."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from experiments import EXPERIMENTS, QUICK, WHOLE, Result, Task, reproduce
from experiments.data import dataset, split_by_norms, split_by_signs
from experiments.results import ResultStore, run_tasks
from philia import CommunityModel
from philia.exceptions import MissingDataError
from philia.solvers import Progress
from tests.strategies import random_graph


def task(name: str, ran: list[str], settings: dict[str, Any] | None = None) -> Task:
    def run() -> dict[str, Any]:
        ran.append(name)
        return {"value": len(ran)}

    return Task("figure9", name, "SVD", 0, settings or {}, run)


def test_finished_tasks_do_not_run_again(tmp_path: Path) -> None:
    ran: list[str] = []
    store = ResultStore(tmp_path)
    run_tasks([task("a", ran)], store)
    run_tasks([task("a", ran), task("b", ran)], store)
    assert ran == ["a", "b"]
    assert [r.values["value"] for r in store.results([task("a", ran), task("b", ran)])] == [1, 2]


def test_a_result_with_other_settings_is_not_used(tmp_path: Path) -> None:
    ran: list[str] = []
    store = ResultStore(tmp_path)
    run_tasks([task("a", ran, {"iterations": 30})], store)
    assert store.result(task("a", ran, {"iterations": 200})) is None
    run_tasks([task("a", ran, {"iterations": 200})], store)
    assert ran == ["a", "a"]


def test_an_interrupted_run_keeps_finished_results(tmp_path: Path) -> None:
    ran: list[str] = []
    store = ResultStore(tmp_path)

    def interrupted() -> dict[str, Any]:
        raise KeyboardInterrupt

    tasks = [task("a", ran), Task("figure9", "b", "SVD", 0, {}, interrupted), task("c", ran)]
    with pytest.raises(KeyboardInterrupt):
        run_tasks(tasks, store)
    assert len(store.results(tasks)) == 1
    run_tasks([tasks[0], task("b", ran), tasks[2]], store)
    assert ran == ["a", "b", "c"]


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C as in a program that a person started, whoever started this one."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_a_fit_that_was_cut_short_is_not_a_result(tmp_path: Path) -> None:
    store, ended = ResultStore(tmp_path), list[str]()

    def press(step: Progress) -> None:
        if step.iteration == 3:
            signal.raise_signal(signal.SIGINT)

    def cut_short() -> dict[str, Any]:
        model = CommunityModel(2, 1, penalty=1, random_state=0).fit(random_graph(40, 0.2, seed=0), on_iteration=press)
        ended.append(model.solution_.reason)
        return {"iterations": model.solution_.iterations}

    task = Task("figure9", "blog", "CommunityModel", 0, {}, cut_short)
    with pytest.raises(KeyboardInterrupt):
        run_tasks([task], store)
    assert ended == ["interrupted"]  # the fit itself keeps what it has
    assert store.results([task]) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_results_are_made_outside_the_main_thread_and_where_ctrl_c_is_ignored(tmp_path: Path) -> None:
    ran: list[str] = []
    thread = threading.Thread(target=lambda: run_tasks([task("a", ran)], ResultStore(tmp_path)))
    thread.start()
    thread.join()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run_tasks([task("b", ran)], ResultStore(tmp_path))
    finally:
        signal.signal(signal.SIGINT, before)
    assert ran == ["a", "b"]


def test_a_truncated_line_is_run_again_and_the_others_are_kept(tmp_path: Path) -> None:
    ran: list[str] = []
    run_tasks([task("a", ran), task("b", ran)], ResultStore(tmp_path))
    (file,) = tmp_path.iterdir()
    file.write_text(file.read_text()[:-20])
    run_tasks([task("a", ran), task("b", ran)], ResultStore(tmp_path))
    assert ran == ["a", "b", "b"]


def test_two_runs_into_one_folder_keep_the_results_of_both(tmp_path: Path) -> None:
    ran: list[str] = []
    one, two = ResultStore(tmp_path), ResultStore(tmp_path)
    assert one.result(task("a", ran)) is None
    run_tasks([task("b", ran)], two)
    run_tasks([task("a", ran)], one)
    assert len(ResultStore(tmp_path).results([task("a", ran), task("b", ran)])) == 2


def test_missing_data_are_reported_and_the_rest_runs(tmp_path: Path) -> None:
    ran: list[str] = []

    def absent() -> dict[str, Any]:
        raise MissingDataError("blog.mat is not here")

    tasks = [Task("figure9", "blog", "SVD", 0, {}, absent), task("b", ran)]
    assert run_tasks(tasks, ResultStore(tmp_path)) == ["blog.mat is not here"]
    assert ran == ["b"]


def test_without_data_the_page_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset.cache_clear()
    monkeypatch.setattr("experiments.data.load", _absent)
    found = reproduce(tmp_path, ["table1"], QUICK)
    assert found.missing == ("amazon is not here",)
    assert {claim.verdict for claim in found.claims} == {"cannot be judged"}
    assert "Not run: amazon is not here" in found.page.read_text()
    dataset.cache_clear()


@pytest.mark.slow
def test_the_page_keeps_earlier_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset.cache_clear()
    monkeypatch.setattr("experiments.data.load", _absent)
    reproduce(tmp_path, ["statements"], QUICK)
    found = reproduce(tmp_path, ["table1"], QUICK)
    assert {claim.where for claim in found.claims} == {"Table 1", "Section 1", "Appendix"}
    assert "Lemma 4.3" in found.page.read_text()
    dataset.cache_clear()


def _absent(name: str) -> Any:
    raise MissingDataError(f"{name} is not here")


def test_every_task_has_a_key_of_its_own() -> None:
    for scope in (QUICK, WHOLE):
        keys = [t.key for experiment in EXPERIMENTS.values() for t in experiment.tasks(scope)]
        assert len(set(keys)) == len(keys)
        assert all(json.dumps(dict(t.settings)) for e in EXPERIMENTS.values() for t in e.tasks(scope))


def test_the_quick_version_runs_a_small_part_of_the_whole() -> None:
    sizes = [sum(1 for e in EXPERIMENTS.values() for _ in e.tasks(scope)) for scope in (QUICK, WHOLE)]
    assert sizes[0] < sizes[1] / 5


def test_what_no_claim_needs_of_the_largest_network_runs_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[Task] = []

    def run(tasks: list[Task], *_: Any) -> list[str]:
        listed.extend(tasks)
        return []

    monkeypatch.setattr("experiments.reproduction.run_tasks", run)
    reproduce(tmp_path, ["communities", "links"])
    late = [t for t in listed if t.dataset == "blog" and t.method.startswith("CommunityModel, penalty 1")]
    assert [t.experiment for t in late] == ["communities", "links"]
    after = listed[min(map(listed.index, late)) :]
    assert {t.dataset for t in after} == {"blog"}
    assert not {t.method for t in after} & {"CommunityModel", "VGraph", "CommunityModel, own settings"}


@pytest.mark.parametrize("k", [2, 5, 9])
def test_a_split_keeps_both_kinds(k: int) -> None:
    for density in (0.0, 0.1, 1.0):
        attracting, repelling = split_by_signs(random_graph(30, density, seed=0), k)
        assert attracting + repelling == k
        assert min(attracting, repelling) >= 1


def made_up(experiment: str, dataset: str, method: str, values: dict[str, Any]) -> Result:
    return Result(experiment, dataset, method, 0, {}, values, 1.0)


def reconstructed(errors: dict[str, dict[str, float]]) -> Iterator[Result]:
    for name, by_method in errors.items():
        for method, error in by_method.items():
            values = {
                "relative": error,
                "cross_entropy": error,
                "entries": 1.0,
                "off_diagonal": error,
                "split": "1 + 1",
            }
            yield made_up("reconstruction", name, method, values)


@pytest.mark.parametrize(("ours", "verdict"), [(0.5, "holds"), (0.9, "does not hold")])
def test_the_lowest_error_is_judged_by_the_numbers(ours: float, verdict: str) -> None:
    others = {"SVD": 0.8, "BigClam": 0.85, "SymNMF": 0.7, "AttractRepel": 0.95}
    errors = {name: {"CommunityModel": 0.5, **others} for name in WHOLE.datasets}
    errors["blog"] = {"CommunityModel": ours, **others}
    first = EXPERIMENTS["reconstruction"].claims(list(reconstructed(errors)))[0]
    assert first.verdict == verdict
    few = {name: errors[name] for name in ("amazon", "ppi")}
    assert EXPERIMENTS["reconstruction"].claims(list(reconstructed(few)))[0].verdict == "cannot be judged"


def test_settings_with_tuples_are_recognized_at_once(tmp_path: Path) -> None:
    ran: list[str] = []
    store, sized = ResultStore(tmp_path), task("a", ran, {"nodes": (100, 1000)})
    run_tasks([sized], store)
    run_tasks([sized], store)
    assert ran == ["a"]


@pytest.mark.parametrize("k", [2, 5])
def test_the_authors_split_keeps_both_kinds(k: int) -> None:
    attracting, repelling = split_by_norms(random_graph(30, 0.2, seed=0), k, iterations=20)
    assert attracting + repelling == k
    assert min(attracting, repelling) >= 1


def counted(name: str, **values: Any) -> Result:
    common = {"nodes": 9, "links": 9, "labels": 2, "max_degree": 9, "degeneracy": 3, "arboricity": 2, "note": ""}
    return made_up("table1", name, "counts", {**common, **values})


def test_heterophily_is_judged_by_labels_and_by_degrees() -> None:
    shares = {"pos": 0.1, "ppi": 0.3, "amazon": 0.3, "blog": 0.3, "youtube": 0.3}
    results = [
        counted(name, linked_sharing=shares[name], weighted_sharing=0.2, assortativity=-0.1) for name in WHOLE.datasets
    ]
    told = [c.verdict for c in EXPERIMENTS["table1"].claims(results) if c.where == "Appendix"]
    assert told == ["does not hold", "holds", "holds", "does not hold"]


def test_the_example_is_judged_with_the_penalty_and_without_it() -> None:
    from experiments.introduction import METHODS

    def fit(method: str) -> Result:
        free = "no penalty" in method
        values = {"normalized": 0.5, "city": 1.0, "gender": 1.0, "contrast": 40.0 if free else 2.0}
        if not method.startswith("CommunityModel"):
            values |= {"contrast": 1.0, "gender": 0.0}
        return made_up("introduction", "dating app", method, values)

    def point(method: str) -> Result:
        ours = method.startswith("CommunityModel") and "no penalty" in method
        values = {"normalized": 0.3 if ours else 0.4}
        return Result("introduction", "dating app", f"{method}, length 4", 0, {"length": 4}, values, 1.0)

    claims = EXPERIMENTS["introduction"].claims([*map(fit, METHODS), *map(point, METHODS)])
    told = {where: [c.verdict for c in claims if c.where == where] for where in ("Figure 2, left", "Figure 3")}
    assert told == {"Figure 2, left": ["does not hold", "holds"], "Figure 3": ["holds", "holds"]}
    lowest = [c.verdict for c in claims if c.claim.startswith("The model has the lowest error")]
    assert lowest == ["does not hold", "holds"]
