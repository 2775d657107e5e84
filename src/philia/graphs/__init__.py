"""Step 1: graphs, where they come from and where they are kept."""

from typing import TYPE_CHECKING, Any

from philia.graphs.arboricity import Arboricity, Orientation, Pseudoarboricity, arboricity, pseudoarboricity
from philia.graphs.conversion import as_communities, as_graph
from philia.graphs.degeneracy import core_numbers, degeneracy, degeneracy_order
from philia.graphs.described import DescribedGraph
from philia.graphs.forests import Forests, forests
from philia.graphs.frames import Frame
from philia.graphs.graph import Changes, Graph
from philia.graphs.nodes import Nodes

if TYPE_CHECKING:
    from philia.graphs.files import read_communities, read_graph, write_communities, write_graph

__all__ = [
    "Arboricity",
    "Changes",
    "DescribedGraph",
    "Forests",
    "Frame",
    "Graph",
    "Nodes",
    "Orientation",
    "Pseudoarboricity",
    "arboricity",
    "as_communities",
    "as_graph",
    "core_numbers",
    "degeneracy",
    "degeneracy_order",
    "forests",
    "pseudoarboricity",
    "read_communities",
    "read_graph",
    "write_communities",
    "write_graph",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'philia.graphs' has no attribute {name!r}")
    from philia.graphs import files  # all file formats take half as long to load as SciPy, and models need none

    return getattr(files, name)
