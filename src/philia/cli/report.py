"""philia report: a model as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from philia.cli import options
from philia.cli.files import check_target
from philia.cli.options import option
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.models import LinkModel

_SUFFIXES = (".html", ".htm")
_LARGE = 100_000
"""Above this many nodes the page takes about ten seconds or more, so a remark announces it."""


Labels = Annotated[Path | None, option("--labels", "For the report: a file of known groups.")]
Attributes = Annotated[Path | None, option("--attributes", "For the report: a table with a line per node.")]
Encoding = Annotated[str, option("--encoding", "Text encoding of these files (utf-8).")]
Title = Annotated[str | None, option("--title", "For the report: its heading.")]


def report(
    model: options.Model,
    output: Annotated[Path | None, option("-o --output", "The page (MODEL.html).")] = None,
    labels: Labels = None,
    attributes: Attributes = None,
    encoding: Encoding = "utf-8",
    title: Title = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Write a page about a model: its communities, how well it fits, and any node or pair to look up.

    The page is one HTML file that works offline in any browser.

    Example:
    $ philia report model.safetensors -o report.html
    $ philia report model.safetensors --labels known.txt --attributes people.csv --title "Our village"
    """
    out = Output(json, quiet, debug)
    target = Path(model.stem + ".html") if output is None else output
    check_report(target, force=force)
    with out.listening():
        from philia.models import load

        contents = known_for(labels, attributes, title, encoding)
        facts = write_page(out, load(model), target, **contents, source=model.name)
    out.say(f"Wrote {target} ({facts['bytes'] / 1e6:.1f} MB); open it in a browser.")
    out.data(facts)


def known_for(labels: Path | None, attributes: Path | None, title: str | None, encoding: str) -> dict[str, Any]:
    """What is known besides the links, read from files."""
    from philia.graphs import read_communities
    from philia.report import read_attributes

    return {
        "labels": None if labels is None else read_communities(labels, encoding=encoding),
        "attributes": None if attributes is None else read_attributes(attributes, encoding=encoding),
        "title": title,
    }


def check_report(path: Path, *, force: bool) -> None:
    """Raise an error, before any work, if the page cannot be written.

    >>> check_report(Path("report.pdf"), force=False)
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: the report 'report.pdf' must end in .html
    """
    if path.suffix.lower() not in _SUFFIXES:
        raise InvalidParameterError(f"the report {str(path)!r} must end in .html")
    check_target(path, force=force)
    from philia.report.html import check_charts

    check_charts()


def write_page(out: Output, model: LinkModel, target: Path, **contents: Any) -> dict[str, Any]:
    """Write the page with a progress line; its path and size in bytes."""
    from philia.cli.output import counting_line
    from philia.report import write_report

    if model.graph_.n_nodes > _LARGE:
        out.remark(f"Writing the report on {model.graph_.n_nodes:,} nodes; a million take a minute or two.")
    with counting_line(out, "nodes searched for missing links") as on_progress:
        write_report(model, target, **contents, on_progress=on_progress)
    return {"report": str(target), "bytes": target.stat().st_size}
