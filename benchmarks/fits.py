"""Whole fits: precisions, solvers and starts on real graphs, against SciPy's L-BFGS-B in float64."""

from __future__ import annotations

import argparse
from typing import Any

from benchmarks.graphs import real_graph
from benchmarks.measuring import save
from philia import CommunityModel, Graph
from philia.objective import exact_objective

COLUMNS = {"ppi": (25, 25), "blog": (20, 20)}
PAPER: Any = {"background": "none", "include_diagonal": True}


def fit(graph: Graph, name: str, penalty: float, **settings: Any) -> dict[str, Any]:
    """One fit in figures; the value is evaluated again in float64 so that precisions compare alike."""
    k_B, k_C = COLUMNS[name]
    model = CommunityModel(k_B, k_C, penalty=penalty, random_state=0, **PAPER, **settings).fit(graph)
    F = model.factors_.readable().columns
    exact = CommunityModel(k_B, k_C, penalty=penalty, **PAPER)
    objective = exact_objective(graph, exact.recipe(), penalty=penalty)
    value, _ = objective.value_and_gradient(exact.recipe().point(F))
    row = {
        "graph": name, "penalty": penalty, **settings, "value": round(value, 1),
        "iterations": model.solution_.iterations,
        "evaluations": model.solution_.evaluations, "seconds": round(model.solution_.seconds, 1),
    }  # fmt: skip
    print(row, flush=True)
    return row


def run(graphs: list[str] | None = None, penalties: list[float] | None = None) -> None:
    """The paper's settings in both precisions, the faster solver, and both starts; a file of results a graph."""
    for name in graphs or ["ppi", "blog"]:
        graph = real_graph(name)
        if graph is None:
            print(f"{name} is not at hand; put it under $PHILIA_DATA")
            continue
        groups = [
            compare(graph, name, penalty, start)
            for penalty in penalties or [10.0, 0.0]
            for start in ("uniform", "spectral")
        ]
        save(f"fits_{name}", [row for group in groups for row in group])


def compare(graph: Graph, name: str, penalty: float, start: str) -> list[dict[str, Any]]:
    """Fits from one start, each against SciPy's L-BFGS-B in float64."""
    ways = [(solver, dtype) for solver in ("lbfgsb", "floor") for dtype in ("float64", "float32")]
    rows = [fit(graph, name, penalty, start=start, solver=solver, dtype=dtype) for solver, dtype in ways]
    for row in rows:
        row["value against the first"] = f"{row['value'] / rows[0]['value'] - 1:+.4%}"
        row["times faster"] = round(rows[0]["seconds"] / row["seconds"], 2)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", nargs="+", choices=sorted(COLUMNS))
    parser.add_argument("--penalties", nargs="+", type=float)
    run(**vars(parser.parse_args()))
