"""An exact evaluation, and an epoch of the stochastic search, on processes beside threads: time, and bytes sent.

All of it runs on one machine, so what is compared is the cost of sending, not the gain of more machines. Bytes are
those that crossed the loopback interface, less what crossed it in as long a pause; anybody else's are among them.
Processor time is that of all processes that take part, and changes less than the time when others use the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.graphs import blog_or_twin
from benchmarks.measuring import medians, save, seconds
from philia import CommunityModel, Graph
from philia._types import FloatArray
from philia.execution import Executor, LocalThreads
from philia.execution.cluster import DaskCluster
from philia.objective import AllPairsObjective, SampledPairsObjective

K = 40
ROUNDS = 3


def sent() -> int:
    """The bytes that the loopback interface has sent since the machine started."""
    line = next(line for line in Path("/proc/net/dev").read_text().splitlines() if line.lstrip().startswith("lo:"))
    return int(line.split(":")[1].split()[8])


def traffic(action: Callable[[], object]) -> float:
    """Bytes on the loopback interface for one round of the action, without those of a pause of the same length."""
    action()
    before = sent()
    took = seconds(lambda: [action() for _ in range(ROUNDS)])
    during = sent() - before
    time.sleep(took)
    return max(0.0, (2 * during - (sent() - before)) / ROUNDS)


def processor_time(place: Executor) -> float:
    """The seconds that this process, and the workers if there are any, have computed since they started."""
    elsewhere = place.client.run(time.process_time).values() if isinstance(place, DaskCluster) else ()
    return time.process_time() + sum(elsewhere)


def evaluations(graph: Graph, dtype: str, places: dict[str, Executor]) -> dict[str, Callable[[], Any]]:
    """The same exact evaluation at each place; the results must be the same in every bit."""
    recipe = CommunityModel(K // 2, K // 2, background="none")._recipe()
    point = np.random.default_rng(0).uniform(0, 0.2, recipe.size(graph.n_nodes))
    objectives = {
        name: AllPairsObjective(graph, recipe, penalty=10.0, dtype=dtype, executor=place)
        for name, place in places.items()
    }
    value, gradient = objectives["1 thread"].value_and_gradient(point)
    for objective in objectives.values():
        other = objective.value_and_gradient(point)
        assert other[0] == value
        np.testing.assert_array_equal(other[1], gradient)
    return {name: lambda o=o: o.value_and_gradient(point) for name, o in objectives.items()}  # type: ignore[misc]


def epochs(graph: Graph, places: dict[str, Executor]) -> dict[str, Callable[[], Any]]:
    """An epoch of the stochastic search at each place: every row is moved once."""
    recipe = CommunityModel(K // 2, K // 2, background="none")._recipe()
    start = np.random.default_rng(0).uniform(0, 0.2, (graph.n_nodes, K)).astype(np.float32)

    def epoch(objective: SampledPairsObjective, F: FloatArray) -> None:
        rng = np.random.default_rng(0)
        for rows in objective.blocks:
            F[rows] -= 1e-6 * objective.by_rows(F, rows, rng)[1]

    return {
        name: partial(epoch, SampledPairsObjective(graph, recipe, penalty=10.0, executor=place), start.copy())
        for name, place in places.items()
    }


def measure(
    facts: dict[str, Any], unit: int, actions: dict[str, Callable[[], Any]], places: dict[str, Executor]
) -> list[dict[str, Any]]:
    """Time and traffic of an action at each place, traffic also in units of so many bytes."""
    times = medians(actions, ROUNDS)
    rows = []
    for place, action in actions.items():
        before = processor_time(places[place])
        on_wire = traffic(action)
        computed = (processor_time(places[place]) - before) / (ROUNDS + 1)
        row = {
            **facts,
            "place": place,
            "milliseconds": round(times[place] * 1e3, 1),
            "milliseconds of processors": round(computed * 1e3, 1),
            "MB on the wire": round(on_wire / 1e6, 2),
            f"times n k {unit} bytes": round(on_wire / (facts["n"] * K * unit), 2),
        }
        print(row, flush=True)
        rows.append(row)
    return rows


def run() -> None:
    """Both tables."""
    name, graph = blog_or_twin()
    with ExitStack() as closing:
        places: dict[str, Executor] = {"1 thread": LocalThreads(1), "2 threads": LocalThreads(2)}
        for workers in (1, 2):
            cluster = closing.enter_context(DaskCluster.local(workers, threads=1))
            places[f"{workers} process{'es' * (workers > 1)}"] = cluster
        through = closing.enter_context(DaskCluster(cluster.client.scheduler.address))
        places["2 processes, through the scheduler"] = through
        facts = {"graph": name, "n": graph.n_nodes, "k": K}
        save("cluster_epochs", measure(facts, 4, epochs(graph, places), places))
        rows = []
        for dtype in ("float64", "float32"):
            rows += measure({**facts, "dtype": dtype}, 8, evaluations(graph, dtype, places), places)
        save("cluster", rows)


if __name__ == "__main__":
    run()
