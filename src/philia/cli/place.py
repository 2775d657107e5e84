"""philia place: fold-in of new nodes into a fitted model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from philia.cli import options
from philia.cli.files import load_community_model
from philia.cli.nodes import plain, read_any_pairs, shown
from philia.cli.options import DETECTED, option, reads_links
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from philia._types import Node
    from philia.graphs import Nodes
    from philia.models import Placement

_SHOWN = 50
"""Nodes listed in the table: about a screen; --json prints all."""


@reads_links(only=["delimiter"])
def place(
    model: options.Model,
    links: Annotated[
        str,
        typer.Argument(
            metavar="LINKS",
            help="A file of links between new nodes and nodes of the model; - is standard input.",
            show_default=False,
        ),
    ],
    top: Annotated[int, option("--top", "Likeliest other links to show per node (3).")] = 3,
    reading: ReadingOptions = DETECTED,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Place new nodes (fold-in): their communities and likeliest other links, without refitting.

    Names that are not in the model are the new nodes. The file should contain all their links with nodes of the model:
    pairs that are missing count as not linked. Links between two new nodes are ignored.

    Example:
    $ philia place model.safetensors new_links.csv
    """
    out = Output(json, quiet, debug)
    if top < 1:
        raise InvalidParameterError(f"--top is {top}; it must be at least 1")
    with out.listening():
        fitted = load_community_model(model, "place new nodes")
        nodes = fitted.graph_.nodes
        pairs = read_any_pairs(links, nodes, reading)
        neighbours, ignored = _neighbours(pairs, nodes)
        for what, count in ignored.items():
            if count:
                out.remark(f"{count:,} link{'' if count == 1 else 's'} between two {what} ignored.")
        if not neighbours:
            raise InvalidParameterError(
                f"every name in {links!r} is already a node of the model; philia communities --node shows it"
            )
        _show(out, fitted.place(neighbours), neighbours, top)


def _neighbours(pairs: Iterable[tuple[Node, Node]], nodes: Nodes) -> tuple[dict[Node, list[Node]], dict[str, int]]:
    """The neighbours of each new node, and the number of links that are not between a new and a known node."""
    neighbours: dict[Node, list[Node]] = {}
    ignored = {"nodes of the model": 0, "new nodes": 0}
    for u, v in pairs:
        new = [name for name in (u, v) if name not in nodes]
        for name in new:
            neighbours.setdefault(name, [])
        if len(new) == 1:
            neighbours[new[0]].append(v if new[0] == u else u)
        else:
            ignored["new nodes" if new else "nodes of the model"] += 1
    return neighbours, ignored


def _show(out: Output, placed: Placement, neighbours: dict[Node, list[Node]], top: int) -> None:
    found = placed.communities()
    facts: list[dict[str, Any]] = [
        {
            "node": plain(name),
            "links": [plain(other) for other in dict.fromkeys(neighbours[name])],
            "communities": found.of(name),
            "likeliest": [{"node": plain(x.v), "probability": x.probability} for x in placed.top_links(top, node=name)],
        }
        for name in placed.nodes
    ]
    out.data({"rule": found.rule, "residual": placed.kkt, "nodes": facts})
    rows = [
        (
            shown(fact["node"]),
            f"{len(fact['links']):,}",
            ", ".join(f"{key} {share:.2f}" for key, share in fact["communities"].items()) or "none",
            ", ".join(f"{shown(other['node'])} {other['probability']:.2g}" for other in fact["likeliest"]),
        )
        for fact in facts[:_SHOWN]
    ]
    out.table(["new node", "links", "communities", "likeliest other links"], rows, right=(1,))
    if len(facts) > _SHOWN:
        out.say(f"… and {len(facts) - _SHOWN:,} more; --json prints all of them.")
    out.say(f"Membership rule: {found.rule}.")
