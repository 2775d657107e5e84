"""The options of commands that read a file of links: a block that follows from :class:`ReadingOptions`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from functools import wraps
from typing import Annotated, Any, get_type_hints

from philia.cli.options import option
from philia.storage import ReadingOptions

Command = Callable[..., None]

DETECTED = ReadingOptions()
"""The default of a command's parameter ``reading``: nothing is set."""


def reads_links(
    *further: str, only: Sequence[str] | None = None, options: type[ReadingOptions] = ReadingOptions
) -> Callable[[Command], Command]:
    """Give a command one command-line option per reading option, in place of its parameter ``reading``.

    A command has the options of every command and the ``further`` ones that it names, or ``only`` those listed. It
    receives them as one :class:`ReadingOptions`.
    """
    chosen = [
        one
        for one in fields(options)
        if (one.name in only if only is not None else one.metadata["every_command"] or one.name in further)
    ]
    block = [_parameter(one, get_type_hints(options)[one.name]) for one in chosen]

    def with_options(command: Command) -> Command:
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
