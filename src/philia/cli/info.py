"""philia info: a summary of a file of links or a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from philia._text import counted
from philia.cli import options
from philia.cli.files import MODEL_SUFFIX
from philia.cli.nodes import shown
from philia.cli.options import DETECTED, reads_links
from philia.cli.output import Output
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from philia.graphs import Graph
    from philia.models import LinkModel

_QUICK = 20_000
"""The largest graph whose model is scored: at most about ten seconds."""


@reads_links()
def info(
    path: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of links or a model; - is standard input.", show_default=False)
    ],
    reading: ReadingOptions = DETECTED,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Describe a file: the size of a network, or the settings and fit of a model.

    Example:
    $ philia info links.csv
    $ philia info model.safetensors
    """
    out = Output(json, quiet, debug)
    with out.listening():
        if Path(path).suffix == MODEL_SUFFIX:
            from philia.models import load

            _model(out, path, load(path))
        else:
            from philia.graphs.files import read

            _graph(out, path, read(path, reading))


def _graph(out: Output, path: str, graph: Graph) -> None:
    from philia.cli.summaries import graph_facts, graph_in_words

    facts = {"kind": "graph", "file": path, **graph_facts(graph), **_shape(graph)}
    out.data(facts)
    out.say(f"{'Standard input' if path == '-' else path}: {graph_in_words(graph)}")
    out.say(f"Density: {graph.density:.3g} of all pairs are linked.")
    if graph.n_nodes:
        busiest = graph.nodes[int(graph.degrees.argmax())]
        out.say(f"Largest degree: {counted(facts['largest_degree'], 'link')}, of {shown(busiest)}.")
    out.say(f"Isolated: {counted(facts['isolated'], 'node')} without links.")
    out.say(
        f"Connected components: {facts['components']:,}; the largest has {counted(facts['largest_component'], 'node')}."
    )


def _shape(graph: Graph) -> dict[str, Any]:
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    if not graph.n_nodes:
        return {"isolated": 0, "largest_degree": 0, "components": 0, "largest_component": 0}
    count, labels = connected_components(graph.adjacency, directed=False)
    return {
        "isolated": int((graph.degrees == 0).sum()),
        "largest_degree": int(graph.degrees.max()),
        "components": int(count),
        "largest_component": int(np.bincount(labels).max()),
    }


def _model(out: Output, path: str, model: LinkModel) -> None:
    from philia.cli.summaries import fit_facts, fit_in_words, graph_facts, graph_in_words

    settings = {name: _setting(value) for name, value in model.get_params(deep=False).items()}
    facts = {"kind": type(model).__name__, "file": path, "settings": settings, "graph": graph_facts(model.graph_)}
    facts |= fit_facts(model, score=model.graph_.n_nodes <= _QUICK)
    out.data(facts)
    out.say(f"{path}: a {type(model).__name__} of {graph_in_words(model.graph_)}")
    for sentence in fit_in_words(model, facts):
        out.say(sentence)
    out.table(["setting", "value"], [(name, str(value)) for name, value in settings.items()])


def _setting(value: object) -> str | int | float | bool | None:
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
