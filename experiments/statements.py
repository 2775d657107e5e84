"""Sections 2 to 4 and the appendix: statements that can be checked by computation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.experiment import Claim, Experiment, Result, Scope, Table, Task, verdict
from philia._types import Float64Array
from philia.datasets import overlap_threshold, random_overlap_threshold
from philia.exact import (
    Representation,
    by_arboricity_as_printed,
    by_degeneracy,
    by_max_degree_one_sided,
    by_overlap_threshold,
    by_sign_changes,
    certify,
)
from philia.exact.representation import columns_of
from philia.exceptions import NotExactError
from philia.explain import normalize
from philia.factors import CommunityFactors, LogisticFactors, SignedFactors, split
from philia.graphs import Graph, arboricity, as_graph

TINY = 1e-9
"""Smaller differences are rounding errors."""


class Statements(Experiment):
    """Formulas and theorems on random examples."""

    name = "statements"
    title = "Sections 2 to 4 and appendix: statements"
    about = (
        "Formulas of the text, each on random examples; a difference is the largest over all entries. Exact "
        "representations on random graphs of 2 to 24 nodes, every pair certified in integers. `tests/laws` checks "
        "the same on more kinds of examples."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """One per statement."""
        count = 40 if scope.quick else 200
        settings = {"examples": count}
        for method, check in _CHECKS.items():
            yield Task(self.name, "random examples", method, 0, settings, partial(_worst, check, count))
        for method, (make, promised) in _EXACT.items():
            yield Task(self.name, "random graphs", method, 0, settings, partial(_certified, make, promised, count))
        yield Task(self.name, "one link", "COT graph", 0, settings, partial(_one_link, count))

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """The largest difference of each formula."""
        rows = tuple((r.method, f"{r.values['difference']:.1e}") for r in results if "difference" in r.values)
        return [Table("Largest difference", ("formula", "difference"), rows)]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """There are none."""
        return {}

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """One claim per formula and theorem."""
        found = {r.method: {**r.values, "examples": r.settings["examples"]} for r in results}
        told = [_told(where, claim, method, found) for where, claim, method in _FORMULAS]
        exact = [_exactly(where, claim, method, found) for where, claim, method in _THEOREMS]
        return [*told, *exact, _loops(found)]


_FORMULAS = (
    ("Equation 3", "V W Vᵀ equals B Bᵀ − C Cᵀ, with V between 0 and 1.", "V W Vᵀ"),
    ("Section 2", "A community that both nodes are full members of multiplies the odds by exp(W).", "odds"),
    ("Lemma 4.3", "v vᵀ is a sum and difference of three products of nonnegative vectors.", "three products"),
    (
        "Theorem 4.4",
        "Logistic PCA with k columns becomes at most 6k nonnegative columns with the same logits.",
        "6k columns",
    ),
)
_THEOREMS = (
    ("Theorem 4.1", "A graph of largest degree c is exact in logistic PCA with 2c + 1 columns.", "largest degree"),
    ("Theorem 4.2", "A graph of arboricity α is exact in logistic PCA with 4α² + 1 columns.", "arboricity"),
    ("Corollary 4.5", "Such a graph is exact in the model with 6 (4α² + 1) columns.", "communities by arboricity"),
)


def _told(where: str, claim: str, method: str, found: dict[str, Any]) -> Claim:
    difference, count = (found[method][key] if method in found else None for key in ("difference", "examples"))
    measured = "not run" if difference is None else f"largest difference {difference:.1e}"
    told = verdict(None if difference is None else difference < TINY)
    return Claim(where, claim, f"on {count or 'some'} random examples, up to rounding", measured, told)


def _loops(found: dict[str, Any]) -> Claim:
    claim = "One more community than its memberships have represents any COT graph exactly."
    reading = "the proof's factors have the right sign at every entry of a simple graph, whose diagonal is 0"
    values = found.get("COT graph")
    if values is None:
        return Claim("Theorem A.1", claim, reading, "not run", verdict(None))
    off, on = values["wrong_off_diagonal"], values["wrong_on_it"]
    measured = (
        f"off the diagonal {off} wrong signs in {values['examples']} random graphs; on it {on} of 2 for one link, t = 1"
    )
    return Claim("Theorem A.1", claim, reading, measured, verdict(not values["wrong_on_it"]))


def _exactly(where: str, claim: str, method: str, found: dict[str, Any]) -> Claim:
    reading = "certified on random graphs, by any construction"
    if method not in found:
        return Claim(where, claim, reading, "not run", verdict(None))
    values = found[method]
    measured = f"{values['wrong']} wrong and {values['over']} with more columns, of {values['graphs']} graphs"
    if "printed_over" in values:
        measured += f"; the printed proof, all its coefficients counted, needs more on {values['printed_over']}"
    return Claim(where, claim, reading, measured, verdict(not values["wrong"] + values["over"]))


def _worst(check: Callable[[np.random.Generator], float], count: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {"difference": max(check(rng) for _ in range(count))}


def _factors(rng: np.random.Generator) -> CommunityFactors:
    n, k_B, k_C = rng.integers(1, 12, size=3)
    return CommunityFactors(rng.exponential(size=(n, k_B)), rng.exponential(size=(n, k_C)), np.zeros(n))


def _normalized(rng: np.random.Generator) -> float:
    factors = _factors(rng)
    normal = normalize(factors)
    V, W = normal.memberships, normal.strengths
    outside = max(float(-V.min()), float(V.max()) - 1)
    return max(outside, _largest((V * W) @ V.T - factors.score_block(slice(None), slice(None))))


def _odds(rng: np.random.Generator) -> float:
    factors = _factors(rng)
    W = normalize(factors).strengths
    B, C = (np.tile(F.max(axis=0), (2, 1)) for F in (factors.homophilous, factors.heterophilous))
    full = CommunityFactors(B, C, np.zeros(2))
    return abs(float(full.scores(np.array([0]), np.array([1]))[0]) - float(W.sum()))


def _three_products(rng: np.random.Generator) -> float:
    v = rng.normal(size=int(rng.integers(1, 30)))
    found = split(SignedFactors(v[:, None], np.empty((len(v), 0))))
    if sum(found.counts) > 3:
        return np.inf
    return _largest(np.outer(v, v) - found.score_block(slice(None), slice(None)))


def _six_k(rng: np.random.Generator) -> float:
    n, k = int(rng.integers(2, 20)), int(rng.integers(1, 5))
    logistic = LogisticFactors(rng.normal(size=(n, k)), rng.normal(size=(n, k)))
    found = split(logistic)
    if sum(found.counts) > 6 * k:
        return np.inf
    return _largest(found.score_block(slice(None), slice(None)) - logistic.score_block(slice(None), slice(None)))


def _certified(make: Callable[[Graph], Representation], promised: Callable[[Graph], int], count: int) -> dict[str, Any]:
    """How often the representation is wrong, and how often it has more columns than promised."""
    wrong = over = printed_over = 0
    for graph in _graphs(count):
        found = make(graph)
        over += columns_of(found) > promised(graph)
        if promised is _by_arboricity:
            printed_over += by_arboricity_as_printed(graph).logistic_columns > promised(graph)
        try:
            certify(graph, found)
        except NotExactError:
            wrong += 1
    printed = {"printed_over": printed_over} if promised is _by_arboricity else {}
    return {"graphs": count, "wrong": wrong, "over": over, **printed}


def _graphs(count: int) -> Iterator[Graph]:
    """Random graphs of 2 to 24 nodes, from sparse to dense, with at least one link."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        n = int(rng.integers(2, 25))
        links = np.triu(rng.random((n, n)) < rng.random() ** 2, 1)
        links[0, 1] = True
        yield as_graph(links | links.T)


def _by_degree(graph: Graph) -> int:
    return 2 * int(graph.degrees.max()) + 1


def _by_arboricity(graph: Graph) -> int:
    return 4 * arboricity(graph).value ** 2 + 1


_EXACT: dict[str, tuple[Callable[[Graph], Representation], Callable[[Graph], int]]] = {
    "largest degree": (by_max_degree_one_sided, _by_degree),
    "arboricity": (by_degeneracy, _by_arboricity),
    "communities by arboricity": (by_sign_changes, lambda graph: 6 * _by_arboricity(graph)),
}


def _one_link(count: int) -> dict[str, Any]:
    """The logits in the theorem's proof, on random COT graphs and on two nodes in one community with threshold 1."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(count):
        n, k_b, k_c = (int(v) for v in rng.integers(1, 12, size=3))
        cot = random_overlap_threshold(n, k_b, k_c, int(rng.integers(-3, 4)), share=0.5, random_state=rng)
        signs = by_overlap_threshold(cot).signs(np.arange(n)).values
        differ = (signs > 0) != (cot.graph.adjacency.toarray() > 0)
        wrong += int(differ[~np.eye(n, dtype=bool)].sum())
    pair = overlap_threshold([[1], [1]], np.empty((2, 0), dtype=int), 1)
    own = np.diag(by_overlap_threshold(pair).signs(np.arange(2)).values)
    return {"wrong_off_diagonal": wrong, "wrong_on_it": int((own > 0).sum())}


def _largest(matrix: Float64Array) -> float:
    return float(np.abs(matrix).max(initial=0.0))


_CHECKS: dict[str, Callable[[np.random.Generator], float]] = {
    "V W Vᵀ": _normalized,
    "odds": _odds,
    "three products": _three_products,
    "6k columns": _six_k,
}
