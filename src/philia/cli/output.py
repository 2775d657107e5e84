"""What a command prints: results to standard output, remarks and progress to standard error, JSON or nothing if asked.

Lines that move while a command works are only shown on a terminal, so that logs stay readable.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

from philia._text import to_json
from philia.cli.wording import as_typed
from philia.exceptions import InputWarning

if TYPE_CHECKING:
    from rich.console import Console

    from philia.solvers import OnIteration

_PLAIN_WIDTH = 120
"""The width of tables in a file or a pipe, where no screen sets a limit: what most windows show without wrapping."""

_NARROWEST = 60
"""The minimum width of a table. A narrower screen wraps its lines, but its words stay whole."""

_BETWEEN, _SHORTEST = 3, 8
"""Blanks between two columns of a table, and the width below which no column is cut."""

_BAR = 12
"""The width of a bar: next to it, what is counted and the time left fit on a line of 80 columns."""


def console_for(stream: IO[str]) -> Console:
    """A console that prints names such as [red] or :smile: literally; colors and width follow the terminal.

    >>> console_for(sys.stdout).print("[red] and :smile: are printed as they are")
    [red] and :smile: are printed as they are
    """
    from rich.console import Console  # not before: most of a command's work needs none of it

    class LiteralConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the process; the guard of the commands does

    unlimited = not stream.isatty() and "COLUMNS" not in os.environ
    width = _PLAIN_WIDTH if unlimited else None
    console = LiteralConsole(file=stream, markup=False, emoji=False, highlight=False, width=width)
    console.width = max(console.width, _NARROWEST)
    return console


@dataclass(frozen=True)
class Output:
    """What a command says: to people, to programs (``json``), to developers (``debug``) or to nobody (``quiet``).

    >>> Output().say("2 nodes")
    2 nodes
    >>> Output(json=True).say("2 nodes")
    """

    json: bool = False
    quiet: bool = False
    debug: bool = False

    @cached_property
    def _out(self) -> Console:
        return console_for(sys.stdout)

    @cached_property
    def errors(self) -> Console:
        """The console for remarks and progress."""
        return console_for(sys.stderr)

    def say(self, sentence: str = "", style: str = "") -> None:
        """Print a result for people."""
        if not (self.json or self.quiet):
            self._out.print(sentence, style=style or None, soft_wrap=not self._out.is_terminal)

    def remark(self, sentence: str, style: str = "dim") -> None:
        """Print what is going on, to standard error."""
        if not self.quiet:
            self.errors.print(sentence, style=style, soft_wrap=not self.errors.is_terminal)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> None:
        """Print a table for people; ``right`` lists the columns of numbers, which are aligned to the right.

        A screen wraps long cells. In a file or a pipe a row stays on one line, for grep and the like, and a cell that
        is too long ends in "…"; files and JSON have everything.
        """
        if self.json or self.quiet:
            return
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        numbers = set(right)
        cells = [list(columns), *map(list, rows)]
        header, *lines = cells if self._out.is_terminal else _cut(cells, self._out.width)
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for number, name in enumerate(header):
            table.add_column(name, justify="right" if number in numbers else "left", overflow="fold")
        for line in lines:
            table.add_row(*line)
        self._out.print(table)
        self._out.print()

    def data(self, found: Mapping[str, Any]) -> None:
        """Print the result for programs; with ``--json``, nothing else goes to standard output."""
        if self.json:
            ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
            sys.stdout.write(to_json(found, indent=2, ensure_ascii=ascii_only) + "\n")

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Print what the library logs and what it warns of in the input, for the duration of the block."""
        logger = logging.getLogger("philia")
        handler = _Remarks(self)
        level = logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG if self.debug else logging.INFO)
        try:
            with self._warned():
                yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)

    @contextmanager
    def _warned(self) -> Iterator[None]:
        with warnings.catch_warnings():
            warnings.simplefilter("always", InputWarning)
            show = warnings.showwarning

            def remark(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
                if issubclass(category, InputWarning):
                    self.remark(as_typed(str(message)), style="yellow")
                else:
                    show(message, category, *rest, **named)

            warnings.showwarning = remark
            yield


def _cut(lines: list[list[str]], width: int) -> list[list[str]]:
    """The lines of a table with cells cut so that they fit on the width, the widest columns first.

    >>> _cut([["name", "members"], ["B1", "ann, bob, cat, dan"]], 16)
    [['name', 'members'], ['B1', 'ann, bob…']]
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    room = width - _BETWEEN * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _SHORTEST:
        widths[widths.index(max(widths))] -= 1
    return [
        [cell if len(cell) <= most else cell[: most - 1] + "…" for cell, most in zip(line, widths, strict=True)]
        for line in lines
    ]


class _Remarks(logging.Handler):
    """Prints log records as remarks, through the console, so that a progress line stays intact."""

    def __init__(self, out: Output) -> None:
        super().__init__()
        self._to = out

    def emit(self, record: logging.LogRecord) -> None:
        self._to.remark(as_typed(record.getMessage()))


@contextmanager
def progress_line(out: Output) -> Iterator[OnIteration | None]:
    """A function to call after every iteration, which shows the stage, the share of it that is done, and the time left.

    >>> with progress_line(Output(quiet=True)) as on_iteration:
    ...     print(on_iteration)
    None
    """
    if out.quiet or not out.errors.is_terminal:
        yield None
        return
    from philia.fitting.progress_bar import progress_bar

    with progress_bar(out.errors) as show:
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
