"""philia convert: a network from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from philia.cli import options
from philia.cli.files import check_target, write_links
from philia.cli.options import DETECTED, reads_links
from philia.cli.output import Output
from philia.storage import ReadingOptions


@reads_links("weights")
def convert(
    source: options.Links,
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET", help="The new file; its extension gives the format; - prints .csv.", show_default=False
        ),
    ],
    reading: ReadingOptions = DETECTED,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Convert a network from one file format to another.

    Formats: .csv, .txt, .mtx, .npz, .graphml, .gexf, .gml or .parquet, followed by .gz, .bz2 or .xz to compress.

    Example:
    $ philia convert network.mtx links.csv
    $ philia convert network.mtx -
    """
    from philia.cli.summaries import graph_facts, graph_in_words
    from philia.graphs.files import read

    out = Output(json, quiet, debug)
    check_target(target, force=force, printing=True)
    with out.listening():
        graph = read(source, reading)
        write_links(graph, target)
    if str(target) == "-":
        return
    out.say(f"{'Standard input' if source == '-' else source} → {target}: {graph_in_words(graph)}")
    out.data({"source": source, "file": str(target), **graph_facts(graph)})
