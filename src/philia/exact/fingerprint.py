"""One short text for a graph, the same whatever the order of its nodes and links, and another for any other graph."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from philia._types import Node
from philia.exact.representation import Integers
from philia.graphs import Graph


def fingerprint(graph: Graph) -> str:
    """A hash of the names of the nodes and of the links, independent of the order in which they came.

    >>> from philia import as_graph
    >>> one, same = as_graph([("ann", "bob"), ("bob", "cat")]), as_graph([("cat", "bob"), ("bob", "ann")])
    >>> fingerprint(one) == fingerprint(same)
    True
    >>> fingerprint(as_graph([(1, 2)])) == fingerprint(as_graph([("1", "2")]))
    False
    """
    spelled = [_spelled(name) for name in graph.nodes]
    order = sorted(range(len(spelled)), key=spelled.__getitem__)
    place = np.empty(graph.n_nodes, dtype=np.int64)
    place[order] = np.arange(graph.n_nodes)
    i, j = (place[ends] for ends in graph.links)
    links = np.stack([np.minimum(i, j), np.maximum(i, j)], axis=1)
    links = links[np.lexsort((links[:, 1], links[:, 0]))]
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{graph.n_nodes} nodes, {graph.n_links} links;".encode())
    for row in order:
        digest.update(f"{len(spelled[row])}:{spelled[row]};".encode())  # with its length no name can pass for two
    digest.update(links.astype("<i8").tobytes())
    return digest.hexdigest()


def digest_of(construction: str, arrays: Mapping[str, Integers]) -> str:
    """A hash of all numbers of a representation, whatever type they are kept in.

    >>> digest_of("given", {"x": np.array([1, 2])}) == digest_of("given", {"x": np.array([1, 2], dtype=object)})
    True
    """
    digest = hashlib.blake2b(construction.encode(), digest_size=16)
    for name in sorted(arrays):
        digest.update(f"{name}:{arrays[name].shape};".encode())
        digest.update(_bytes(arrays[name]))
    return digest.hexdigest()


def _bytes(numbers: Integers) -> bytes:
    if numbers.dtype.kind == "f":
        return numbers.astype("<f8").tobytes()
    if numbers.dtype == object and any(abs(number) >= 1 << 62 for number in numbers.ravel()):
        return ",".join(map(hex, numbers.ravel())).encode()
    return numbers.astype("<i8").tobytes()


def _spelled(name: Node) -> str:
    """The name with its type, for 7 and "7" are two names."""
    return f"{type(name).__name__} {name!r}"
