"""The options of commands: those that several share, choices from a registry, and how files of links are read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from philia.storage import ReadingOptions

_Registry = Callable[[], Iterable[str]]
"""Loads the names of a registry, the default first; a mapping also gives their meanings in one line each."""

_Command = Callable[..., None]

_REGISTRIES: dict[str, _Registry] = {}
"""By the help text of the option that takes names from it."""

DETECTED = ReadingOptions()
"""The default of a command's parameter ``reading``: nothing is set."""


def option(name: str, text: str) -> Any:
    """An option whose help text includes its default."""
    return typer.Option(*name.split(), help=text, show_default=False, show_choices=False, case_sensitive=False)


def choice(name: str, text: str, registry: _Registry, *, or_number: bool = False) -> Any:
    """An option that takes one of the names in a registry, in any case; ``{names}`` in its help stands for all of them.

    The registry is loaded only to use the option or to show its help. With ``or_number``, a number is taken too.
    """
    _REGISTRIES[text] = registry

    def chosen(typed: str) -> str:
        known = {name.lower(): name for name in registry()}
        if typed.lower() in known:
            return known[typed.lower()]
        if or_number and _is_number(typed):
            return typed
        number = ", or a number" if or_number else ""
        raise typer.BadParameter(f"{typed!r} is not one of {', '.join(known.values())}{number}.")

    def completions(typed: str) -> list[str]:
        return [name for name in registry() if name.lower().startswith(typed.lower())]

    return typer.Option(name, help=text, show_default=False, metavar="NAME", parser=chosen, autocompletion=completions)


def parsed(name: str, text: str, parse: Callable[[str], Any]) -> Any:
    """An option whose text is turned into a value by ``parse``."""
    return typer.Option(*name.split(), help=text, show_default=False, parser=parse)


def share_of(text: str) -> float:
    """A share, typed as a number or in percent.

    >>> share_of("0.1"), share_of("10%"), share_of("10 %")
    (0.1, 0.1, 0.1)
    """
    if not _is_number(text.rstrip("% ")):
        raise typer.BadParameter(f"{text!r} is not a share; give a number such as 0.1, or percent such as 10%.")
    return float(text.rstrip("% ")) / (100 if text.rstrip().endswith("%") else 1)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def complete_help(parameters: list[Any]) -> None:
    """Write the names of registries into the help of options that are about to be shown, and hide their types.

    The sentences say what an option takes; columns of types and of negations would leave them half of a line.
    """
    for parameter in parameters:
        if parameter.param_type_name == "option" and not parameter.required:
            parameter.metavar, parameter.secondary_opts = "", []
        text = getattr(parameter, "help", None)
        if text in _REGISTRIES and "{names}" in text:
            parameter.help = text.format(names=_listed(_REGISTRIES[text]()))


def _listed(names: Iterable[str]) -> str:
    """Names, with their meanings if they are known, for help.

    >>> _listed(["spectral", "uniform"])
    'spectral, uniform'
    >>> _listed({"split": "where the sides differ most", "odds": "odds doubled"})
    'split: where the sides differ most; odds: odds doubled'
    """
    if isinstance(names, Mapping):
        return "; ".join(f"{name}: {meaning}" for name, meaning in names.items())
    return ", ".join(names)


def reads_links(
    *further: str, only: Sequence[str] | None = None, options: type[ReadingOptions] = ReadingOptions
) -> Callable[[_Command], _Command]:
    """Give a command one command-line option per field of :class:`ReadingOptions`, in place of its ``reading``.

    A command has the options of every command and the ``further`` ones that it names, or ``only`` those listed. It
    receives them as one :class:`ReadingOptions`.
    """
    chosen = [
        one
        for one in fields(options)
        if (one.name in only if only is not None else one.metadata["every_command"] or one.name in further)
    ]
    block = [_parameter(one, get_type_hints(options)[one.name]) for one in chosen]

    def with_options(command: _Command) -> _Command:
        @wraps(command)
        def run(**values: Any) -> None:
            reading = options.from_text(**{one.name: values.pop(one.name) for one in chosen})
            command(**values, reading=reading)

        signature = inspect.signature(command, eval_str=True)
        parameters = [
            replaced
            for parameter in signature.parameters.values()
            for replaced in (block if parameter.name == "reading" else [parameter])
        ]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return with_options


def _parameter(one: Field[Any], kind: Any) -> inspect.Parameter:
    """A reading option as a parameter of a command; those that are parsed come as text."""
    name = f"--{one.name.replace('_', '-')}"
    flag = f"{name}/--no-{name[2:]}" if kind == bool | None else name
    kind = str | None if one.metadata["parse"] is not None else kind
    annotation = Annotated[kind, option(flag, one.metadata["help"])]
    return inspect.Parameter(
        one.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=one.default, annotation=annotation
    )


Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model written by philia fit.", show_default=False)]
Links = Annotated[
    str, typer.Argument(metavar="LINKS", help="A file of links; - is standard input.", show_default=False)
]
Force = Annotated[bool, option("--force", "Replace files, whoever wrote them.")]


def _not_negative(number: int) -> int:
    """The number; ``min=0`` would do the same and show a range in the help, for which it has no room."""
    if number < 0:
        raise typer.BadParameter(f"{number} is negative; it must be 0 or more.")
    return number


Seed = Annotated[int, typer.Option("--seed", help="Random seed (0).", show_default=False, callback=_not_negative)]
Json = Annotated[bool, option("--json", "Print JSON, for programs.")]
Quiet = Annotated[bool, option("--quiet -q", "Print nothing but errors.")]
Debug = Annotated[bool, option("--debug", "Show the traceback of an error.")]
