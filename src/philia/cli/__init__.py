"""The command line: one module per command, each of which parses, calls the library and prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Annotated

import typer

from philia._version import __version__
from philia.cli.guard import GuardedCommand, GuardedGroup, guarded_streams

__all__ = ["COMMANDS", "app", "main", "program"]

Command = Callable[..., None] | typer.Typer

_MODULES = (
    "demo",
    "fit",
    "info",
    "communities",
    "report",
    "explain",
    "predict",
    "place",
    "sample",
    "compare",
    "exact",
    "verify",
    "arboricity",
    "convert",
    "reproduce",
    "datasets",
)
COMMANDS: tuple[Command, ...] = tuple(getattr(import_module(f"philia.cli.{name}"), name) for name in _MODULES)
"""The commands in the order of ``philia --help``; each is the function, or group, with the name of its module."""


def program(commands: Iterable[Command] = COMMANDS) -> typer.Typer:
    """The program with these commands.

    >>> [command.callback.__name__ for command in program().registered_commands][:3]
    ['demo', 'fit', 'info']
    """
    made = typer.Typer(
        name="philia",
        cls=GuardedGroup,
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    for command in commands:
        if isinstance(command, typer.Typer):
            made.add_typer(command, name=command.info.name)
        else:
            made.command(cls=GuardedCommand)(command)
    made.callback()(_philia)
    return made


def _version(asked: bool) -> None:
    if asked:
        print(f"philia {__version__}")
        raise typer.Exit


def _philia(
    context: typer.Context,
    _asked: Annotated[
        bool, typer.Option("--version", "-V", "-v", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """How a network is put together: communities that attract, communities that repel, and reasons for every link.

    Start with: philia demo
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


app = program()


def main() -> None:
    """Run the command line."""
    with guarded_streams():
        app(prog_name="philia")
