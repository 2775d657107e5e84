"""Lines that move while a command works; only on a terminal, so that logs stay readable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from philia.cli.output import Output

if TYPE_CHECKING:
    from philia.solvers import OnIteration, Progress

_BAR = 12
"""The width of a bar: next to it, loss, speed and time left fit on a line of 100 columns."""


@contextmanager
def progress_line(out: Output) -> Iterator[OnIteration | None]:
    """A function to call after every iteration, which shows the iteration, loss, speed and time left.

    >>> with progress_line(Output(quiet=True)) as on_iteration:
    ...     print(on_iteration)
    None
    """
    if out.quiet or not out.errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Line

    columns = (
        TextColumn("{task.fields[stage]}iteration {task.completed} of {task.total}"),
        BarColumn(bar_width=_BAR),
        TextColumn("loss {task.fields[loss]}"),
        TextColumn("{task.fields[speed]}"),
        TextColumn("at most"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Line(*columns, console=out.errors, transient=True) as line:
        task = line.add_task("fit", total=None, loss="…", speed="", stage="")

        def show(progress: Progress) -> None:
            speed = progress.iteration / max(progress.seconds, 1e-9)  # the first report may come within a clock tick
            line.update(
                task,
                completed=progress.iteration,
                total=progress.iterations,
                loss=f"{progress.value:,.6g}",
                speed=f"{speed:,.1f} iterations/s",
                stage=f"{progress.stage}: " if progress.stage else "",
            )

        yield show


@contextmanager
def counting_line(out: Output, what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A function of the work done and the total, which shows both and the time left.

    >>> with counting_line(Output(quiet=True), "checking rows") as on_progress:
    ...     print(on_progress)
    None
    """
    if out.quiet or not out.errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Line

    columns = (
        TextColumn(what),
        MofNCompleteColumn(),
        BarColumn(bar_width=_BAR),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Line(*columns, console=out.errors, transient=True) as line:
        task = line.add_task(what, total=None)
        yield lambda done, total: line.update(task, completed=done, total=total)
