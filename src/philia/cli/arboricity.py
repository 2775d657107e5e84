"""philia arboricity: the smallest number of forests that cover all links, and the proof."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from philia._text import counted
from philia.cli import options
from philia.cli.files import check_target
from philia.cli.nodes import plain, shown_first
from philia.cli.options import DETECTED, option, reads_links
from philia.cli.output import Output
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from philia.graphs import Arboricity, Forests, Graph

_NAMES = 12
"""Nodes of the densest part that are named, so that the sentence stays readable."""


@reads_links()
def arboricity(
    links: options.Links,
    forests: Annotated[bool, option("--forests", "Find the forests, check them and show their sizes.")] = False,
    output: Annotated[
        Path | None, option("-o --output", "Write a .csv file: both ends of each link and its forest, numbered from 0.")
    ] = None,
    reading: ReadingOptions = DETECTED,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Compute the exact arboricity, and show the densest part, which needs that many forests.

    Example:
    $ philia arboricity links.csv
    $ philia arboricity links.csv --forests -o forests.csv
    """
    from philia import graphs
    from philia.cli.summaries import graph_facts, graph_in_words
    from philia.graphs.files import read

    out = Output(json, quiet, debug)
    if output is not None:
        check_target(output, force=force)
    with out.listening():
        graph = read(links, reading)
        facts = _density(graph, graphs.arboricity(graph))
        held = graphs.forests(graph) if forests or output else None
        if held is not None:
            held.check(graph)
            facts["forests"] = held.sizes.tolist()
            if output is not None:
                _write(graph, held, output)
                facts["written"] = str(output)
    out.data({"file": links, **graph_facts(graph), **facts})
    out.say(f"{'Standard input' if links == '-' else links}: {graph_in_words(graph)}")
    for sentence in _in_words(facts):
        out.say(sentence)


def _density(graph: Graph, found: Arboricity) -> dict[str, Any]:
    from philia.graphs import degeneracy

    inside = graph.nodes.rows(found.lower)
    return {
        "degeneracy": degeneracy(graph),
        "pseudoarboricity": found.upper.most_received,
        "arboricity": found.value,
        "densest": {
            "nodes": [plain(name) for name in found.lower],
            "links": int(graph.adjacency[inside][:, inside].nnz) // 2,
            "fewer_forests_hold": max(found.value - 1, 0) * max(len(found.lower) - 1, 0),
        },
        "forests": None,
        "written": None,
    }


def _in_words(facts: dict[str, Any]) -> Iterator[str]:
    d, p, a = (facts[name] for name in ("degeneracy", "pseudoarboricity", "arboricity"))
    if not a:
        yield "There are no links, so no forest is needed."
    else:
        yield f"Degeneracy: {d}. Every part of the network has a node with at most {counted(d, 'link')} inside it."
        yield f"Pseudoarboricity: {p}. Links can be directed so that no node receives more than {p}, the minimum."
        yield f"Arboricity: {a}. All links fit into {counted(a, 'forest')}, but not into fewer."
    if a > 1:
        yield _why_not_fewer(a, **facts["densest"])
    if facts["forests"]:
        yield f"Links in each forest, checked to have no cycles: {', '.join(map(str, facts['forests']))}."
    if facts["written"]:
        yield f"Wrote the forest of each link to {facts['written']}."


def _why_not_fewer(a: int, nodes: list[Any], links: int, fewer_forests_hold: int) -> str:
    """The densest part in a sentence.

    >>> _why_not_fewer(2, ["ann", "bob", "cat"], 3, 2)
    'Why not fewer: 3 nodes (ann, bob, cat) have 3 links among them; 1 forest can hold only 1 · (3 − 1) = 2.'
    """
    n = len(nodes)
    return (
        f"Why not fewer: {counted(n, 'node')} ({shown_first(nodes, _NAMES, n)}) have {counted(links, 'link')} among "
        f"them; {counted(a - 1, 'forest')} can hold only {a - 1} · ({n:,} − 1) = {fewer_forests_hold:,}."
    )


def _write(graph: Graph, held: Forests, path: Path) -> None:
    """One line per link; names are written as in edge lists, so that the file can be read back as a graph."""
    from io import TextIOWrapper

    from philia.graphs.files.names import check_names, check_one_line, written_name
    from philia.storage import saving

    check_names(graph.nodes)
    check_one_line(graph.nodes)
    names = [written_name(name) for name in graph.nodes]
    i, j = graph.links
    with saving(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="\n")
        text.write("source,target,forest\n")
        lines = zip(i.tolist(), j.tolist(), held.of_link.tolist(), strict=True)
        text.writelines(f"{names[u]},{names[v]},{forest}\n" for u, v, forest in lines)
        text.flush()
        text.detach()
