"""philia reproduce: the paper's figures and tables, run again by the experiments of the repository."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import philia
from philia.cli import options
from philia.cli.options import option
from philia.cli.output import Output
from philia.exceptions import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from experiments import OnTask, Reproduction, Standing


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME", help="table1, introduction, statements, reconstruction, communities, links (all)."
        ),
    ] = None,
    output: Annotated[Path, option("-o --output", "The folder for results and pages (reproduction).")] = Path(
        "reproduction"
    ),
    quick: Annotated[bool, option("--quick", "Small data and few iterations: about a minute.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Run the paper's experiments again and say which claims hold; a run that was stopped resumes.

    Example:
    $ philia reproduce table1
    """
    out = Output(json, quiet, debug)
    _find_experiments()
    with out.listening(), _progress(out) as on_task:
        from experiments import QUICK, WHOLE
        from experiments import reproduce as run

        found = run(output, names or (), QUICK if quick else WHOLE, on_task)
    _show(out, found, tables=len(names or ()) == 1)
    out.data(
        {
            "page": str(found.page),
            "claims": [vars(claim) for claim in found.claims],
            "missing": list(found.missing),
        }
    )


def _find_experiments() -> None:
    """Make the experiments importable, if philia was installed from its repository."""
    root = Path(philia.__file__).resolve().parents[2]
    if not ((root / "experiments").is_dir() and (root / "pyproject.toml").is_file()):
        raise MissingDependencyError(
            "the experiments are part of philia's repository, not of the installed package; get the repository or the "
            "source distribution, run `pip install --editable .` in its folder, and repeat the command"
        )
    sys.path.insert(0, str(root))


@contextmanager
def _progress(out: Output) -> Iterator[OnTask | None]:
    """A progress line on a terminal, elsewhere a remark per task."""
    if out.quiet:
        yield None
        return
    if not out.errors.is_terminal:
        yield lambda standing: out.remark(_in_words(standing))
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.completed} of {task.total}"), BarColumn(bar_width=12), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.description}"), console=out.errors, transient=True) as line:
        task = line.add_task("", total=None)

        def show(standing: Standing) -> None:
            line.update(task, completed=standing.done, total=standing.total, description=_in_words(standing))

        yield show


def _in_words(standing: Standing) -> str:
    task = standing.task
    return (
        f"{standing.done + 1} of {standing.total}: {task.experiment}, {task.dataset}, {task.method}, seed {task.seed}"
    )


def _show(out: Output, found: Reproduction, *, tables: bool) -> None:
    if tables:
        for table in filter(lambda table: table.rows, found.tables):
            out.say(table.title, style="bold")
            out.table(table.columns, table.rows, right=range(1, len(table.columns)))
            if table.note:
                out.say(table.note)
    out.table(
        ["where", "claim", "measured", "verdict"], [(c.where, c.claim, c.measured, c.verdict) for c in found.claims]
    )
    for sentence in found.missing:
        out.say(f"Not run: {sentence}", style="yellow")
    out.say(f"Figures and tables: {found.page}")
