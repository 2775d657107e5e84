"""A representation with its certificate and the names of its nodes: all that is needed to check it again."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from philia._types import BoolArray
from philia.exact.certificate import Certificate, OnProgress, certify
from philia.exact.representation import Representation
from philia.exceptions import NotExactError
from philia.graphs import Graph, Nodes


@dataclass(frozen=True, eq=False)
class Certified:
    """A graph in numbers, with the proof that they are right.

    Row v of the ``representation`` is the node ``nodes[v]``. ``loops`` says which nodes count as linked with
    themselves, and is None if none does.

    >>> from philia.datasets import classic
    >>> from philia.exact.sign_changes import by_sign_changes
    >>> karate = classic("karate")
    >>> found = certified(karate, by_sign_changes(karate))
    >>> found.verify(karate).links
    78
    """

    representation: Representation
    certificate: Certificate
    nodes: Nodes
    loops: BoolArray | None = None

    def verify(self, graph: Graph, on_progress: OnProgress | None = None) -> Certificate:
        """Check everything again against a graph, nodes matched by name; the certificate of this check comes back.

        An error says what is wrong: a node that only one of them has, a pair with the wrong sign, or a part of the
        certificate that is not true.
        """
        found = certify(self._arranged(graph), self.representation, loops=self.loops, on_progress=on_progress)
        for name in found.denied(self.certificate):
            raise NotExactError(
                f"the signs are right, but the certificate says {name} = {getattr(self.certificate, name)!r} and "
                f"{getattr(found, name)!r} was found; the file was changed, so certify the representation again"
            )
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, as text (JSON); :func:`philia.exact.load_exact` reads it."""
        from philia.exact.files import write_exact

        write_exact(path, self)

    def _arranged(self, graph: Graph) -> Graph:
        """The graph with its nodes in the order of the representation's rows."""
        for here, there, where in ((self.nodes, graph.nodes, "representation"), (graph.nodes, self.nodes, "graph")):
            for name in here:
                if name not in there or type(there[there.row(name)]) is not type(name):
                    raise NotExactError(f"the node {name!r} is only in the {where}; give the graph that was certified")
        rows = graph.nodes.rows(self.nodes)
        adjacency = sparse.csr_array(graph.adjacency[rows][:, rows])
        adjacency.sort_indices()
        return replace(graph, adjacency=adjacency, nodes=self.nodes, weights=None)


def certified(
    graph: Graph,
    representation: Representation,
    *,
    loops: BoolArray | None = None,
    on_progress: OnProgress | None = None,
) -> Certified:
    """The representation with a certificate for the graph; see :func:`philia.exact.certify`.

    >>> from philia import as_graph
    >>> from philia.exact.max_degree import by_max_degree
    >>> pair = as_graph([("ann", "bob")])
    >>> certified(pair, by_max_degree(pair)).certificate.columns
    6
    """
    certificate = certify(graph, representation, loops=loops, on_progress=on_progress)
    return Certified(representation, certificate, graph.nodes, None if loops is None else np.asarray(loops, dtype=bool))
