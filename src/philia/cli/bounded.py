"""Commands within a bound of memory: what is read how, and what is not begun at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from philia.cli.output import Output
from philia.storage import MemoryBound, ReadingOptions

if TYPE_CHECKING:
    from philia.graphs import Graph
    from philia.models import LinkModel


def read_within(out: Output, path: str, reading: ReadingOptions, model: LinkModel) -> Graph:
    """The graph to fit the model to, with its links on disk if the memory allowed is too little for both.

    >>> import pathlib, tempfile
    >>> from philia import CommunityModel
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "friends.txt"
    >>> _ = path.write_text("ann bob")
    >>> read_within(Output(json=False, quiet=True, debug=False), str(path), ReadingOptions(), CommunityModel(1, 1))
    Graph(2 nodes, 1 link)
    """
    from philia.graphs.files import read

    graph = read(path, reading)
    return graph if reading.memory is None else _planned(out, graph, model, reading.bound)


def _planned(out: Output, graph: Graph, model: LinkModel, memory: MemoryBound) -> Graph:
    """The graph where the fit needs it to be; an error if the fit cannot stay within the bound."""
    import tempfile

    from philia.graphs.disk import on_disk
    from philia.models.factorization import Factorization
    from philia.models.memory_plan import plan_for
    from philia.storage.arrays import InMemory, storage_of

    if not isinstance(model, Factorization):
        out.remark(f"How much memory {type(model).__name__} takes is not known before; the bound holds for reading.")
    elif plan_for(model, graph, memory).mapped and storage_of(graph.adjacency.indices) == InMemory():
        graph = on_disk(graph)
    if storage_of(graph.adjacency.indices) != InMemory():
        out.remark(f"To stay within the memory allowed, links are kept on disk, in {tempfile.gettempdir()}.")
    return graph
