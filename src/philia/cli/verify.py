"""philia verify: whether numbers in a file are exactly a network."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from philia.cli import options
from philia.cli.exact import in_words
from philia.cli.files import reader_options
from philia.cli.output import Output
from philia.cli.progress import counting_line


def verify(
    links: options.Links,
    exact: Annotated[Path, typer.Argument(metavar="EXACT", help="A file by philia exact.", show_default=False)],
    delimiter: options.Delimiter = None,
    comment: options.Comment = None,
    header: options.Header = None,
    columns: options.Columns = None,
    encoding: options.Encoding = "utf-8",
    symmetrize: options.Symmetrize = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Check again, pair by pair, that the numbers in a file are exactly a network.

    Nothing is taken on trust: every pair is decided anew, and so is what the certificate says. Nodes are matched by
    name. If anything is wrong, the first pair that is wrong is named and the exit code is 2.

    Example:
    $ philia verify links.csv exact.json
    """
    from philia.exact import load_exact
    from philia.graphs import read_graph

    out = Output(json, quiet, debug)
    with out.listening():
        graph = read_graph(links, **reader_options(delimiter, comment, header, columns, encoding, symmetrize))
        found = load_exact(exact)
        with counting_line(out, "checking rows") as on_progress:
            certificate = found.verify(graph, on_progress)
    out.data({"file": links, "exact": str(exact), "verified": True, "certificate": asdict(certificate)})
    out.say(f"Verified: {exact} is exactly {'the network on standard input' if links == '-' else links}.")
    for sentence in in_words(certificate):
        out.say(sentence)
