"""Where words go: results to standard output, remarks to standard error, JSON or nothing if that was asked for."""

from __future__ import annotations

import json
import logging
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from philia.cli.console import LiteralConsole


def console_for(stream: IO[str]) -> LiteralConsole:
    """A console for a stream; rich is loaded only now, as most of what a command line does needs none of it."""
    from philia.cli.console import LiteralConsole

    return LiteralConsole(stream)


@dataclass(frozen=True)
class Output:
    """What a command says, and to whom: to people, to programs (``json``), to developers (``debug``) or to nobody.

    >>> Output().say("2 nodes")
    2 nodes
    >>> Output(json=True).say("2 nodes")
    """

    json: bool = False
    quiet: bool = False
    debug: bool = False

    @cached_property
    def _out(self) -> LiteralConsole:
        return console_for(sys.stdout)

    @cached_property
    def errors(self) -> LiteralConsole:
        """The console of remarks and progress."""
        return console_for(sys.stderr)

    def say(self, sentence: str = "", style: str = "") -> None:
        """A result for people."""
        if not (self.json or self.quiet):
            self._out.print(sentence, style=style or None, soft_wrap=not self._out.is_terminal)

    def remark(self, sentence: str, style: str = "dim") -> None:
        """What is going on, beside the results."""
        if not self.quiet:
            self.errors.print(sentence, style=style, soft_wrap=not self.errors.is_terminal)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> None:
        """A table for people; ``right`` lists the columns that hold numbers."""
        if self.json or self.quiet:
            return
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        numbers = set(right)
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for place, name in enumerate(columns):
            table.add_column(name, justify="right" if place in numbers else "left", overflow="fold")
        for row in rows:
            table.add_row(*row)
        self._out.print(table)
        self._out.print()

    def data(self, found: Mapping[str, Any]) -> None:
        """The result for programs; the only thing on standard output if it was asked for."""
        if self.json:
            ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
            sys.stdout.write(json.dumps(_finite(found), indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n")

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Pass on what the library logs, such as that it compiles for the first time, for as long as a command runs."""
        logger = logging.getLogger("philia")
        handler = _Remarks(self)
        level = logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG if self.debug else logging.INFO)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)


class _Remarks(logging.Handler):
    """Log records as remarks; through the console, so that a progress line stays whole."""

    def __init__(self, out: Output) -> None:
        super().__init__()
        self._to = out

    def emit(self, record: logging.LogRecord) -> None:
        self._to.remark(record.getMessage())


def _finite(value: Any) -> Any:
    """The same with null in the place of infinity and of what is not a number, which JSON does not know.

    >>> _finite({"odds": [1.5, float("inf")]})
    {'odds': [1.5, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
