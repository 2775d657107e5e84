"""The command line: one module per command, each of which parses, calls the library and prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Annotated, Any

import typer

from philia._version import __version__
from philia.cli.guard import GuardedCommand, GuardedGroup, guarded_streams

__all__ = ["COMMANDS", "app", "main", "program"]

Command = Callable[..., None] | typer.Typer

_SUMMARIES = {
    "demo": "Show what philia does, on a made-up dating app: figures and a report in a folder, in less than a minute.",
    "fit": "Find the communities of a network; Ctrl-C saves the best so far.",
    "info": "Describe a file: the size of a network, or the settings and fit of a model.",
    "communities": "List the communities of a model: kind, strength, size and strongest members.",
    "report": "Write a page about a model: its communities, how well it fits, and any node or pair to look up.",
    "explain": "Explain a prediction: the effect of every community on the odds of one link, or on its score.",
    "predict": "Predict links: the probabilities of the pairs in a file, or the likeliest missing links.",
    "place": "Place new nodes (fold-in): their communities and likeliest other links, without refitting.",
    "sample": "Sample a new network on the same nodes, each link with its fitted probability.",
    "compare": "Fit several models with the same pairs held out, and see which predicts these best.",
    "exact": "Represent a network exactly, by a few nonnegative integers per node, and certify every pair.",
    "verify": "Verify, pair by pair, that the representation in a file is exactly a network.",
    "arboricity": "Compute the exact arboricity, and show the densest part, which needs that many forests.",
    "convert": "Convert a network from one file format to another.",
    "reproduce": "Run the paper's experiments again and say which claims hold; a run that was stopped resumes.",
    "datasets": "List, describe and download real networks with labels.",
}
"""The commands in the order of ``philia --help``, and what they say of themselves there, which loads none of them."""


def _loaded(name: str) -> Command:
    """The function, or group, with the name of its module."""
    found: Command = getattr(import_module(f"philia.cli.{name}"), name)
    return found


def _listed(name: str) -> Command:
    """A command that is shown in help and not run."""

    def listed() -> None:
        raise AssertionError(f"philia {name} was run without being named")

    listed.__name__, listed.__doc__ = name, _SUMMARIES[name]
    return listed


def __getattr__(name: str) -> Any:
    """``COMMANDS`` and ``app``, the whole program: they are for tests and documents, and load every command."""
    if name == "COMMANDS":
        return tuple(_loaded(command) for command in _SUMMARIES)
    if name == "app":
        return globals().setdefault("app", program(__getattr__("COMMANDS")))
    raise AttributeError(f"module 'philia.cli' has no attribute {name!r}")


def program(commands: Iterable[Command]) -> typer.Typer:
    """The program with these commands.

    >>> from philia.cli import COMMANDS
    >>> [command.callback.__name__ for command in program(COMMANDS).registered_commands][:3]
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


def main() -> None:
    """Run the command line; of the commands, only those that the arguments name are loaded."""
    named = set(_SUMMARIES) if "_PHILIA_COMPLETE" in os.environ else set(sys.argv)  # a shell asks for completions
    with guarded_streams():
        program(_loaded(name) if name in named else _listed(name) for name in _SUMMARIES)(prog_name="philia")
