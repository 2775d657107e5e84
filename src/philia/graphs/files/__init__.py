"""Graphs and communities in files: one function to read and one to write each."""

from philia.graphs.files.formats import read, read_communities, read_graph, write_communities, write_graph

__all__ = ["read", "read_communities", "read_graph", "write_communities", "write_graph"]
