"""Random covers of every kind, including degenerate ones."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

KINDS = ("partition", "overlapping", "partial", "nested", "repeated", "single nodes", "with all nodes", "tiny and huge")


def random_cover(kind: str, n: int, rng: np.random.Generator, most: int = 20) -> list[set[int]]:
    """Nonempty communities of the nodes 0, …, n - 1, made of at most ``most`` parts; only a partial cover has gaps."""
    order = rng.permutation(n).tolist()
    count = int(rng.integers(1, min(n, most) + 1))
    cuts = sorted(rng.choice(np.arange(1, n), count - 1, replace=False).tolist()) if n > 1 else []
    parts = [set(order[first:end]) for first, end in zip([0, *cuts], [*cuts, n], strict=True)]
    if kind == "overlapping":
        return [part | random_set(n, rng) for part in parts]
    if kind == "partial":
        return [random_set(max(1, n // 2), rng) for _ in parts]
    if kind == "nested":
        return [set(order[:end]) for end in [*cuts, n]]
    if kind == "repeated":
        return [*parts, *(parts[int(at)] for at in rng.integers(len(parts), size=3))]
    if kind == "single nodes":
        return [{node} for node in order]
    if kind == "with all nodes":
        return [*parts, set(order)]
    if kind == "tiny and huge":
        return [{order[0]}, set(order[1:]) or {order[0]}, {order[-1]}, set(order[: n // 2 + 1])]
    return parts


def random_set(n: int, rng: np.random.Generator) -> set[int]:
    return set(rng.choice(n, int(rng.integers(1, n + 1)), replace=False).tolist())


def covers(n: int = 9) -> st.SearchStrategy[list[set[int]]]:
    """Any cover: with overlaps, gaps, repetitions, communities of all nodes, or none."""
    communities = st.sets(st.integers(0, n - 1), min_size=1)
    return st.lists(st.one_of(communities, st.just(set(range(n)))), max_size=6)
