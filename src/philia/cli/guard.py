"""The guard around every command: errors become a sentence, an exit code and, with --debug, a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from philia._interrupts import interruptible
from philia.cli.options import complete_help
from philia.cli.wording import as_typed, plainly
from philia.exceptions import PhiliaError

_MISTAKE, _BUG, INTERRUPTED, _CLOSED = 2, 1, 130, 141
"""Exit codes: wrong use; a bug in philia; Ctrl-C (128 + SIGINT); the reader of a pipe went away (128 + SIGPIPE)."""


class GuardedGroup(TyperGroup):
    """A group of commands; closed pipes and Ctrl-C end it as they end its commands."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help."""
        complete_help(self.get_params(ctx))
        with _help_cut_off():
            super().format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; ``help fit`` and ``version`` are what others would type."""
        if args and args[0] in ("help", "version") and args[0] not in self.commands:
            args = [*args[1:], "--help"] if args[0] == "help" else ["--version"]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def make_context(self, *arguments: Any, **named: Any) -> Any:
        """Read the options."""
        with _interruptible():
            return super().make_context(*arguments, **named)

    def invoke(self, ctx: Any) -> Any:
        """Find the command and run it."""
        with _interruptible():
            return super().invoke(ctx)


class GuardedCommand(TyperCommand):
    """A command whose errors are one red sentence on standard error, with ``--debug`` after a traceback."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help."""
        complete_help(self.get_params(ctx))
        with _help_cut_off():
            super().format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; a wrong value is refused in plain words."""
        try:
            parsed: list[str] = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = plainly(error.message)
            raise
        return parsed

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            with interruptible():
                result = super().invoke(ctx)
            sys.stdout.flush()  # a closed pipe is noticed here, not when Python exits
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError:
            _forget_stdout()
            raise typer.Exit(_CLOSED) from None
        except (Exception, KeyboardInterrupt) as error:
            if ctx.params.get("debug"):
                traceback.print_exc()
            sentence, code = _in_words(error)
            _complain(sentence)
            raise typer.Exit(code) from None
        return result


def _in_words(error: BaseException) -> tuple[str, int]:
    """A sentence about an error, and its exit code.

    >>> _in_words(PhiliaError("the graph has no nodes"))
    ('the graph has no nodes', 2)
    >>> _in_words(FileNotFoundError(2, "No such file or directory", "there/new.csv"))
    ("'there/new.csv': No such file or directory", 2)
    """
    if isinstance(error, PhiliaError):
        return as_typed(str(error)), _MISTAKE
    if isinstance(error, KeyboardInterrupt):
        return f"Interrupted. {error}".strip(), INTERRUPTED
    if isinstance(error, MemoryError):
        return "Not enough memory; try a smaller graph or fewer communities.", _MISTAKE
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename!r}: {error.strerror}" if error.filename else error.strerror, _MISTAKE
    said = f"{type(error).__name__}: {error}".strip(": ")
    return f"This is a bug in philia ({said}). Run the same command with --debug and report what it shows.", _BUG


def _complain(sentence: str) -> None:
    from philia.cli.output import console_for

    console = console_for(sys.stderr)
    console.print(sentence, style="red", soft_wrap=not console.is_terminal)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Keep the standard streams usable for the duration of the block, even if the caller has closed some of them."""
    # The descriptor of a closed stream would be given to the next file that is opened, such as a model.
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  (until the end)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # escape letters that the terminal does not know instead of crashing
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
        sys.exit(_CLOSED)
    except OSError as error:  # such as a full disk while help is written to a file
        _forget_stdout()
        _complain(_in_words(error)[0])
        sys.exit(_MISTAKE)


@contextmanager
def _interruptible() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as error:
        sentence, code = _in_words(error)
        _complain(sentence)
        raise typer.Exit(code) from None
    except BrokenPipeError:
        _forget_stdout()
        raise typer.Exit(_CLOSED) from None


@contextmanager
def _help_cut_off() -> Iterator[None]:
    try:
        yield
    except SystemExit:  # rich exits with 1 on a closed pipe
        raise typer.Exit(_CLOSED) from None


def _forget_stdout() -> None:
    """Discard what is still buffered, so that Python does not try to write it again on exit."""
    with suppress(OSError, ValueError):  # nothing to discard if standard output is not a real file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
