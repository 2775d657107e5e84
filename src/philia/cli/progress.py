"""The line that moves while a model is fitted; on a terminal only, so that logs stay readable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from philia.cli.output import Output

if TYPE_CHECKING:
    from philia.solvers import OnIteration, Progress


@contextmanager
def progress_line(out: Output) -> Iterator[OnIteration | None]:
    """Something to call after every iteration: shows iteration, loss, speed and the time left on standard error.

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
        BarColumn(bar_width=12),
        TextColumn("loss {task.fields[loss]}"),
        TextColumn("{task.fields[speed]}"),
        TextColumn("at most"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Line(*columns, console=out.errors, transient=True) as line:
        task = line.add_task("fit", total=None, loss="…", speed="", stage="")

        def show(progress: Progress) -> None:
            speed = progress.iteration / max(progress.seconds, 1e-9)
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
    """Something to call with how much is done and of how much: shows both, and the time left, on standard error.

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
        BarColumn(bar_width=12),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Line(*columns, console=out.errors, transient=True) as line:
        task = line.add_task(what, total=None)
        yield lambda done, total: line.update(task, completed=done, total=total)
