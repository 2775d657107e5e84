"""The command line: one module a command, each of which parses, calls and prints."""

from __future__ import annotations

from typing import Annotated

import typer

from philia._version import __version__
from philia.cli.arboricity import arboricity
from philia.cli.communities import communities
from philia.cli.compare import compare
from philia.cli.convert import convert
from philia.cli.datasets import datasets
from philia.cli.demo import demo
from philia.cli.exact import exact
from philia.cli.explain import explain
from philia.cli.fit import fit
from philia.cli.guard import GuardedCommand, GuardedGroup, guarded_streams
from philia.cli.info import info
from philia.cli.place import place
from philia.cli.predict import predict
from philia.cli.report import report
from philia.cli.reproduce import reproduce
from philia.cli.sample import sample
from philia.cli.verify import verify

__all__ = ["app", "main"]

app = typer.Typer(
    name="philia",
    cls=GuardedGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)
_COMMANDS = (
    *(demo, fit, info, communities, report, explain, predict, place, sample, compare),
    *(exact, verify, arboricity, convert, reproduce),
)
for _command in _COMMANDS:
    app.command(cls=GuardedCommand)(_command)
app.add_typer(datasets, name="datasets")


def _version(asked: bool) -> None:
    if asked:
        print(f"philia {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """How a network is put together: communities that attract, communities that repel, and reasons for every link.

    Begin with: philia demo
    """


def main() -> None:
    """Run the command line."""
    with guarded_streams():
        app(prog_name="philia")
