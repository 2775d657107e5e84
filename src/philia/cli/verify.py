"""philia verify: whether an exact representation in a file matches a network."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from philia._text import counted
from philia.cli import options
from philia.cli.exact import proof_in_words, size_in_words
from philia.cli.options import DETECTED, option, reads_links
from philia.cli.output import Output, counting_line
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from philia.exact import Certified
    from philia.graphs import Graph


@reads_links()
def verify(
    links: options.Links,
    exact: Annotated[Path, typer.Argument(metavar="EXACT", help="A file written by philia exact.", show_default=False)],
    reading: ReadingOptions = DETECTED,
    loops: Annotated[bool, option("--loops", "Accept representations that link nodes with themselves.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Verify, pair by pair, that the representation in a file is exactly a network.

    Everything the certificate says is checked again, except how the representation was constructed. Nodes are matched
    by name. If anything is wrong, the first wrong pair is shown and the exit code is 2.

    Example:
    $ philia verify links.csv exact.json
    """
    from philia.exact import load_exact
    from philia.graphs.files import read

    out = Output(json, quiet, debug)
    with out.listening():
        graph = read(links, reading)
        found = load_exact(exact)
        with counting_line(out, "checking rows") as on_progress:
            certificate = found.verify(graph, on_progress, loops=loops)
    facts = {"verified": True, "looped": found.looped, "changes": asdict(graph.changes)}
    out.data({"file": links, "exact": str(exact), **facts, "certificate": asdict(certificate)})
    network = "the network on standard input" if links == "-" else links
    out.say(f"Verified: {exact} is exactly {network}{_other_than_given(graph, found)}.")
    out.say(size_in_words(found))
    out.say(f"The file calls its construction {certificate.construction!r}, which was not checked.")
    for sentence in proof_in_words(certificate):
        out.say(sentence)


def _other_than_given(graph: Graph, found: Certified) -> str:
    """How the graph that was checked differs from the file of links, so that the first line claims no more."""
    looped = found.looped
    shown = ", ".join(map(repr, looped[:3])) + (", …" if len(looped) > 3 else "")
    added = f" with loops added at {counted(len(looped), 'node')} ({shown})" if looped else ""
    return added + (f" as it was read ({graph.changes})" if graph.changes else "")
