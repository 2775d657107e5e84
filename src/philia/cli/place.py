"""philia place: where nodes that were not in the network belong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from philia.cli import options
from philia.cli.files import load_model
from philia.cli.naming import plain, shown
from philia.cli.options import option
from philia.cli.output import Output
from philia.cli.reading import DETECTED, reads_links
from philia.exceptions import InvalidParameterError
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from philia._types import Node
    from philia.graphs import Nodes
    from philia.models import Placement

_SHOWN = 50


@reads_links(only=["delimiter"])
def place(
    model: options.Model,
    links: Annotated[
        str,
        typer.Argument(
            metavar="LINKS",
            help="A file of links of new nodes with nodes of the model; - is standard input.",
            show_default=False,
        ),
    ],
    top: Annotated[int, option("--top", "How many of the likeliest other links to show for each (3).")] = 3,
    reading: ReadingOptions = DETECTED,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Place new nodes: their communities and likeliest other links, without fitting again.

    Names that the model does not know are the new nodes. All their links with nodes of the model should be in the file:
    whoever is not named there counts as not linked. Links between two new nodes are not considered.

    Example:
    $ philia place model.safetensors new_links.csv
    """
    out = Output(json, quiet, debug)
    if top < 1:
        raise InvalidParameterError(f"--top is {top}; ask for at least 1 link")
    with out.listening():
        from philia.cli.pairs import read_any_pairs
        from philia.models import CommunityModel

        fitted = load_model(model)
        if not isinstance(fitted, CommunityModel):
            raise InvalidParameterError(
                f"{str(model)!r} holds a {type(fitted).__name__}; only a CommunityModel can place new nodes"
            )
        nodes = fitted.graph_.nodes
        pairs = read_any_pairs(links, nodes, reading)
        neighbours, left_out = _sorted_out(pairs, nodes)
        for what, count in left_out.items():
            if count:
                out.remark(f"{count:,} link{'' if count == 1 else 's'} between two {what} left out.")
        if not neighbours:
            raise InvalidParameterError(
                f"every name in {links!r} is a node of the model already; philia communities --node shows one"
            )
        _show(out, fitted.place(neighbours), neighbours, top)


def _sorted_out(pairs: Iterable[tuple[Node, Node]], nodes: Nodes) -> tuple[dict[Node, list[Node]], dict[str, int]]:
    """The neighbours of each new node, and how many links say nothing about them."""
    neighbours: dict[Node, list[Node]] = {}
    left_out = {"nodes of the model": 0, "new nodes": 0}
    for u, v in pairs:
        new = [name for name in (u, v) if name not in nodes]
        for name in new:
            neighbours.setdefault(name, [])
        if len(new) == 1:
            neighbours[new[0]].append(v if new[0] == u else u)
        else:
            left_out["new nodes" if new else "nodes of the model"] += 1
    return neighbours, left_out


def _show(out: Output, placed: Placement, neighbours: dict[Node, list[Node]], top: int) -> None:
    found = placed.communities()
    facts: list[dict[str, Any]] = [
        {
            "node": plain(name),
            "links": [plain(other) for other in dict.fromkeys(neighbours[name])],
            "communities": found.of(name),
            "likeliest": [{"node": plain(x.v), "probability": x.probability} for x in placed.top_links(name, top)],
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
    out.say(f"Who is a member: {found.rule}.")
