from __future__ import annotations

import logging
import os
import signal
import socket
import ssl
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import CancelledError
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia._types import Float64Array
from philia.exceptions import ClusterError, InvalidParameterError, MissingDependencyError
from philia.execution import LocalThreads
from philia.execution.cluster import DaskCluster
from philia.execution.executor import CachingExecutor
from philia.objective import AllPairsObjective, Freedom, NoisyOr, Recipe
from philia.objective.all_pairs import _LaneWork, exact_objective
from philia.objective.kernels import reference
from philia.objective.kernels.kernel import cut
from philia.pairs import RandomPairs
from philia.solvers import as_solver, shortened
from tests.strategies import community_recipe, logistic_recipe, random_graph, recipes, weighed

N = 1000
GRAPH = random_graph(N, 0.02, seed=2)


def in_this_process(distributed: Any, workers: int) -> Any:
    here = {"host": "127.0.0.1", "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=False, **here)


def point_of(recipe: Recipe) -> Float64Array:
    return np.random.default_rng(0).random(recipe.size(N))


@given(recipes(), st.lists(st.integers(0, 15), max_size=4), st.booleans())
def test_parts_of_the_lanes_add_up_to_all_of_them_in_every_bit(recipe: Recipe, at: list[int], diagonal: bool) -> None:
    graph = random_graph(60, 0.2, seed=len(at))
    objective = AllPairsObjective(graph, recipe, diagonal=diagonal, kernel=reference)
    lanes = cut(60, objective.links, symmetric=recipe.symmetric, tile=9)
    work = _LaneWork(recipe, lanes, objective.links, 2, objective.omitted, objective.dtype, reference)
    F, here = np.random.default_rng(1).random((60, recipe.mixing.shape[0])), LocalThreads(1)
    whole = work.added(None, work.pieces(F, here))
    total = None
    cuts = sorted({0, *(lane for lane in at if lane < len(work)), len(work)})
    for first, end in pairwise(cuts):
        part = work.part(first, end)
        assert part.links.nnz == sum(objective.links[slice(*lane.link_rows)].nnz for lane in part.lanes)
        total = part.added(total, part.pieces(F, here))
    assert total is not None
    assert total.value == whole.value
    np.testing.assert_array_equal(total.left, whole.left)
    np.testing.assert_array_equal(total.right, whole.right)


@pytest.mark.parametrize(
    ("recipe", "settings"),
    [
        (community_recipe(6, 5, Freedom.EVERY_NODE), {"penalty": 1.0}),
        (community_recipe(6, 5), {"dtype": "float32", "held_out": RandomPairs(0.1, seed=3)}),
        (community_recipe(4, 3), {"kernel": reference, "diagonal": False}),
        (logistic_recipe(5), {}),
        (community_recipe(7, 0, None, NoisyOr()), {}),
    ],
)
@pytest.mark.parametrize("weights", [False, True])
def test_two_processes_give_the_bits_of_one(
    cluster: DaskCluster, recipe: Recipe, settings: dict[str, Any], weights: bool
) -> None:
    graph, point = weighed(GRAPH, seed=1) if weights else GRAPH, point_of(recipe)
    here = exact_objective(graph, recipe, **settings).value_and_gradient(point)
    there = exact_objective(graph, recipe, executor=cluster, **settings).value_and_gradient(point)
    assert there[0] == here[0]
    np.testing.assert_array_equal(there[1], here[1])


def test_a_graph_of_one_lane_and_a_graph_without_links_work(cluster: DaskCluster) -> None:
    recipe = community_recipe(2, 1)
    for n, density in ((1, 0.0), (40, 0.3), (700, 0.0)):
        graph, point = random_graph(n, density, seed=0), np.full(recipe.size(n), 0.5)
        here = AllPairsObjective(graph, recipe).value_and_gradient(point)
        assert AllPairsObjective(graph, recipe, executor=cluster).value_and_gradient(point)[0] == here[0]


def test_only_the_factors_are_sent_after_the_first_evaluation(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(cluster, CachingExecutor)
    recipe, sent, scatter = community_recipe(3, 2), [], cluster.client.scatter

    def counted(data: list[Any], **where: Any) -> Any:
        sent.append(type(data[0]).__name__)
        return scatter(data, **where)

    monkeypatch.setattr(cluster.client, "scatter", counted)
    objective = AllPairsObjective(GRAPH, recipe, executor=cluster)
    for _ in range(3):
        objective.value_and_gradient(point_of(recipe))
    assert sent == ["_LaneWork", "_LaneWork", "ndarray", "ndarray", "ndarray"]


@pytest.mark.parametrize("victim", [0, 1])  # the first is sent F, the last has the total
def test_a_worker_killed_in_the_middle_of_a_fit_changes_nothing(
    cluster: DaskCluster, victim: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cluster.client.wait_for_workers(2, timeout=60)
    recipe = community_recipe(3, 2)
    solver, lower = shortened(as_solver("lbfgsb"), 12), recipe.lower_bounds(N)
    fitted = solver.minimize(AllPairsObjective(GRAPH, recipe).value_and_gradient, point_of(recipe), lower)

    process, gather, gathered = process_of(cluster, victim), cluster.client.gather, []

    def killing_gather(future: Any) -> Any:
        gathered.append(future)
        if len(gathered) == 5:  # all tasks of the fifth evaluation are on their way, none has been fetched
            os.kill(process, signal.SIGKILL)
        return gather(future)

    monkeypatch.setattr(cluster.client, "gather", killing_gather)
    objective = AllPairsObjective(GRAPH, recipe, executor=cluster)
    with caplog.at_level(logging.WARNING, logger="philia"):
        survived = solver.minimize(objective.value_and_gradient, point_of(recipe), lower)
    assert "a worker was lost" in caplog.text
    assert survived.value == fitted.value
    np.testing.assert_array_equal(survived.point, fitted.point)


def process_of(cluster: DaskCluster, victim: int) -> int:
    return int(cluster.client.run(os.getpid)[list(cluster.workers())[victim]])


def test_map_keeps_the_order_and_passes_errors_on(cluster: DaskCluster) -> None:
    assert list(cluster.map(abs, iter([-3, 2, -1]))) == [3, 2, 1]
    assert list(cluster.map(abs, [])) == []
    with pytest.raises(ZeroDivisionError):
        list(cluster.map(lambda x: 1 / x, [1, 0]))


def test_ctrl_c_is_left_to_the_process_that_started_the_workers(cluster: DaskCluster) -> None:
    handlers = cluster.client.run(lambda: signal.getsignal(signal.SIGINT))
    assert set(handlers.values()) == {signal.SIG_IGN}


def test_a_local_cluster_cannot_be_reached_without_its_certificate(cluster: DaskCluster, distributed: Any) -> None:
    cluster.client.wait_for_workers(2, timeout=60)
    workers, scheduler = list(cluster.workers()), cluster.client.scheduler.address
    for there in (scheduler, *workers):
        assert there.startswith("tls://127.0.0.1:")
    for protocol, security in (("tcp", None), ("tls", distributed.Security.temporary())):
        with pytest.raises(OSError, match=r"tcp|tls"):
            distributed.Client(scheduler.replace("tls", protocol), timeout=1, security=security)
    for there in (scheduler, *workers):
        with pytest.raises(ssl.SSLError, match=r"(?i)certificate|alert|eof"):
            _answer_without_a_certificate(int(there.rpartition(":")[2]))


def _answer_without_a_certificate(port: int) -> bytes:
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", port), timeout=10) as plain,
        trusting.wrap_socket(plain) as encrypted,
    ):
        return encrypted.recv(1)  # with TLS 1.3 the refusal comes after the handshake


def test_the_web_servers_of_a_local_cluster_have_no_pages(cluster: DaskCluster) -> None:
    cluster.client.wait_for_workers(2, timeout=60)  # an earlier test may have killed one
    shown = cluster.client.scheduler_info()
    ports = [shown["services"]["dashboard"], *(worker["services"]["dashboard"] for worker in shown["workers"].values())]
    assert len(ports) == 3
    for port in ports:
        for page in ("health", "info/main/workers.html", "status", "json/counts.json", "metrics"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=10)


def test_without_cryptography_a_warning_says_what_is_open(
    distributed: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with caplog.at_level(logging.WARNING, logger="philia"), DaskCluster.local(1, threads=1) as opened:
        assert list(opened.map(abs, [-1])) == [1]
    assert "every user of this machine can run programs as you" in caplog.text


def test_work_that_keeps_losing_workers_is_given_up(cluster: DaskCluster) -> None:
    tries = []

    def lost() -> None:
        tries.append(1)
        raise CancelledError

    with pytest.raises(ClusterError, match="a worker was lost 5 times in a row"):
        cluster.in_spite_of_losses(lost)
    assert len(tries) == 5


def test_a_client_stays_open_and_an_address_is_enough(cluster: DaskCluster, address: str) -> None:
    with DaskCluster(cluster.client) as same:
        assert same.workers() == cluster.workers()
    assert cluster.client.status == "running"
    with DaskCluster(address) as another:
        assert list(another.map(abs, [-1])) == [1]
    assert another.client.status == "closed"


def test_without_dask_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'philia\[dask\]'"):
        DaskCluster("tcp://127.0.0.1:1")
    with pytest.raises(MissingDependencyError, match=r"pip install 'philia\[dask\]'"):
        DaskCluster.local()


def test_an_unreachable_scheduler_is_an_error_after_the_timeout(distributed: Any) -> None:
    with pytest.raises(ClusterError, match=r"no scheduler answered at tcp://127\.0\.0\.1:1 within 0\.5 seconds"):
        DaskCluster("tcp://127.0.0.1:1", timeout=0.5)


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        (lambda: DaskCluster("http://somewhere:80"), "'http://somewhere:80' is not the address of a scheduler"),
        (lambda: DaskCluster(8786), "found 8786 where the address of a scheduler"),
        (lambda: DaskCluster.local(0), "a cluster of 0 workers was asked for"),
    ],
)
def test_anything_but_a_cluster_is_refused(distributed: Any, begin: Callable[[], DaskCluster], said: str) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        begin()


def test_a_scheduler_without_workers_is_an_error_after_the_timeout(distributed: Any) -> None:
    with (
        in_this_process(distributed, 0) as empty,
        pytest.raises(ClusterError, match=r"had no worker for 0\.5 seconds; start some with `dask worker tcp://"),
    ):
        DaskCluster(empty.scheduler_address, timeout=0.5)


def test_workers_that_cannot_start_are_an_error_after_the_timeout(distributed: Any) -> None:
    with (
        pytest.importorskip("dask").config.set({"distributed.worker.preload": ["a_module_that_is_not_there"]}),
        pytest.raises(ClusterError, match="0 of 1 workers started within 4 seconds"),
    ):
        DaskCluster.local(1, threads=1, timeout=4)


def test_workers_with_other_versions_are_refused(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch, distributed: Any
) -> None:
    monkeypatch.setattr(f"{distributed.__name__}.versions._version_cached", lambda package: "0.0.1")
    with pytest.raises(ClusterError, match=r"workers run other versions than this program: .*0\.0\.1 here.*more\."):
        DaskCluster(cluster.client)


def test_a_lost_scheduler_is_an_error(distributed: Any) -> None:
    with in_this_process(distributed, 1) as short, DaskCluster(short.scheduler_address, timeout=0.5) as left_alone:
        short.close()
        with pytest.raises(ClusterError, match="no longer answers"):
            left_alone.workers()


def test_a_closed_connection_is_an_error_and_a_closed_client_is_refused(distributed: Any) -> None:
    with in_this_process(distributed, 1) as open_still:
        with DaskCluster(open_still.scheduler_address) as ended:
            pass
        with pytest.raises(ClusterError, match=r"the connection to the scheduler at .* is closed"):
            ended.workers()
        with pytest.raises(InvalidParameterError, match="found <Client: No scheduler connected> where"):
            DaskCluster(ended.client)
