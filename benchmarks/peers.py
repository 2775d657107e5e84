"""Models beside public programs of the same method: what they reach and how long they take, in one run."""

from __future__ import annotations

import contextlib
import io
import json
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import RESULTS, save
from philia import SVD, BigClam, Graph, SymNMF
from philia._types import Float64Array
from philia.datasets import load
from philia.exceptions import PhiliaError

GRAPHS = ("football", "amazon", "email", "ppi")
SEEDS = (0, 1, 2)
RATES = (5e-3, 5e-4, 5e-5)
"""cdlib's default learning rate, and lower ones."""


def run(names: Sequence[str] = ()) -> None:
    """Every graph that is at hand; a program that takes minutes gets one seed only.

    With names, such as ``symnmf``, only these comparisons are run, and take the places of their rows.
    """
    os.environ.setdefault("PHILIA_DATA", str(Path(__file__).parents[2] / "shared" / "data"))
    BigClam(2, random_state=0).fit([(0, 1)] + [(i, i + 1) for i in range(600)])  # compiled before any clock runs
    SymNMF(2, random_state=0).fit([(0, 1)])
    every = {"bigclam": bigclam, "symnmf": symnmf, "svd": svd}
    file = RESULTS / "peers.json"
    rows = json.loads(file.read_text())["result"] if names else []
    for name in GRAPHS:
        try:
            data = load(name)
        except PhiliaError as error:
            print(error)
            continue
        k = len(data.communities)
        for compare in [every[one] for one in names] or every.values():
            row = {"graph": name, "k": k, **compare(data.graph, k)}
            same = [at for at, old in enumerate(rows) if (old["graph"], old["what"]) == (name, row["what"])]
            at = same[0] if same else len(rows)
            rows[at : at + 1] = [row]
            print(row, flush=True)
    save("peers", rows)


def bigclam(graph: Graph, k: int) -> dict[str, Any]:
    """The log-likelihood of all pairs, each once: ours, and cdlib's at the best of its learning rates.

    At its default rate, the first, it diverges on some graphs; its time is that of one rate.
    """
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        from cdlib.algorithms.internal import BIGCLAM
    A = graph.adjacency.toarray().astype(float)

    def theirs(seed: int, rate: float) -> Float64Array:
        np.random.seed(seed)  # noqa: NPY002  (cdlib draws from the global state)
        with np.errstate(over="ignore"):
            return np.asarray(BIGCLAM.get_embeddings(A, k, learning_rate=rate))

    def ours(seed: int) -> Float64Array:
        return BigClam(k, include_diagonal=False, random_state=seed).fit(graph).factors_.homophilous

    few, rates = (SEEDS, RATES) if graph.n_nodes < 900 else (SEEDS[:1], RATES[1:])  # it takes minutes there
    value = partial(likelihood, graph)
    rows = [
        measured("BigClam, log-likelihood", value, ours, partial(theirs, rate=rate), f"cdlib, rate {rate:g}", few)
        for rate in rates
    ]
    return max(rows, key=lambda row: float(row["theirs"]))


def symnmf(graph: Graph, k: int) -> dict[str, Any]:
    """The squared error of H Hᵀ: ours, and scikit-learn's NMF, whose W H has twice the numbers, made symmetric."""
    from sklearn.decomposition import NMF

    A = graph.adjacency.toarray().astype(float)

    def theirs(seed: int) -> Float64Array:
        nmf = NMF(k, init="nndsvdar", max_iter=200, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            W = nmf.fit_transform(graph.adjacency.astype(float).tocsr())
        return np.asarray((W + nmf.components_.T) / 2)

    def ours(seed: int) -> Float64Array:
        return SymNMF(k, random_state=seed).fit(graph).factors_.homophilous

    return measured(
        "SymNMF, squared error", lambda F: float(((A - F @ F.T) ** 2).sum()), ours, theirs, "scikit-learn NMF"
    )


def svd(graph: Graph, k: int) -> dict[str, Any]:
    """The squared error at the same rank."""
    from sklearn.decomposition import TruncatedSVD

    A = graph.adjacency.toarray().astype(float)
    sparse = graph.adjacency.astype(float).tocsr()

    def theirs(seed: int) -> Float64Array:
        found = TruncatedSVD(k, algorithm="arpack", random_state=seed)
        return np.asarray(found.fit_transform(sparse) @ found.components_)

    def ours(seed: int) -> Float64Array:
        return SVD(k, random_state=seed).fit(graph).factors_.score_block(slice(None), slice(None))

    return measured("SVD, squared error", lambda S: float(((A - S) ** 2).sum()), ours, theirs, "scikit-learn")


def measured(
    what: str,
    value: Callable[[Float64Array], float],
    ours: Callable[[int], Float64Array],
    theirs: Callable[[int], Float64Array],
    peer: str,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Median value and time over seeds, both programs in turns."""
    values: dict[str, list[float]] = {"ours": [], "theirs": []}
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for seed in seeds:
        for name, fit in (("ours", ours), ("theirs", theirs)):
            began = time.perf_counter()
            factors = fit(seed)
            times[name].append(time.perf_counter() - began)
            values[name].append(value(factors))
    middle = {name: statistics.median(found) for name, found in values.items()}
    seconds = {name: statistics.median(found) for name, found in times.items()}
    return {
        "what": what,
        "ours": round(middle["ours"], 1),
        "peer": peer,
        "theirs": round(middle["theirs"], 1),
        "our seconds": round(seconds["ours"], 2),
        "their seconds": round(seconds["theirs"], 2),
        "times faster": round(seconds["theirs"] / seconds["ours"], 1),
    }


def likelihood(graph: Graph, F: Float64Array) -> float:
    """BigClam's log-likelihood of all pairs of different nodes, each once."""
    S = F @ F.T
    rows, columns = graph.links
    links = S[rows, columns]
    missing = (S.sum() - np.trace(S)) / 2 - links.sum()
    return float(np.log(-np.expm1(-np.maximum(links, 1e-12))).sum() - missing)


if __name__ == "__main__":
    run(sys.argv[1:])
