"""Sampled pairs against all pairs: the loss that each search reaches, and on BlogCatalog the time it takes.

The mark is the paper's: SciPy's L-BFGS-B, 200 iterations, float64, from the paper's random start, on the paper's
objective. Beside it Adam on sampled pairs with nothing hidden, from the default start, on the same objective; its loss
is evaluated on all pairs afterwards. Losses are the same on every machine; times are compared within one run only.

    python -m benchmarks.stochastic losses    # five networks, two penalties, three seeds; goes on where it stopped
    python -m benchmarks.stochastic times     # BlogCatalog: both searches, and the dense reference, in turns
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.dense_torch import FORMS, DenseTorch
from benchmarks.measuring import RESULTS, save, seconds
from experiments.data import dataset, split_by_signs
from philia import CommunityModel, Graph
from philia.objective import exact_objective
from philia.solvers import LBFGSB, Adam, AnySolver

NETWORKS = ("amazon", "youtube", "ppi", "pos", "blog")
PENALTIES = (10.0, 0.0)
SEEDS = (0, 1, 2)
LOSSES = RESULTS / "stochastic_losses.jsonl"
WAYS: dict[str, tuple[str, AnySolver]] = {
    "all pairs": ("uniform", LBFGSB()),
    "sampled pairs": ("spectral", Adam(hidden=0.0)),
}


def model(name: str, way: str, penalty: float, seed: int) -> tuple[Graph, CommunityModel]:
    """The paper's model of a network, to be searched for in one of the two ways."""
    data = dataset(name)
    start, solver = WAYS[way]
    split = split_by_signs(data.graph, len(data.communities))
    unfitted = CommunityModel(
        *split,
        penalty=penalty,
        background="none",
        include_diagonal=True,
        start=start,
        solver=solver,
        random_state=seed,
    )
    return data.graph, unfitted


def fitted(name: str, way: str, penalty: float, seed: int) -> dict[str, Any]:
    """One fit in figures; the loss is that of all pairs."""
    graph, unfitted = model(name, way, penalty, seed)
    began, computing = time.perf_counter(), time.process_time()
    found = unfitted.fit(graph)
    took, computed = time.perf_counter() - began, time.process_time() - computing
    loss, _ = exact_objective(graph, found.recipe(), penalty=penalty).value_and_gradient(
        found.recipe().point(found.solution_.point)
    )
    return {
        "network": name, "way": way, "penalty": penalty, "seed": seed, "loss": loss,
        "columns": [found.n_homophilous, found.n_heterophilous], "iterations": found.solution_.iterations,
        "seconds": round(took, 2), "seconds of processors": round(computed, 2),
    }  # fmt: skip


def kept() -> list[dict[str, Any]]:
    """The fits that were made before."""
    return [json.loads(line) for line in LOSSES.read_text().splitlines()] if LOSSES.exists() else []


def losses(networks: tuple[str, ...] = NETWORKS) -> None:
    """All fits that are not in the file yet, and what they come to."""
    done = {(row["network"], row["way"], row["penalty"], row["seed"]) for row in kept()}
    wanted = [(n, way, p, seed) for n in networks for seed in SEEDS for p in PENALTIES for way in WAYS]
    for task in wanted:
        if task not in done:
            row = fitted(*task)
            print(row, flush=True)
            with LOSSES.open("a") as file:
                file.write(json.dumps(row) + "\n")
    save("stochastic_losses", list(compared()))


def compared() -> Iterator[dict[str, Any]]:
    """Each fit on sampled pairs against the one on all pairs with the same seed."""
    rows = {(row["network"], row["penalty"], row["seed"], row["way"]): row for row in kept()}
    for (network, penalty, seed, way), row in sorted(rows.items()):
        mark = rows.get((network, penalty, seed, "all pairs"))
        if way == "sampled pairs" and mark is not None:
            yield {
                "network": network, "penalty": penalty, "seed": seed, "columns": row["columns"],
                "loss on all pairs": round(mark["loss"], 1), "loss on sampled pairs": round(row["loss"], 1),
                "against it": f"{row['loss'] / mark['loss'] - 1:+.2%}",
            }  # fmt: skip


def times(rounds: int = 3) -> None:
    """BlogCatalog with penalty 10: both searches in turns, and evaluations of the dense reference after them."""
    for way in WAYS:
        graph, unfitted = model("blog", way, 10.0, 0)
        unfitted.set_params(solver=LBFGSB(1) if way == "all pairs" else Adam(1)).fit(graph)  # compiled, and warm
    found: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    for turn in range(rounds):
        for way, rows in found.items():
            rows.append(fitted("blog", way, 10.0, turn))
            print(rows[-1], flush=True)
    middle = {way: float(np.median([row["seconds"] for row in rows])) for way, rows in found.items()}
    result: dict[str, Any] = {**found, **{f"seconds, {way}": round(took, 1) for way, took in middle.items()}}
    result["times faster than on all pairs"] = round(middle["all pairs"] / middle["sampled pairs"], 1)
    for form in FORMS:
        took = dense_evaluation(graph, found["all pairs"][-1]["columns"], form)
        result[f"seconds of an evaluation, dense, {form}"] = round(took, 1)
        times_faster = EVALUATIONS * took / middle["sampled pairs"]
        result[f"times faster than {EVALUATIONS} of them, {form}"] = round(times_faster)
        print(result, flush=True)
    save("stochastic_times", result)


EVALUATIONS = 205
"""As many as L-BFGS-B asks for in 200 iterations here."""


def dense_evaluation(graph: Graph, columns: list[int], form: str) -> float:
    """The seconds that one evaluation with n × n tensors takes in float64, the second of two."""
    rng = np.random.default_rng(0)
    B, C = (rng.uniform(0, 0.2, (graph.n_nodes, k)) for k in columns)
    reference = DenseTorch(graph, "float64", form)
    reference.value_and_gradient(B, C, 10.0)
    return seconds(lambda: reference.value_and_gradient(B, C, 10.0))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["losses", "times"])
    parser.add_argument("--networks", nargs="+", default=NETWORKS, choices=NETWORKS)
    asked = parser.parse_args()
    if asked.what == "losses":
        losses(tuple(asked.networks))
    else:
        times()
