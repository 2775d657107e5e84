"""A progress bar for fits, on terminals and in notebooks, and lines about them in logs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from philia.solvers import OnIteration, Progress

_BAR, _STAGE = 10, 43
"""The widths of a bar and of the name of a stage: with the share and the time left they fit on 80 columns."""

_BETWEEN = 0.1
"""Seconds between two pictures in a notebook: more of them would slow the fit down, and nobody could read them."""

_LINES, _SECONDS = 0.1, 30.0
"""In a log, a line follows the one before after this share of the work, or after this many seconds."""

_Draw = Callable[[str, float, str], None]
"""Shows a stage, the share that is done, and the time left."""


@contextmanager
def progress_bar(console: Console | None = None) -> Iterator[OnIteration]:
    """A function to call after every iteration, which shows the stage, the share of the fit that is done, and the time
    left.

    Without a console the bar goes to standard error, or below the cell of a notebook; if standard error is not a
    terminal, a line is written there now and then.

    >>> from philia.solvers import Progress
    >>> with progress_bar() as show:
    ...     show(Progress(iteration=3, iterations=200, value=12.5, seconds=0.1))  # to standard error
    """
    from rich.console import Console as Screen

    screen = console or Screen(stderr=True)
    with _place(screen) as draw:
        time_left = _TimeLeft()

        def show(progress: Progress) -> None:
            share = _share(progress)
            stage = progress.stage or f"fitting, iteration {progress.iteration} of {progress.iterations}"
            draw(stage, share, time_left(progress, share))

        yield show


def _place(screen: Console) -> AbstractContextManager[_Draw]:
    if screen.is_jupyter:
        return _in_notebook()
    return _on_terminal(screen) if screen.is_terminal else nullcontext(_in_log(screen))


def _share(progress: Progress) -> float:
    """The share that is done: of the whole, or else of this stage."""
    return progress.iteration / max(1, progress.iterations) if progress.share is None else progress.share


class _TimeLeft:
    """The time left, in words, from how long the share so far has taken.

    Iterations end at a limit or before it, so what they leave is at most that long; a share of the whole is a guess.
    """

    def __init__(self) -> None:
        self._of: str | None = None
        self._began = self._first = 0.0

    def __call__(self, progress: Progress, share: float) -> str:
        now = time.perf_counter()
        of = progress.stage if progress.share is None else "the whole"
        if of != self._of:
            self._of, self._began, self._first = of, now, share
        gained = share - self._first
        if gained <= 0:
            return ""
        minutes, seconds = divmod(round((now - self._began) * (1 - share) / gained), 60)
        return f"{'at most' if progress.share is None else 'about'} {minutes}:{seconds:02d} left"


@contextmanager
def _on_terminal(console: Console) -> Iterator[_Draw]:
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Line
    from rich.table import Column

    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", max_width=_STAGE)),
        BarColumn(bar_width=_BAR),
        TaskProgressColumn(),
        TextColumn("{task.fields[left]}", table_column=Column(no_wrap=True)),
    )
    with Line(*columns, console=console, transient=True) as line:
        task = line.add_task("reading communities", total=None, left="")
        yield lambda stage, share, left: line.update(task, description=stage, completed=share, total=1.0, left=left)


def _in_log(console: Console) -> _Draw:
    drawn, told = -_SECONDS, -1.0

    def draw(stage: str, share: float, left: str) -> None:
        nonlocal drawn, told
        if time.perf_counter() - drawn >= _SECONDS or share - told >= _LINES:
            console.out(f"{share:.0%} {stage} {left}".rstrip(), highlight=False)
            drawn, told = time.perf_counter(), share

    return draw


@contextmanager
def _in_notebook() -> Iterator[_Draw]:
    """A bar in plain HTML: widgets need a package of their own, and are lost when a notebook is saved."""
    from IPython.display import display

    handle: Any = display({"text/html": ""}, raw=True, display_id=True)
    drawn = 0.0

    def draw(stage: str, share: float, left: str) -> None:
        nonlocal drawn
        if time.perf_counter() - drawn >= _BETWEEN:
            bar = f'<progress value="{share:.3f}" max="1"></progress>'
            handle.update({"text/html": f"{bar} {share:.0%} {escape(stage)} {left}"}, raw=True)
            drawn = time.perf_counter()

    try:
        yield draw
    finally:
        handle.update({"text/html": ""}, raw=True)
