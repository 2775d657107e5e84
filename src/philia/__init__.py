"""philia: how a network is put together, in a few readable numbers a node.

The public names are listed here; each is loaded when it is first used, so that importing philia costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from philia._version import __version__

if TYPE_CHECKING:
    from philia.graphs import (
        Graph,
        as_graph,
        read_communities,
        read_graph,
        write_communities,
        write_graph,
    )
    from philia.models import (
        SVD,
        AttractRepel,
        BigClam,
        CommunityModel,
        LogisticPCA,
        NormalizedCuts,
        RandomLinks,
        SoftClustering,
        SymNMF,
        VGraph,
        load,
    )

_HOMES = {
    "Graph": "graphs",
    "as_graph": "graphs",
    "read_graph": "graphs",
    "write_graph": "graphs",
    "read_communities": "graphs",
    "write_communities": "graphs",
    "CommunityModel": "models",
    "LogisticPCA": "models",
    "BigClam": "models",
    "SymNMF": "models",
    "SoftClustering": "models",
    "SVD": "models",
    "AttractRepel": "models",
    "NormalizedCuts": "models",
    "VGraph": "models",
    "RandomLinks": "models",
    "load": "models",
}
_ROOMS = (
    "datasets",
    "evaluate",
    "exact",
    "exceptions",
    "explain",
    "graphs",
    "models",
    "objective",
    "plots",
    "report",
    "selection",
    "solvers",
)

__all__ = [
    "SVD",
    "AttractRepel",
    "BigClam",
    "CommunityModel",
    "Graph",
    "LogisticPCA",
    "NormalizedCuts",
    "RandomLinks",
    "SoftClustering",
    "SymNMF",
    "VGraph",
    "__version__",
    "as_graph",
    "load",
    "read_communities",
    "read_graph",
    "write_communities",
    "write_graph",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"philia.{_HOMES[name]}"), name)
    if name in _ROOMS:
        return import_module(f"philia.{name}")
    raise AttributeError(f"module 'philia' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_ROOMS})
