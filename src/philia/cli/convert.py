"""philia convert: a network from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from philia.cli import options
from philia.cli.files import check_target, reader_options
from philia.cli.output import Output


def convert(
    source: options.Links,
    target: Annotated[
        Path,
        typer.Argument(metavar="TARGET", help="The new file; its extension gives the format.", show_default=False),
    ],
    delimiter: options.Delimiter = None,
    comment: options.Comment = None,
    header: options.Header = None,
    columns: options.Columns = None,
    encoding: options.Encoding = "utf-8",
    symmetrize: options.Symmetrize = False,
    weights: options.Weights = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Convert a network from one file format to another.

    Formats: .csv, .txt, .mtx, .npz, .graphml, .gexf, .gml or .parquet, followed by .gz, .bz2 or .xz to compress.

    Example:
    $ philia convert network.mtx links.csv
    """
    from philia.cli.summaries import graph_facts, graph_in_words
    from philia.graphs import read_graph, write_graph

    out = Output(json, quiet, debug)
    check_target(target, force=force)
    with out.listening():
        reading = reader_options(delimiter, comment, header, columns, encoding, symmetrize, weights)
        graph = read_graph(source, **reading)
        write_graph(graph, target)
    out.say(f"{'Standard input' if source == '-' else source} → {target}: {graph_in_words(graph)}")
    out.data({"source": source, "file": str(target), **graph_facts(graph)})
