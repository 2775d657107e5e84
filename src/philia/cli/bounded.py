"""Commands within a bound of memory: what is read how, and what is not begun at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from philia.cli.options import option
from philia.cli.output import Output

if TYPE_CHECKING:
    from philia.graphs import Graph
    from philia.graphs.memory import MemoryBound
    from philia.models import LinkModel

Memory = Annotated[str | None, option("--memory", "Stay below so much, for example 4G.")]


def memory_bound(told: str | None) -> MemoryBound | None:
    """The bound that was asked for, checked before any work.

    >>> memory_bound("4G"), memory_bound(None)
    (MemoryBound(4.0 GB), None)
    """
    from philia.graphs.memory import MemoryBound

    return None if told is None else MemoryBound.of(told)


def read_within(out: Output, path: str, reading: dict[str, Any], model: LinkModel, memory: MemoryBound | None) -> Graph:
    """The graph to fit the model to, with its links on disk if memory would not do for both.

    >>> import pathlib, tempfile
    >>> from philia import CommunityModel
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "friends.txt"
    >>> _ = path.write_text("ann bob")
    >>> read_within(Output(json=False, quiet=True, debug=False), str(path), {}, CommunityModel(1, 1), None)
    Graph(2 nodes, 1 link)
    """
    from philia.graphs import read_graph

    graph = read_graph(path, **reading, memory=memory)
    return graph if memory is None else _planned(out, graph, model, memory)


def _planned(out: Output, graph: Graph, model: LinkModel, memory: MemoryBound) -> Graph:
    """The graph where the fit needs it to be; an error if the fit cannot stay within the bound."""
    import tempfile

    from philia.graphs.mapped import InMemory, on_disk, storage_of
    from philia.models.factorization import Factorization
    from philia.models.memory_plan import plan_for

    if not isinstance(model, Factorization):
        out.remark(f"How much memory {type(model).__name__} takes is not known before; the bound holds for reading.")
    elif plan_for(model, graph, memory).mapped and storage_of(graph.adjacency.indices) == InMemory():
        graph = on_disk(graph)
    if storage_of(graph.adjacency.indices) != InMemory():
        out.remark(f"To stay within the memory allowed, links are kept on disk, in {tempfile.gettempdir()}.")
    return graph
