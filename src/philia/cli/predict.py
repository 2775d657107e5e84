"""philia predict: probabilities of given pairs, or the likeliest missing links."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from philia.cli import options
from philia.cli.files import check_target
from philia.cli.nodes import node_called, plain, read_pairs, shown
from philia.cli.options import DETECTED, option, reads_links
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from philia.models import LinkModel

_SHOWN = 50
"""Pairs listed in the table: about a screen; -o writes all."""

_Rows = Sequence[tuple[Any, Any, float, bool]]


@reads_links(only=["delimiter"])
def predict(
    model: options.Model,
    pairs: Annotated[
        str | None,
        typer.Argument(metavar="PAIRS", help="A file of pairs of nodes; - is standard input.", show_default=False),
    ] = None,
    node: Annotated[str | None, option("--node", "Only missing links of this node.")] = None,
    top: Annotated[int | None, option("--top", "Number of missing links (10).")] = None,
    output: Annotated[Path | None, option("-o --output", "Write a .csv file; - prints it.")] = None,
    reading: ReadingOptions = DETECTED,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Predict links: the probabilities of the pairs in a file, or the likeliest missing links.

    Example:
    $ philia predict model.safetensors pairs.csv -o probabilities.csv
    $ philia predict model.safetensors --node ann --top 5
    """
    out = Output(json, quiet, debug)
    if pairs is not None and (node is not None or top is not None):
        raise InvalidParameterError("give a file of pairs, or --node and --top for missing links, but not both")
    printing = output is not None and str(output) == "-"
    if output is not None and not printing:
        if output.suffix != ".csv":
            raise InvalidParameterError(f"the file of probabilities {str(output)!r} must end in .csv")
        check_target(output, force=force)
    with out.listening():
        from philia.models import load

        fitted = load(model)
        rows = (
            _of_pairs(fitted, pairs, reading)
            if pairs is not None
            else _missing(fitted, node, 10 if top is None else top)
        )
        if printing:
            _csv(rows, sys.stdout)
            return
        if output is not None:
            _write_csv(rows, output)
            out.say(f"Wrote {len(rows):,} probabilities to {output}.")
        else:
            _show(out, rows)
    names = ("source", "target", "probability", "linked")
    out.data({"links": [dict(zip(names, (plain(u), plain(v), p, linked), strict=True)) for u, v, p, linked in rows]})


def _of_pairs(model: LinkModel, path: str, reading: ReadingOptions) -> _Rows:
    listed = read_pairs(path, model.graph_.nodes, reading)
    if not listed:
        return []
    graph = model.graph_
    rows, columns = (graph.nodes.rows(pair[end] for pair in listed) for end in (0, 1))
    linked = graph.linked(rows, columns).tolist()
    found = model.predict_proba(listed).tolist()
    return [(u, v, p, is_link) for (u, v), p, is_link in zip(listed, found, linked, strict=True)]


def _missing(model: LinkModel, node: str | None, count: int) -> _Rows:
    name = None if node is None else node_called(model.graph_.nodes, node)
    return [(link.u, link.v, link.probability, False) for link in model.top_links(count, node=name)]


def _show(out: Output, rows: _Rows) -> None:
    if not rows:
        out.say("There are no pairs to predict.")
        return
    lines = [(shown(u), shown(v), f"{p:.4g}", "linked" if linked else "") for u, v, p, linked in rows[:_SHOWN]]
    out.table(["node", "node", "probability", "in the data"], lines, right=(2,))
    if len(rows) > _SHOWN:
        out.say(f"… and {len(rows) - _SHOWN:,} more; -o probabilities.csv writes all of them.")


def _write_csv(rows: _Rows, path: Path) -> None:
    from io import TextIOWrapper

    from philia.storage import saving

    with saving(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        _csv(rows, text)
        text.flush()
        text.detach()


def _csv(rows: _Rows, file: Any) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["source", "target", "probability"])
    writer.writerows((u, v, repr(p)) for u, v, p, _ in rows)
