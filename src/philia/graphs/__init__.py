"""Step 1: graphs, where they come from and where they are kept."""

from philia.graphs.conversion import as_graph
from philia.graphs.files import read_communities, read_graph, write_communities, write_graph
from philia.graphs.graph import Changes, Graph
from philia.graphs.nodes import Nodes

__all__ = [
    "Changes",
    "Graph",
    "Nodes",
    "as_graph",
    "read_communities",
    "read_graph",
    "write_communities",
    "write_graph",
]
