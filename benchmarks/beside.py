"""Dense columns beside a sparse model: whether pairs that neither has seen are predicted better with them.

    python -m benchmarks.beside wiki2405 citeseer email sides broad

A tenth of all pairs, linked or not, is hidden from everything that is fitted, and all of them are judged; a link is
one of few, so average precision is higher than where only links are hidden. Beside the sparse model there are a dense
model of its own and the sum of the odds of both, and then one model of both kinds of columns: what the sparse one says
of pairs that share something stays as it is, and the odds of a pair that shares nothing, which are added to it, get a
few dense columns and a popularity of every node, fitted to all pairs that are not hidden. The popularity alone is
fitted as well, since columns could stand in for it.

``sides`` and ``broad`` are generated: 100 overlapping cliques among 2,000 nodes, and links that run mostly between two
sides, or mostly inside four broad groups. There, the true groups with the best weight for the judged pairs say what
there is to find at most.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.linalg import eigsh
from scipy.special import expit

from benchmarks.measuring import RESULTS
from philia import CommunityModel, Graph, read_graph
from philia._types import BoolArray, Float64Array, FloatArray, Int64Array
from philia.datasets import overlapping_cliques
from philia.graphs import Nodes
from philia.pairs import RandomPairs, seen
from philia.pairs.sample import weighted_order

_FILES = {
    "wiki2405": "labelled/wiki2405.tsv",
    "citeseer": "labelled/planetoid_citeseer.tsv",
    "lastfm": "labelled/musae_lastfm.tsv",
    "email": "extra/email-Eu-core/eu-core.edges",
}
_HIDDEN, _ITERATIONS, _ROWS = 0.1, 40, 512
_COUNTS = {"popularity alone": (0, 0, 0.0), "2 repelling": (0, 2, 0.3), "4 broad": (4, 0, 1.0)}
"""Numbers of columns, and their penalty: with 3 all of them vanish."""


def generated(kind: str, seed: int, n: int = 2000) -> tuple[Graph, Int64Array]:
    """Overlapping cliques, six links per node that mostly join or mostly stay inside groups, and the groups."""
    cliques = overlapping_cliques(n, n // 20, outside=0, random_state=seed).graph
    rng = np.random.default_rng(seed)
    groups = rng.integers(2 if kind == "sides" else 4, size=n)
    i, j = rng.integers(n, size=(2, 24 * n))
    usual = (groups[i] == groups[j]) == (kind == "broad")
    kept = np.flatnonzero(usual | (rng.random(len(i)) < 0.15))[: 3 * n]
    rows, columns = cliques.links
    return Graph.from_rows(np.append(rows, i[kept]), np.append(columns, j[kept]), Nodes.numbered(n)), groups


@dataclass(frozen=True, eq=False)
class _Dense:
    """A few dense columns, fitted to all pairs that are ``known``, given what a sparse model says of each.

    ``alone`` is each node's part of the log-odds of a pair that shares nothing, and ``shared`` the logarithm of the
    odds that sharing adds. A node's numbers are its affinities to the columns and what is added to its popularity.
    """

    linked: BoolArray
    known: BoolArray
    alone: FloatArray
    shared: FloatArray

    def scores(self, numbers: FloatArray, signs: FloatArray, level: Any, some: slice) -> tuple[Any, Any]:
        """The log-odds of some rows with all that follow, and their slopes by the dense part."""
        rest, own = slice(some.start, None), self.alone + numbers[:, -1]
        columns = numbers[:, :-1]
        dense = (columns[some] * signs) @ columns[rest].T + (own[some, None] + own[rest] + level)
        both = np.logaddexp(dense, self.shared[some, rest])
        return both, np.exp(dense - both)

    def cost(self, x: Float64Array, signs: FloatArray, penalty: float) -> tuple[float, Float64Array]:
        """The penalized loss of all known pairs, and its gradient; the last number is the level."""
        n, weights = len(self.alone), np.append(np.full(len(signs), penalty), 0.5)
        exact = x[:-1].reshape(n, -1)
        numbers, level = exact.astype(np.float32), np.float32(x[-1])
        columns = numbers[:, :-1]
        loss, slopes, by_level = float(np.sum(weights * exact**2)), 2 * weights * exact, 0.0
        for start in range(0, n, _ROWS):
            some, rest = slice(start, start + _ROWS), slice(start, None)
            logits, slope = self.scores(numbers, signs, level, some)
            known, linked = np.triu(self.known[some, rest], 1), self.linked[some, rest]
            loss += float((np.logaddexp(0, logits) - linked * logits)[known].sum(dtype=np.float64))
            errors = (expit(logits) - linked) * slope * known
            slopes[some, :-1] += signs * (errors @ columns[rest])
            slopes[rest, :-1] += signs * (errors.T @ columns[some])
            slopes[some, -1] += errors.sum(axis=1)
            slopes[rest, -1] += errors.sum(axis=0)
            by_level += float(errors.sum(dtype=np.float64))
        return loss, np.append(slopes.ravel(), by_level)

    def fitted(self, k_B: int, k_C: int, penalty: float) -> Callable[[Int64Array, Int64Array], Float64Array]:
        """What the columns, popularities and the level add to the log-odds of pairs that share nothing."""
        n, signs = len(self.alone), np.repeat(np.array([1, -1], np.float32), [k_B, k_C])
        begin = np.append(np.hstack([*self._start(k_B, k_C), np.zeros((n, 1))]).ravel(), 0.0)
        bounds = [*([(0.0, None)] * (k_B + k_C) + [(None, None)]) * n, (None, None)]
        options = {"maxiter": _ITERATIONS}
        found = minimize(self.cost, begin, (signs, penalty), "L-BFGS-B", jac=True, bounds=bounds, options=options).x
        numbers = found[:-1].reshape(n, -1)
        columns, own = numbers[:, :-1], numbers[:, -1]
        return lambda i, j: ((columns[i] * signs) * columns[j]).sum(axis=1) + own[i] + own[j] + found[-1]

    def _start(self, k_B: int, k_C: int) -> list[Float64Array]:
        """Both signs of the leading eigenvectors of what is left unexplained."""
        n, signs = len(self.alone), np.empty(0, np.float32)
        left = np.zeros((n, n), np.float32)
        for start in range(0, n, _ROWS):
            some, rest = slice(start, start + _ROWS), slice(start, None)
            logits, _ = self.scores(np.zeros((n, 1), np.float32), signs, np.float32(0), some)
            left[some, rest] = np.triu((self.linked[some, rest] - expit(logits)) * self.known[some, rest], 1)
        left += left.T
        sizes = 1 / np.sqrt(np.abs(left).sum(axis=1) + 1)
        left *= sizes[:, None] * sizes
        parts = []
        for count, end in ((k_B, "LA"), (k_C, "SA")):
            if count:
                values, vectors = eigsh(left, count, which=end, v0=np.ones(n, np.float32))
                vectors = vectors[:, np.argsort(-np.abs(values))]
                both = np.stack([vectors, -vectors], axis=2).reshape(n, -1)[:, :count].clip(min=0)
                parts.append(0.8 * both / both.max(axis=0) + 0.05)
        return parts


def judged(logits: Float64Array, linked: BoolArray) -> dict[str, float]:
    """Average precision, and the log-likelihood per hidden link."""
    _, precision = weighted_order(logits[linked], logits[~linked], np.ones(int((~linked).sum())))
    assert precision is not None
    return {"precision": precision.value, "log_likelihood": _likelihood(logits, linked)}


def _likelihood(logits: Float64Array, linked: BoolArray) -> float:
    return float((linked * logits - np.logaddexp(0, logits)).sum()) / int(linked.sum())


def _likeliest(linked: BoolArray, made: Callable[[float, float], Float64Array]) -> Float64Array:
    """The scores with the weight and the level under which the pairs are likeliest."""
    found = minimize(lambda z: -_likelihood(made(*z), linked), [0.0, 0.0], method="Nelder-Mead")
    return made(*found.x)


def compared(name: str, seed: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Each way of scoring the hidden pairs of a graph, and how good it is."""
    graph, groups = generated(name, seed) if name in ("sides", "broad") else (_real(name), None)
    hidden, n = RandomPairs(_HIDDEN, seed), graph.n_nodes
    rows, columns = hidden.pairs(n)
    linked, known = graph.linked(rows, columns), seen(graph, hidden)
    model = CommunityModel(storage="sparse", random_state=seed).fit(graph, held_out=hidden)
    factors = model.factors_
    plain = factors.scores(rows, columns)
    yield "sparse", judged(plain, linked)
    dense = CommunityModel(12, 6, penalty=3, random_state=seed).fit(graph, held_out=hidden)
    scores = dense.factors_.scores(rows, columns)
    yield "12 + 6 dense columns", judged(scores, linked)
    yield "odds of both added", judged(np.logaddexp(plain, scores), linked)
    every, own = factors.score_block(slice(None), slice(None)), factors.background
    alone = own[:, None] + own
    shared = np.where(every > alone, alone + np.log(np.expm1(np.maximum(every - alone, 1e-9))), -80.0)
    at, base = shared[rows, columns], alone[rows, columns]
    if groups is not None:
        same = (groups[rows] == groups[columns]) * 1.0
        best = _likeliest(linked, lambda weight, level: np.logaddexp(base + weight * same + level, at))
        yield "true groups", judged(best, linked)
    free = np.ones((n, n), bool)
    free[rows, columns] = free[columns, rows] = False
    fit = _Dense(known.adjacency.toarray() > 0, free, own.astype(np.float32), shared.astype(np.float32))
    for what, counts in _COUNTS.items():
        yield what, judged(np.logaddexp(base + fit.fitted(*counts)(rows, columns), at), linked)


def _real(name: str) -> Graph:
    return read_graph(Path(os.environ["PHILIA_DATA"]) / _FILES[name])


def main() -> None:
    """Compare on the graphs that are named, with several seeds each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+", choices=[*_FILES, "sides", "broad"])
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    results = RESULTS / "beside.json"
    for seed in range(asked.seeds):
        for name in asked.graphs:
            before = json.loads(results.read_text()) if results.exists() else {}
            rows = before.setdefault(name, {})[str(seed)] = {}
            for way, row in compared(name, seed):
                rows[way] = row
                print(json.dumps({"graph": name, "seed": seed, "way": way, **row}), flush=True)
            results.write_text(json.dumps(before, indent=1) + "\n")


if __name__ == "__main__":
    main()
