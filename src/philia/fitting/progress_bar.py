"""A progress bar for fits, on terminals and in notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from philia.solvers import OnIteration, Progress

_BAR, _STAGE = 10, 44
"""The widths of a bar and of the name of a stage: with the share and the time left they fit on 80 columns."""


@contextmanager
def progress_bar(console: Console | None = None) -> Iterator[OnIteration]:
    """A function to call after every iteration, which shows the stage, the share of it that is done, and the time left.

    Without a console the bar goes to standard error, or below the cell of a notebook.

    >>> from philia.solvers import Progress
    >>> with progress_bar() as show:
    ...     show(Progress(iteration=3, iterations=200, value=12.5, seconds=0.1))
    """
    from rich.console import Console as Screen
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Line
    from rich.table import Column

    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", max_width=_STAGE)),
        BarColumn(bar_width=_BAR),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left at most"),
    )
    with Line(*columns, console=console or Screen(stderr=True), transient=True) as line:
        task = line.add_task("reading communities off the links", total=None)
        stages: dict[str, int] = {}

        def show(progress: Progress) -> None:
            if progress.stage not in stages:
                stages[progress.stage] = len(stages) + 1
                line.reset(task)
            done, total = progress.iteration, progress.iterations
            trial = f"step {stages[progress.stage]}: {progress.stage}"
            stage = trial if progress.stage else f"fitting, iteration {done} of {total}"
            line.update(task, completed=done, total=total, description=stage)

        yield show
