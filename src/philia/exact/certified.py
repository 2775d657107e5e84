"""A representation with its certificate and the names of its nodes: all that is needed to check it again."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from philia._types import BoolArray, Node
from philia.exact.certificate import Certificate, OnProgress, certify, facts_of
from philia.exact.representation import Representation
from philia.exceptions import NotExactError, PhiliaError
from philia.graphs import Graph, Nodes


@dataclass(frozen=True, eq=False)
class Certified:
    """A graph in numbers, with the proof that they are right.

    Row v of the ``representation`` is the node ``nodes[v]``. ``loops`` says which nodes count as linked with
    themselves, and is None if none does. ``source`` is the file it was read from, if any, for messages. Whatever the
    certificate says about the numbers alone is compared with them at once; ``verify`` compares the rest with a graph.

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
    source: str = ""

    def __post_init__(self) -> None:
        self.nodes.check_unique()
        if len(self.nodes) != self.representation.n_nodes:
            raise NotExactError(
                f"there are {len(self.nodes):,} names for the {self.representation.n_nodes:,} nodes of the "
                "representation; every row needs one name"
            )
        for name, true in facts_of(self.representation, self.loops).items():
            if getattr(self.certificate, name) != true:
                raise NotExactError(
                    f"the certificate says {name} = {getattr(self.certificate, name)!r}, but {true!r} is true of its "
                    "numbers; the file was changed, so certify the representation again"
                )

    @property
    def looped(self) -> list[Node]:
        """The names of the nodes that count as linked with themselves."""
        return [] if self.loops is None else self.nodes.pick(np.flatnonzero(self.loops))

    def verify(self, graph: Graph, on_progress: OnProgress | None = None, *, loops: bool = False) -> Certificate:
        """Check everything again against a graph, nodes matched by name; the certificate of this check comes back.

        An error says what is wrong: a node that only one of them has, a pair with the wrong sign, or a part of the
        certificate that is not true. A graph has no loops, so a representation that has some is refused too, unless
        ``loops=True`` asks for the graph with these loops added. The name of the construction is not proved.
        """
        try:
            return self._verified(graph, on_progress, loops)
        except PhiliaError as error:
            if not self.source:
                raise
            raise type(error)(f"{self.source}: {error}") from error

    def _verified(self, graph: Graph, on_progress: OnProgress | None, loops: bool) -> Certificate:
        looped = self.looped
        if looped and not loops:
            shown = ", ".join(map(repr, looped[:3])) + (", …" if len(looped) > 3 else "")
            raise NotExactError(
                f"{len(looped):,} nodes count as linked with themselves here ({shown}), and none does in the graph; "
                "to check the graph with these loops added, use --loops or verify(graph, loops=True)"
            )
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
    if loops is not None and not loops.any():
        loops = None
    certificate = certify(graph, representation, loops=loops, on_progress=on_progress)
    return Certified(representation, certificate, graph.nodes, loops)
