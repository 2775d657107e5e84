"""One exact evaluation of value and gradient, beside dense PyTorch and beside what the machine can do at best.

The limit is what the flops of the three products would take at the speed of large matrix products, plus the entrywise
part alone, on as many threads.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.dense_torch import FORMS, DenseTorch
from benchmarks.graphs import blog_or_twin, random_graph
from benchmarks.measuring import medians, on_threads, peak_memory, save
from philia import CommunityModel, Graph
from philia._compilation import specialized
from philia.execution import LocalThreads, one_blas_thread
from philia.objective import AllPairsObjective, CrossEntropy

THREADS = LocalThreads().threads
LARGEST_DENSE = 4_000
"""Beyond this, and beside blog, PyTorch's dense matrices would take most of the time of the benchmark."""


tuned_row = CrossEntropy.tuned_row


def _all_rows(scores: Any) -> float:
    total = 0.0
    for i in range(scores.shape[0]):
        total += tuned_row(scores[i])
    return total


_entries = specialized(_all_rows, tuned_row=tuned_row)
"""The entrywise part of the compiled kernel, alone."""


_ROUNDS = 200
"""Entrywise passes over a tile: enough that starting the threads takes no part of their time."""


def actions(
    graph: Graph, k: int, dtype: str, *, beside_torch: bool
) -> tuple[dict[str, Callable[[], object]], dict[str, float]]:
    """What is timed: our evaluation, the two parts of the limit, and PyTorch; and how often the limit has each part."""
    n, k_B = graph.n_nodes, k - k // 2
    rng = np.random.default_rng(0)
    B, C = rng.uniform(0, k_B**-0.5, (n, k_B)), rng.uniform(0, max(1, k // 2) ** -0.5, (n, k // 2))
    recipe = CommunityModel(k_B, k // 2, background="none").recipe()
    objective = AllPairsObjective(graph, recipe, penalty=10.0, dtype=dtype)
    point = recipe.point(np.hstack([B, C]))
    square = rng.standard_normal((768, 768)).astype(dtype)
    entries = rng.standard_normal((32, 384)).astype(dtype)

    def product() -> None:
        for _ in range(6):
            np.dot(square, square)

    def entrywise() -> None:
        own = entries.copy()
        for _ in range(_ROUNDS):
            _entries(own)

    timed: dict[str, Callable[[], object]] = {
        "philia": lambda: objective.value_and_gradient(point),
        "product": on_threads(product, THREADS),
        "entrywise": on_threads(entrywise, THREADS),
    }
    if importlib.util.find_spec("torch") and beside_torch:
        for form in FORMS:
            dense = DenseTorch(graph, dtype, form)
            timed[f"torch, {form}"] = lambda dense=dense: dense.value_and_gradient(B, C, 10.0)  # type: ignore[misc]
            _check(objective.value_and_gradient(point), dense.value_and_gradient(B, C, 10.0), recipe.point, dtype)
    pairs = n * n / 2 / THREADS
    return timed, {"product": pairs * k / 768**3 / 2, "entrywise": pairs / _ROUNDS / entries.size}


def _check(ours: Any, theirs: Any, as_point: Callable[[Any], Any], dtype: str) -> None:
    close = 1e-9 if dtype == "float64" else 1e-4
    assert abs(ours[0] / theirs[0] - 1) < close
    assert np.abs(ours[1] - as_point(theirs[1])).max() < close * np.abs(ours[1]).max() * 10


def measure(name: str, graph: Graph, k: int, dtype: str, repeats: int = 5) -> dict[str, Any]:
    """The ratios for one graph, width and precision."""
    timed, limits = actions(graph, k, dtype, beside_torch=name != "random" or graph.n_nodes <= LARGEST_DENSE)
    dense = {name: timed.pop(name) for name in list(timed) if name.startswith("torch")}
    with one_blas_thread():
        times = medians(timed, repeats)
    times |= medians({"philia, again": timed["philia"], **dense}, max(3, repeats // 2))
    limit = sum(times[part] * share for part, share in limits.items())
    row: dict[str, Any] = {
        "graph": name, "n": graph.n_nodes, "k": k, "dtype": dtype,
        "milliseconds": round(times["philia"] * 1e3, 1), "limit": round(limit * 1e3, 1),
        "times the limit": round(times["philia"] / limit, 2),
    }  # fmt: skip
    for name in dense:
        row[f"{name}: milliseconds"] = round(times[name] * 1e3)
        row[f"times faster than {name}"] = round(times[name] / times["philia, again"], 1)
    print(row, flush=True)
    return row


def run() -> None:
    """The table."""
    name, blog = blog_or_twin()
    rows = [measure(name, blog, 40, dtype) for dtype in ("float64", "float32")]
    for n, links in ((794, 2_109), (3_890, 37_845), (10_312, 333_983), (30_000, 500_000)):
        graph = random_graph(n, links)
        rows += [measure("random", graph, k, dtype) for k in (5, 40, 64) for dtype in ("float64", "float32")]
    memory = peak_memory(
        "import numpy as np\nfrom benchmarks.graphs import blog_or_twin\nfrom philia import CommunityModel\n"
        "from philia.objective import AllPairsObjective\ng = blog_or_twin()[1]\n"
        "r = CommunityModel(20, 20, background='none').recipe()\n"
        "o = AllPairsObjective(g, r, penalty=10.0); p = np.full(r.size(g.n_nodes), 0.1)\n"
        "[o.value_and_gradient(p) for _ in range(3)]"
    )
    save(
        "evaluation",
        {"rows": rows, "peak memory of one evaluation at blog's size, GB, imports included": round(memory, 3)},
    )


if __name__ == "__main__":
    run()
