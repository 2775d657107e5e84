"""What happens when a command fails: a sentence for people, an exit code for programs, a traceback for developers."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from typing import Any

import typer
from typer.core import TyperCommand

from philia.exceptions import PhiliaError

MISTAKE, BUG, INTERRUPTED, CLOSED = 2, 1, 130, 141
"""Exit codes: what was asked for cannot be done; philia failed; Ctrl-C; the reader of a pipe went away."""


class GuardedCommand(TyperCommand):
    """A command whose errors end in one red sentence on standard error, with ``--debug`` after a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # a closed pipe shows here, not when Python says goodbye
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError:
            _forget_stdout()
            raise typer.Exit(CLOSED) from None
        except (Exception, KeyboardInterrupt) as error:
            if ctx.params.get("debug"):
                traceback.print_exc()
            sentence, code = in_words(error)
            _complain(sentence)
            raise typer.Exit(code) from None
        return result


def in_words(error: BaseException) -> tuple[str, int]:
    """A sentence about an error, and the exit code that goes with it.

    >>> in_words(PhiliaError("the graph has no nodes"))
    ('the graph has no nodes', 2)
    >>> in_words(FileNotFoundError(2, "No such file or directory", "there/new.csv"))
    ("'there/new.csv': No such file or directory", 2)
    """
    if isinstance(error, PhiliaError):
        return str(error), MISTAKE
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted.", INTERRUPTED
    if isinstance(error, MemoryError):
        return "There was not enough memory; try a smaller graph or fewer communities.", MISTAKE
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename!r}: {error.strerror}" if error.filename else error.strerror, MISTAKE
    said = f"{type(error).__name__}: {error}".strip(": ")
    return f"This is a bug in philia ({said}). Run the same command with --debug and report what it shows.", BUG


def _complain(sentence: str) -> None:
    from philia.cli.output import console_for

    console = console_for(sys.stderr)
    console.print(sentence, style="red", soft_wrap=not console.is_terminal)


def _forget_stdout() -> None:
    """Send what is still to be written nowhere, so that Python does not try once more on its way out."""
    with suppress(OSError, ValueError):  # where standard output is no real file there is nothing to forget
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
