"""Values as text: numbers with their nouns for sentences, and JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from html import escape
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "link"), counted(2000, "link")
    ('1 link', '2,000 links')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def no_attribute(owner: object, name: str, instead: Mapping[str, str]) -> AttributeError:
    """The error for a name that an object does not have, with what to write instead if others use that name.

    >>> str(no_attribute(1, "summary", {"summary": "print it"}))
    "'int' object has no attribute 'summary'; print it"
    """
    said = f"{type(owner).__name__!r} object has no attribute {name!r}"
    return AttributeError(f"{said}; {instead[name]}" if name in instead else said, name=name, obj=owner)


def no_such_name(module: str, name: str, instead: Mapping[str, str]) -> AttributeError:
    """The error for a name that a module does not have, with what to write instead if others use that name.

    >>> str(no_such_name("philia.plots", "draw", {"draw": "call network"}))
    "module 'philia.plots' has no attribute 'draw'; call network"
    """
    said = f"module {module!r} has no attribute {name!r}"
    return AttributeError(f"{said}; {instead[name]}" if name in instead else said, name=name)


def advising(how: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """A function that, called with arguments it does not have, says how it is called.

    >>> @advising("write double(number)")
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double(3)
    6
    >>> double(1, 2)
    Traceback (most recent call last):
    TypeError: double() takes 1 positional argument but 2 were given; write double(number)
    """

    def advised(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @wraps(function)
        def called(*values: _P.args, **named: _P.kwargs) -> _T:
            try:
                return function(*values, **named)
            except TypeError as error:
                within = error.__traceback__ and error.__traceback__.tb_next
                if within:  # the arguments were taken
                    raise
                raise TypeError(f"{error}; {how}") from None

        return called

    return advised


def spelled(count: int) -> str:
    """A small number as a word, a large one in digits.

    >>> spelled(0), spelled(12), spelled(1300)
    ('no', 'twelve', '1,300')
    """
    return _SMALL[count] if count < len(_SMALL) else f"{count:,}"


def listed(words: list[str]) -> str:
    """Words joined by commas, the last by "and".

    >>> listed(["B1"]), listed(["B1", "B2", "C1"])
    ('B1', 'B1, B2 and C1')
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def percent(share: float) -> str:
    """A share in percent, with two digits.

    >>> percent(0.384), percent(0.0234), percent(0.00012), percent(1.0)
    ('38 %', '2.3 %', '0.012 %', '100 %')
    """
    value = 100 * share
    return f"{value:.0f} %" if abs(value) >= 10 or value == 0 else f"{value:.2g} %"


def html_table(titles: Sequence[object], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """A table for notebooks, with everything escaped, and a note below it.

    >>> html_table(["name"], [["<B1>"]])
    '<table><thead><tr><th>name</th></tr></thead><tbody><tr><td>&lt;B1&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(str(title))}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def to_json(value: Any, **layout: Any) -> str:
    """Standard JSON, with null for infinities and NaN, which JSON does not have; ``layout`` goes to ``json.dumps``.

    >>> to_json({"odds": [1.5, float("inf")]})
    '{"odds": [1.5, null]}'
    """
    return json.dumps(_finite(value), allow_nan=False, **layout)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
