"""One exact evaluation on graphs of up to 100,000 nodes with 40 columns: does it ever fall into a slow mode?

A prototype once took 11 and once 30 seconds for the same evaluation of 100,000 nodes. Here each size is evaluated
several times, in turns, and the times are held against n² k: a slow mode would show as spread, or as a constant that
grows.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.graphs import random_graph
from benchmarks.measuring import save
from philia import CommunityModel
from philia._types import Float64Array
from philia.execution import one_blas_thread
from philia.objective import AllPairsObjective

K = 40
SIZES = (25_000, 50_000, 100_000)


def run(rounds: int = 3) -> None:
    """Both precisions, all sizes, in turns."""
    recipe = CommunityModel(K // 2, K // 2, background="none").recipe()
    rng = np.random.default_rng(0)
    found: dict[tuple[int, str], tuple[AllPairsObjective, Float64Array, list[float]]] = {}
    for n in SIZES:
        graph, point = random_graph(n, 10 * n), rng.uniform(0, 0.2, n * K)
        for dtype in ("float32", "float64"):
            found[n, dtype] = AllPairsObjective(graph, recipe, penalty=10.0, dtype=dtype), point, []
    with one_blas_thread():
        for turn in range(rounds + 1):
            for (n, dtype), (objective, point, times) in found.items():
                began = time.perf_counter()
                objective.value_and_gradient(point)
                times.append(time.perf_counter() - began)
                print(turn, n, dtype, round(times[-1], 2), flush=True)
    save("large_evaluation", [
        {
            "nodes": n, "k": K, "precision": dtype, "shortest, s": round(min(times[1:]), 2),
            "median, s": round(float(np.median(times[1:])), 2), "longest, s": round(max(times[1:]), 2),
            "median, nanoseconds per pair and column": round(1e9 * float(np.median(times[1:])) / (n * n * K), 4),
        }
        for (n, dtype), (_, _, times) in found.items()
    ])  # fmt: skip


if __name__ == "__main__":
    run()
