"""Options whose values come from a registry, which is loaded only to use the option or to show its help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import typer

Registry = Callable[[], Mapping[str, str]]
"""Loads the names of a registry with their meanings in one line each, the default first."""

_REGISTRIES: dict[str, Registry] = {}
"""By the help text of the option that takes names from it."""


def registered(name: str, text: str, registry: Registry) -> Any:
    """An option that takes names from a registry; ``{names}`` in its help stands for the list of them."""
    _REGISTRIES[text] = registry
    return typer.Option(*name.split(), help=text, show_default=False, autocompletion=lambda: list(registry()))


def complete_help(parameters: list[Any]) -> None:
    """Write the names of registries into the help of options that are about to be shown."""
    for parameter in parameters:
        text = getattr(parameter, "help", None)
        if text in _REGISTRIES:
            parameter.help = text.format(names=listed(_REGISTRIES[text]()))


def listed(meanings: Mapping[str, str]) -> str:
    """Names with their meanings, for help.

    >>> listed({"split": "where the sides differ most", "odds": "odds doubled"})
    'split: where the sides differ most; odds: odds doubled'
    """
    return "; ".join(f"{name}: {meaning}" for name, meaning in meanings.items())
