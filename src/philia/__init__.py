"""philia: how a network is put together, in a few readable numbers per node.

Everything is loaded when it is first used, so importing philia costs nothing. Models are listed in
``philia.models.catalog``; every room, such as ``philia.plots``, can be used without an import of its own.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from philia._version import __version__ as __version__

if TYPE_CHECKING:
    from philia.evaluate import compare as compare
    from philia.graphs import Graph as Graph
    from philia.graphs import as_graph as as_graph
    from philia.graphs import read_communities as read_communities
    from philia.graphs import read_graph as read_graph
    from philia.graphs import write_communities as write_communities
    from philia.graphs import write_graph as write_graph
    from philia.models import load as load
    from philia.models.catalog import *  # noqa: F403

_HABITS = {
    **dict.fromkeys(
        ("read_csv", "read_edgelist", "read", "read_graphml", "read_gml", "read_gexf", "load_graph"),
        "philia.read_graph(path) reads links from any file",
    ),
    **dict.fromkeys(
        ("from_networkx", "from_igraph", "from_pandas_edgelist", "from_pandas", "from_edges", "from_edgelist"),
        "philia.as_graph(G) converts it, and fit takes it as it is",
    ),
    **dict.fromkeys(
        ("fit", "detect", "louvain", "leiden", "community_detection"),
        "philia.CommunityModel().fit(G) is what you are looking for",
    ),
    **dict.fromkeys(
        ("communities", "find_communities"), "philia.CommunityModel().fit(G).communities() is what you are looking for"
    ),
    **dict.fromkeys(("plot", "draw"), "philia.plots has pictures, such as philia.plots.network(model)"),
    **dict.fromkeys(
        ("train_test_split", "cross_validate"),
        "fit(G, held_out=0.1) hides links, philia.evaluate.evaluate_links judges them",
    ),
    **dict.fromkeys(("karate", "karate_club", "load_karate"), "philia.datasets.classic('karate') is the graph"),
    "write_report": "philia.report.write_report(model, path) writes a page about a model",
    "load_model": "philia.load(path) reads a model that was saved",
    **dict.fromkeys(("save", "save_model"), "model.save(path) saves a model"),
    "metrics": "philia.evaluate has them, such as philia.evaluate.compare_communities(found, truth)",
}
"""What users of other libraries write from habit, and what there is instead."""

_GRAPHS = ("Graph", "as_graph", "read_communities", "read_graph", "write_communities", "write_graph")


def __getattr__(name: str) -> Any:
    if name in _GRAPHS:
        return getattr(import_module("philia.graphs"), name)
    if name == "__all__":
        return sorted([*_GRAPHS, "__version__", "compare", "load", *_models()])
    if name == "load":
        return import_module("philia.models").load
    if name == "compare":
        return import_module("philia.evaluate").compare
    if name[0].isupper() and name in _models():
        return _models()[name]
    if not name.startswith("_") and find_spec(f"philia.{name}"):
        return import_module(f"philia.{name}")
    said = f"module 'philia' has no attribute {name!r}"
    raise AttributeError(f"{said}; {_HABITS[name]}" if name in _HABITS else said)


def __dir__() -> list[str]:
    from pkgutil import iter_modules

    folder = globals()["__path__"]
    rooms = [module.name for module in iter_modules(folder) if not module.name.startswith("_")]
    return sorted({*globals(), *__getattr__("__all__"), *rooms})


def _models() -> dict[str, Any]:
    models: dict[str, Any] = import_module("philia.models").MODELS
    return models
