"""A rich console that takes text literally and leaves closed pipes to whoever runs the command."""

from __future__ import annotations

import os
from typing import IO

from rich.console import Console

_PLAIN_WIDTH = 240
"""Columns for tables that go to a file or a pipe, where no screen sets a limit."""

_NARROWEST = 60
"""Columns that a table has at least. A narrower screen breaks its lines, but its words stay whole."""


class LiteralConsole(Console):
    """Names such as [red] or :smile: mean nothing to it; colours and width follow the terminal, and NO_COLOR.

    >>> import sys
    >>> LiteralConsole(sys.stdout).print("[red] and :smile: stay what they are")
    [red] and :smile: stay what they are
    """

    def __init__(self, stream: IO[str]) -> None:
        unlimited = not stream.isatty() and "COLUMNS" not in os.environ
        width = _PLAIN_WIDTH if unlimited else None
        super().__init__(file=stream, markup=False, emoji=False, highlight=False, width=width)
        if self.width < _NARROWEST:
            self.width = _NARROWEST

    def on_broken_pipe(self) -> None:
        """Let the error through; rich would end the process itself."""
        raise BrokenPipeError
