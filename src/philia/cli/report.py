"""philia report: a model as one page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from philia.cli import options
from philia.cli.files import check_target, load_model
from philia.cli.options import option
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.models import LinkModel

_SUFFIXES = (".html", ".htm")
_LARGE = 100_000


def report(
    model: options.Model,
    output: Annotated[Path | None, option("-o --output", "The page (MODEL.html, here).")] = None,
    labels: Annotated[Path | None, option("--labels", "Known groups, to compare with: one a line, or a table.")] = None,
    title: Annotated[str | None, option("--title", "What stands at the top (the name of the model file).")] = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Make a page about a model: its communities, how well it fits, and any node and pair to look up.

    The page is one HTML file that any browser opens, without a network.

    Example:
    $ philia report model.safetensors -o report.html
    $ philia report model.safetensors --labels known.txt --title "Our village"
    """
    out = Output(json, quiet, debug)
    target = Path(model.stem + ".html") if output is None else output
    check_report(target, force=force)
    with out.listening():
        fitted = load_model(model)
        facts = make_report(out, fitted, target, labels=labels, title=title or model.stem, source=model.name)
    out.say(f"Wrote {target} ({facts['bytes'] / 1e6:.1f} MB); open it in a browser.")
    out.data(facts)


def check_report(path: Path, *, force: bool) -> None:
    """Complain, before any work, if the page cannot be written.

    >>> check_report(Path("report.pdf"), force=False)
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: the report 'report.pdf' must end in .html
    """
    if path.suffix.lower() not in _SUFFIXES:
        raise InvalidParameterError(f"the report {str(path)!r} must end in .html")
    check_target(path, force=force)
    from philia.report.charts import check_charts

    check_charts()


def make_report(
    out: Output, model: LinkModel, target: Path, *, labels: Path | None = None, title: str, source: str
) -> dict[str, Any]:
    """Write the page; where it is, and how large."""
    from philia.cli.progress import counting_line
    from philia.graphs import read_communities
    from philia.report import write_report

    known = None if labels is None else read_communities(labels)
    if model.graph_.n_nodes > _LARGE:
        out.remark(f"Making the report of {model.graph_.n_nodes:,} nodes; a million take a minute or two.")
    with counting_line(out, "nodes searched for missing links") as on_progress:
        write_report(model, target, labels=known, title=title, source=source, on_progress=on_progress)
    return {"report": str(target), "bytes": target.stat().st_size}
