"""How a file of links is to be read: every option is defined here, for Python and for the command line.

An option is a field. Its default, its help, and the way to read its value from text follow from the field; the command
line takes its options from here (:mod:`philia.cli.options`), and a test holds the arguments of ``read_graph`` to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Self

from philia.exceptions import InvalidParameterError
from philia.storage.memory import WHOLE_MACHINE, MemoryBound


def option(
    default: Any,
    help: str,
    *,
    parse: Callable[[str], Any] | None = None,
    every_format: bool = False,
    every_command: bool = True,
) -> Any:
    """A field of :class:`ReadingOptions`.

    ``parse`` turns text from the command line into a value. An option that does not apply to ``every_format`` is
    refused for the formats that do not list it (:class:`philia.graphs.files.formats.Format`), unless it has its default
    value. One that is not for ``every_command`` is offered by those commands that ask for it.
    """
    about = {"help": help, "parse": parse, "every_format": every_format, "every_command": every_command}
    return field(default=default, metadata=about)


def _delimiter(text: str) -> str:
    return "\t" if text in ("tab", "\\t") else text  # a tab is hard to type


def _columns(text: str) -> tuple[int | str, int | str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise InvalidParameterError(
            f"--columns is {text!r}; give two, separated by a comma, for example source,target or 0,1"
        )
    numbers = all(part.isdecimal() for part in parts)
    return (int(parts[0]), int(parts[1])) if numbers else (parts[0], parts[1])


@dataclass(frozen=True)
class ReadingOptions:
    """How to read a file of links; None means: detect it. :func:`philia.read_graph` explains each option.

    >>> ReadingOptions(delimiter=",,")
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: delimiter is ',,'; give one character such as ',' or '\\t', ...
    """

    delimiter: str | None = option(None, "Column separator, or tab (detected).", parse=_delimiter)
    comment: str | None = option(None, "Comment prefix (#, %, //).")
    header: bool | None = option(None, "Line 1 names columns, or --no-header (auto).")
    columns: tuple[int | str, int | str] | None = option(
        None, "Both ends: names or numbers (detected).", parse=_columns
    )
    encoding: str = option("utf-8", "Text encoding (utf-8).")
    symmetrize: bool = option(False, "Accept an asymmetric matrix.", every_format=True)
    weights: bool | None = option(
        None, "Use link weights as confidence or counts.", every_format=True, every_command=False
    )
    memory: MemoryBound | str | int | None = option(  # noqa: RUF009 (it makes a field)
        None, "Memory limit, for example 4G.", parse=str, every_format=True, every_command=False
    )

    def __post_init__(self) -> None:
        self._check_text()
        self._check_columns()
        _ = self.bound

    @classmethod
    def from_text(cls, **values: Any) -> Self:
        r"""The options from the values of a command line, where those that Python writes otherwise are text.

        >>> options = ReadingOptions.from_text(delimiter="tab", columns="0,3")
        >>> options.delimiter, options.columns
        ('\t', (0, 3))
        """
        parsers = {one.name: one.metadata["parse"] for one in fields(cls)}
        return cls(
            **{
                name: value if value is None or parsers[name] is None else parsers[name](value)
                for name, value in values.items()
            }
        )

    @property
    def keep_weights(self) -> bool:
        """Whether weights are kept; they are not unless that is asked for."""
        return bool(self.weights)

    @property
    def bound(self) -> MemoryBound:
        """The memory that reading may use."""
        return WHOLE_MACHINE if self.memory is None else MemoryBound.of(self.memory)

    def refused(self, known: frozenset[str]) -> list[str]:
        """The options that were set but apply neither to every format nor are ``known``.

        >>> ReadingOptions(delimiter=",", weights=True).refused(frozenset({"encoding"}))
        ['delimiter']
        """
        return sorted(
            one.name
            for one in fields(self)
            if one.name not in known and not one.metadata["every_format"] and getattr(self, one.name) != one.default
        )

    def _check_text(self) -> None:
        if self.delimiter is not None and not (
            len(self.delimiter) == 1 and self.delimiter.isascii() and self.delimiter not in '"\r\n'
        ):
            raise InvalidParameterError(
                f"delimiter is {self.delimiter!r}; give one character such as ',' or '\\t', or ' ' for runs of spaces "
                "and tabs, or leave it out to have it detected"
            )
        if self.comment is not None and set(self.comment) & set("\r\n"):
            raise InvalidParameterError(f"comment is {self.comment!r}; give the prefix of a line, such as '#'")
        try:
            "x".encode(self.encoding)
        except (LookupError, UnicodeError):
            raise InvalidParameterError(
                f"{self.encoding!r} is not a text encoding; try 'utf-8', 'latin-1' or 'cp1252'"
            ) from None

    def _check_columns(self) -> None:
        if self.columns is None:
            return
        numbers = [column for column in self.columns if isinstance(column, int)]
        if len(self.columns) != 2 or self.columns[0] == self.columns[1] or any(number < 0 for number in numbers):
            raise InvalidParameterError(
                f"columns is {self.columns!r}; give two different names or numbers, counted from 0"
            )
