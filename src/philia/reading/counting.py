"""The compiled loops that count: members of groups by class, links inside groups and between them.

A search counts thousands of times, and on small graphs NumPy would take longer between its loops than in them. numba is
loaded with this file, so callers import it only when they need it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from philia._compilation import announced, compiled


@cache
def prepare() -> None:
    """Compile the loops, or load them from the cache."""
    with announced("compiling the counting of links"):
        starts, neighbours, labels = np.array([0, 1, 2]), np.array([1, 0]), np.array([0, 1])
        group_counts(labels, labels, 2, (starts, neighbours))
        links_between(labels, 2, (starts, neighbours))


@compiled
def group_counts(labels: Any, classes: Any, n_classes: int, rows: Any) -> Any:
    """The members of each group by class (k × classes), its links inside, and its size; at the end, those in none."""
    starts, neighbours = rows
    k = 0
    for own in labels:
        k = max(k, own + 1)
    H, twice, sizes = np.zeros((k, n_classes)), np.zeros(k), np.zeros(k + 1, np.int64)
    for i in range(len(labels)):
        own = labels[i]
        if own < 0:
            sizes[k] += 1
            continue
        sizes[own] += 1
        H[own, classes[i]] += 1
        for t in range(starts[i], starts[i + 1]):
            if labels[neighbours[t]] == own:
                twice[own] += 1
    for c in range(k):
        twice[c] /= 2
    return H, twice, sizes


@compiled
def links_between(labels: Any, k: int, rows: Any) -> Any:
    """The number of links between each group and each other one, in compressed rows with sorted columns."""
    starts, neighbours = rows
    ends = np.zeros(k + 2, np.int64)
    for own in labels:
        ends[own + 2] += own >= 0
    for c in range(k):
        ends[c + 2] += ends[c + 1]
    members = np.empty(ends[k + 1], np.int64)
    for i in range(len(labels)):
        if labels[i] >= 0:
            members[ends[labels[i] + 1]] = i
            ends[labels[i] + 1] += 1
    counts, indptr = np.zeros(k), np.zeros(k + 1, np.int64)
    found, links = np.empty(len(neighbours), np.int64), np.empty(len(neighbours))
    for c in range(k):
        count = indptr[c]
        for at in range(ends[c], ends[c + 1]):
            for t in range(starts[members[at]], starts[members[at] + 1]):
                d = labels[neighbours[t]]
                if d >= 0 and d != c:
                    if counts[d] == 0:
                        found[count] = d
                        count += 1
                    counts[d] += 1
        for t in range(indptr[c], count):
            links[t], counts[found[t]] = counts[found[t]], 0
        indptr[c + 1] = count
    # Links go both ways, so the columns are the rows. Written column by column, each row is sorted.
    indices, data, filled = np.empty(indptr[k], np.int64), np.empty(indptr[k]), indptr.copy()
    for c in range(k):
        for t in range(indptr[c], indptr[c + 1]):
            d = found[t]
            indices[filled[d]], data[filled[d]] = c, links[t]
            filled[d] += 1
    return indptr, indices, data
