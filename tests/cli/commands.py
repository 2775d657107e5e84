"""All commands of the program, including those of its groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer


def commands_of(program: typer.Typer) -> dict[str, Callable[..., Any]]:
    """The function of each command, by what is typed for it, such as "fit" or "datasets list"."""
    own = [(info.name, info.callback) for info in program.registered_commands]
    found = {name or callback.__name__: callback for name, callback in own if callback is not None}
    for group in program.registered_groups:
        if group.typer_instance is not None:
            inner = commands_of(group.typer_instance)
            found |= {f"{group.name} {name}": callback for name, callback in inner.items()}
    return found
