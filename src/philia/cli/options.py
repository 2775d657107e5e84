"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model written by philia fit.", show_default=False)]
Links = Annotated[
    str, typer.Argument(metavar="LINKS", help="A file of links; - is standard input.", show_default=False)
]


def option(name: str, text: str) -> Any:
    """An option whose help text includes its default."""
    return typer.Option(*name.split(), help=text, show_default=False, show_choices=False, case_sensitive=False)


def choice(name: str, text: str, names: Callable[[], Iterable[str]]) -> Any:
    """An option that takes one of several names, in any case.

    The names come from the library, so that they are listed once. They are loaded when the option is used: help does
    not wait for the library.
    """

    def chosen(typed: str) -> str:
        known = {name.lower(): name for name in names()}
        if typed.lower() not in known:
            raise typer.BadParameter(f"{typed!r} is not one of {', '.join(known.values())}.")
        return known[typed.lower()]

    def completions(typed: str) -> list[str]:
        return [name for name in names() if name.lower().startswith(typed.lower())]

    return typer.Option(name, help=text, show_default=False, metavar="NAME", parser=chosen, autocompletion=completions)


Force = Annotated[bool, option("--force", "Replace the output file if it exists.")]
Seed = Annotated[int, option("--seed", "Random seed (0).")]

Json = Annotated[bool, option("--json", "Print JSON, for programs.")]
Quiet = Annotated[bool, option("--quiet -q", "Print nothing but errors.")]
Debug = Annotated[bool, option("--debug", "Show the traceback of an error.")]
