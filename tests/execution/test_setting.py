from __future__ import annotations

import logging
import os
import pickle
import signal
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from philia import AttractRepel, BigClam, CommunityModel, LogisticPCA
from philia.datasets import planted
from philia.exceptions import ClusterError, InvalidParameterError
from philia.execution import LocalThreads, as_executor, opened, setting
from philia.execution.cluster import DaskCluster
from philia.models import load
from philia.models.factorization import Factorization
from philia.objective import Freedom, SampledPairsObjective
from philia.solvers import LBFGSB, Adam
from tests.execution.keepers import Parts
from tests.strategies import community_recipe

GRAPH = planted(600, 4, 2, degree=15, random_state=0).graph
SMALL = planted(60, 2, 1, degree=8, random_state=0).graph


def small(**settings: Any) -> CommunityModel:
    return CommunityModel(4, 2, penalty=1.0, solver=LBFGSB(6), random_state=0, **settings)


def same(one: Factorization, two: Factorization) -> None:
    assert one.solution_.value == two.solution_.value
    for name, array in one.factors_.arrays().items():
        np.testing.assert_array_equal(array, two.factors_.arrays()[name])


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[DaskCluster]:
    """Every cluster that is connected to because a model was given an address."""
    made: list[DaskCluster] = []

    class Counted(DaskCluster):
        def __init__(self, *where: Any) -> None:
            super().__init__(*where)
            made.append(self)

    monkeypatch.setattr(setting, "DaskCluster", Counted)
    return made


def test_every_way_to_name_an_executor_gives_the_same_bits(cluster: DaskCluster, address: str) -> None:
    here = small().fit(GRAPH)
    for there in (cluster, cluster.client, address, ThreadPoolExecutor(2), Parts(3)):
        same(small(executor=there).fit(GRAPH), here)


@pytest.mark.parametrize(
    "model",
    [
        LogisticPCA(3, solver=LBFGSB(4), random_state=0),
        BigClam(3, solver=LBFGSB(4), random_state=0),
        AttractRepel(3, 1, solver=LBFGSB(4), random_state=0),
    ],
)
def test_other_models_run_on_a_cluster(cluster: DaskCluster, model: Any) -> None:
    same(clone(model).set_params(executor=cluster).fit(GRAPH), model.fit(GRAPH))


def test_an_automatic_choice_connects_to_an_address_once(monkeypatch: pytest.MonkeyPatch) -> None:
    happened: list[str] = []

    class Connection(Parts):
        def __init__(self, address: str) -> None:
            super().__init__(2)
            happened.append(f"opened {address}")

        def __enter__(self) -> Parts:
            return self

        def __exit__(self, *error: object) -> None:
            happened.append("closed")

    monkeypatch.setattr(setting, "DaskCluster", Connection)
    settings: dict[str, Any] = {"n_heterophilous": 0, "background": "constant", "solver": LBFGSB(4), "random_state": 0}
    here = CommunityModel(**settings).fit(SMALL)
    there = CommunityModel(executor="tcp://10.0.0.1:8786", **settings).fit(SMALL)
    assert there.selection_ is not None
    same(there, here)
    assert happened == ["opened tcp://10.0.0.1:8786", "closed"]


def test_fold_in_and_refits_run_on_the_executor(address: str, connections: list[DaskCluster]) -> None:
    here, there = small().fit(SMALL), small(executor=address).fit(SMALL)
    assert there.stability(fits=2).communities[0].appears == here.stability(fits=2).communities[0].appears
    assert len(connections) == 2
    links = {"zoe": [0, 1, 2]}
    assert there.place(links).predict_proba([("zoe", 3)]) == here.place(links).predict_proba([("zoe", 3)])
    same(there.partial_fit([("zoe", 0), ("zoe", 1)]), here.partial_fit([("zoe", 0), ("zoe", 1)]))
    assert {opened.client.status for opened in connections} == {"closed"}


def test_a_clone_uses_the_same_executor(cluster: DaskCluster) -> None:
    for there in (cluster, cluster.client, "tcp://10.0.0.1:8786"):
        assert clone(small(executor=there)).executor is there
    assert deepcopy(cluster) is cluster


def test_files_pickles_and_copies_do_not_keep_the_executor(cluster: DaskCluster, address: str, tmp_path: Path) -> None:
    for there in (cluster, cluster.client, address):
        model = small(executor=there).fit(SMALL)
        model.save(tmp_path / "model.safetensors")
        for again in (load(tmp_path / "model.safetensors"), pickle.loads(pickle.dumps(model)), deepcopy(model)):
            assert isinstance(again, CommunityModel)
            assert again.executor is None
            np.testing.assert_array_equal(again.factors_.homophilous, model.factors_.homophilous)
        assert model.executor is there
        assert "executor=" in repr(model)


def test_the_connection_is_closed_when_a_fit_fails(address: str, connections: list[DaskCluster]) -> None:
    def failing(*given: Any) -> Any:
        raise ZeroDivisionError

    model = small(executor=address, start=failing)
    with pytest.raises(ZeroDivisionError):
        model.fit(SMALL)
    assert [opened.client.status for opened in connections] == ["closed"]
    assert isinstance(model.set_params(executor=None)._executor(), LocalThreads)


@pytest.mark.parametrize("place", [8786, LocalThreads, [1, 2]])
def test_an_object_without_map_is_refused(place: Any) -> None:
    with pytest.raises(InvalidParameterError, match=r"executor is .*; give a distributed\.Client, the address"):
        small(executor=place).fit(SMALL)


def test_outside_a_fit_an_address_is_connected_only_during_map(
    cluster: DaskCluster, address: str, connections: list[DaskCluster]
) -> None:
    assert list(as_executor(address).map(abs, [-1, 2])) == [1, 2]
    assert [opened.client.status for opened in connections] == ["closed"]
    with opened(cluster.client) as there:
        assert list(there.map(abs, [-3])) == [3]


def test_a_missing_cluster_is_an_error(distributed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setting, "DaskCluster", lambda address: DaskCluster(address, timeout=0.5))
    with pytest.raises(ClusterError, match=r"no scheduler answered at tcp://127\.0\.0\.1:1"):
        small(executor="tcp://127.0.0.1:1").fit(SMALL)


def sampled(executor: Any) -> CommunityModel:
    return CommunityModel(4, 2, penalty=1.0, solver=Adam(3), random_state=0, executor=executor)


def test_the_search_on_sampled_pairs_has_the_same_bits_on_any_number_of_workers(cluster: DaskCluster) -> None:
    one = sampled(Parts(1)).fit(GRAPH)
    same(sampled(Parts(3)).fit(GRAPH), one)
    same(sampled(cluster).fit(GRAPH), one)


def test_only_rows_that_moved_are_sent_between_rounds(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    scatter = cluster.client.scatter

    def counted(data: list[Any], **where: Any) -> Any:
        sent.extend(data)
        return scatter(data, **where)

    monkeypatch.setattr(cluster.client, "scatter", counted)
    objective = SampledPairsObjective(GRAPH, community_recipe(3, 2, Freedom.SHARED), executor=cluster)
    Adam(2).minimize(objective, np.ones((600, 7)), np.zeros(7), np.random.default_rng(0))
    kinds = [type(thing).__name__ for thing in sent]
    assert kinds[:4] == ["_ShardWork", "_ShardWork", "_Round", "_Change"]
    assert set(kinds[4:]) == {"_Change"}
    assert max(len(change.rows) for change in sent[3:]) <= 600 / 4


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_of_the_search_changes_nothing(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cluster.client.wait_for_workers(2, timeout=60)
    process = int(cluster.client.run(os.getpid)[next(iter(cluster.workers()))])
    gather, gathered = cluster.client.gather, []

    def killing_gather(future: Any) -> Any:
        gathered.append(future)
        if len(gathered) == 6:
            os.kill(process, signal.SIGKILL)
        return gather(future)

    monkeypatch.setattr(cluster.client, "gather", killing_gather)
    with caplog.at_level(logging.WARNING, logger="philia"):
        survived = sampled(cluster).fit(GRAPH)
    assert "a worker was lost" in caplog.text
    same(survived, sampled(Parts(1)).fit(GRAPH))
