"""The signs of scores without the scores: by counting roots, and by logarithms that enclose what they stand for.

The sign of f_v(x_u) is s_v, turned once for every root to the right of x_u. Where both terms of a score have the same
sign, that is the sign of the score. Where they differ, the larger term decides. Its logarithm is a sum of k logarithms
of whole numbers, each known to two units from below (:mod:`philia.exact.logarithms`), so it lies in an interval of 2k
units; if the intervals of the two terms do not meet, the larger is known. If they do meet, both are computed in full.
"""

from __future__ import annotations

from threading import Lock

import numpy as np

from philia._types import Int64Array
from philia.exact.logarithms import SLACK, UNIT, logarithm_table, logarithms
from philia.exact.polynomials import SignPolynomials
from philia.exact.representation import Int8Array, Signs

_ONE_AT_A_TIME = Lock()


def decided_signs(polynomials: SignPolynomials, rows: Int64Array) -> Signs:
    """The signs of the scores of some rows with all nodes, and the least margin by which a larger term won.

    >>> pair = SignPolynomials(*map(np.array, ([2, 4], [0, 1, 2], [3, 3], [1, 1], [5, 0])))
    >>> decided = decided_signs(pair, np.arange(2))
    >>> decided.values.tolist(), round(decided.margin, 3)
    ([[-1, 1], [1, 1]], 5.0)
    """
    theirs, own = term_signs_of(polynomials, rows)
    values = theirs.copy()
    i, v = np.nonzero(theirs != own)
    if not i.size:
        return Signs(values)
    u, v = rows[i], np.ascontiguousarray(v)
    low_theirs, low_own = _sizes(polynomials, v, u), _sizes(polynomials, u, v)
    counts = np.diff(polynomials.starts)
    above = low_theirs - (low_own + SLACK * counts[u])  # by so many units, at least, is their term the larger
    below = low_own - (low_theirs + SLACK * counts[v])
    values[i, v] = np.where(above > 0, theirs[i, v], own[i, v])
    gap = np.maximum(above, below)
    for t in np.flatnonzero(gap <= 0):
        values[i[t], v[t]] = np.sign(polynomials.score(int(u[t]), int(v[t])))
    return Signs(values, max(0.0, float(gap.min()) / UNIT))


def term_signs_of(polynomials: SignPolynomials, rows: Int64Array) -> tuple[Int8Array, Int8Array]:
    """The signs of f_v(x_u) and of f_u(x_v) for u in the rows and every v."""
    from philia.exact.compiled_signs import prepare_signs, term_signs

    prepare_signs()
    points, roots = polynomials.ranks
    theirs, own = term_signs(rows, points, polynomials.starts, roots, polynomials.leading.astype(np.int8))
    return theirs, own


def _sizes(polynomials: SignPolynomials, v: Int64Array, u: Int64Array) -> Int64Array:
    """The logarithms of 2^e_v |f_v(x_u)| for listed pairs, in units, from below."""
    if polynomials.is_short:
        from philia.exact.compiled_signs import sizes_at

        points, roots = polynomials.points, polynomials.roots
        largest = int(abs(points).max()) + int(abs(roots).max(initial=0)) + 1
        if points.size * roots.size < largest:  # few polynomials far out: a table would take longer than they do
            sizes = _sizes_without_table(polynomials, v, u)
        else:
            sizes = sizes_at(v, u, points, polynomials.starts, roots, logarithm_table(largest))
    else:
        with _ONE_AT_A_TIME:  # the first thread makes the table, and the others find it
            sizes = polynomials.long_sizes[u, v]
    return np.asarray(sizes + UNIT * polynomials.exponents[v].astype(np.int64))


def _sizes_without_table(polynomials: SignPolynomials, v: Int64Array, u: Int64Array) -> Int64Array:
    """The logarithms of |f_v(x_u)| for listed pairs, in units, from below; each difference is looked at by itself."""
    points, roots = polynomials.points.astype(np.int64), polynomials.roots.astype(np.int64)
    counts = np.diff(polynomials.starts)[v]
    ends = np.concatenate([[0], np.cumsum(counts)])
    entries = np.arange(ends[-1]) + np.repeat(polynomials.starts[v] - ends[:-1], counts)
    found = logarithms(abs(np.repeat(points[u], counts) - roots[entries]))
    return np.asarray(np.diff(np.concatenate([[0], np.cumsum(found)])[ends]))
