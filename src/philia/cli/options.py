"""The options that several commands share, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model written by philia fit.", show_default=False)]
Links = Annotated[
    str, typer.Argument(metavar="LINKS", help="A file of links; - is standard input.", show_default=False)
]


def option(name: str, text: str) -> Any:
    """An option whose help says all there is to say, its default included."""
    return typer.Option(*name.split(), help=text, show_default=False, show_choices=False, case_sensitive=False)


Force = Annotated[bool, option("--force", "Replace the output file if it exists.")]
Seed = Annotated[int, option("--seed", "Same seed, same result (0).")]

Json = Annotated[bool, option("--json", "Print JSON, for programs.")]
Quiet = Annotated[bool, option("--quiet -q", "Print nothing but errors.")]
Debug = Annotated[bool, option("--debug", "Show the traceback of an error.")]
