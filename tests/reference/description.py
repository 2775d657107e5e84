"""Slow, short and obviously right: the length of a description, with a sum over all pairs of nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import comb, expit, gammaln

from philia._types import BoolArray, Float64Array, Int64Array

RIDGE, POPULARITY_RIDGE, LEVEL_RIDGE = 0.05, 0.01, 1e-6

_EXACT = {"maxiter": 100_000, "maxfun": 1_000_000, "ftol": 0.0, "gtol": 1e-9}


class Described(NamedTuple):
    length: float
    level: float
    strengths: Float64Array


def popularity(A: Float64Array) -> Float64Array:
    """The a with which sigmoid(a_i + a_j) makes the links likeliest, less a small penalty."""

    def cost(a: Float64Array) -> tuple[float, Float64Array]:
        D = expit(a[:, None] + a) - A
        np.fill_diagonal(D, 0.0)
        away = a - a.mean()
        value = unlikely(A, a[:, None] + a) + POPULARITY_RIDGE * away @ away + LEVEL_RIDGE * a @ a
        return value, D.sum(axis=1) + 2 * POPULARITY_RIDGE * away + 2 * LEVEL_RIDGE * a

    return np.asarray(minimize(cost, np.zeros(len(A)), jac=True, method="L-BFGS-B", options=_EXACT).x)


def unlikely(A: Float64Array, scores: Float64Array) -> float:
    """-log P(links) if each pair of nodes is linked with probability sigmoid(score)."""
    pairs = np.triu_indices(len(A), k=1)
    return float((np.logaddexp(0, scores) - A * scores)[pairs].sum())


def inside(labels: Int64Array, c: int) -> BoolArray:
    """The ordered pairs of different nodes in group c."""
    return np.asarray(np.outer(labels == c, labels == c) & ~np.eye(len(labels), dtype=bool))


def scores(a: Float64Array, labels: Int64Array, level: float, strengths: Float64Array) -> Float64Array:
    found = a[:, None] + a + level
    for c, w in enumerate(strengths):
        found = found + w * inside(labels, c)
    return np.asarray(found)


def code(labels: Int64Array) -> float:
    """The length of writing down all labels, of which -1 is one."""
    n, sizes = len(labels), np.unique(labels, return_counts=True)[1]
    choices = gammaln(n + 1) - gammaln(sizes + 1).sum()
    return float(choices + np.log(comb(n - 1, len(sizes) - 1)) + np.log(n))


def described(
    A: Float64Array, labels: Int64Array, a: Float64Array | None = None, level: float | None = None
) -> Described:
    """The length for groups 0 to k - 1, with the likeliest strengths and, if it is not given, the likeliest level."""
    n, k = len(A), int(labels.max(initial=-1)) + 1
    a = popularity(A) if a is None else a

    def cost(x: Float64Array) -> tuple[float, Float64Array]:
        S = scores(a, labels, x[0], x[1:])
        D = expit(S) - A
        np.fill_diagonal(D, 0.0)
        slopes = [D.sum() / 2, *(D[inside(labels, c)].sum() / 2 + 2 * RIDGE * x[c + 1] for c in range(k))]
        return unlikely(A, S) + RIDGE * x[1:] @ x[1:], np.array(slopes)

    bounds = [(None, None) if level is None else (level, level), *[(0.0, None)] * k]
    x0 = np.concatenate([[level or 0.0], np.ones(k)])
    x = minimize(cost, x0, jac=True, method="L-BFGS-B", bounds=bounds, options=_EXACT).x
    per_group = 0.5 * np.log(max(1, n * (n - 1) / 2))
    return Described(cost(x)[0] + k * per_group + code(labels), float(x[0]), x[1:])
