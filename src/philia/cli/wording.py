"""The library's messages in the words of the command line: where Python takes an argument, a command has an option."""

from __future__ import annotations

import re
from dataclasses import fields

from philia.storage import ReadingOptions

_SETTINGS = {
    "n_homophilous": "--homophilous",
    "n_heterophilous": "--heterophilous",
    "n_jobs": "--threads",
    "random_state": "--seed",
    "fits": "--stability",
}
"""Settings of models whose options have other names."""

_SAME = ("penalty", "background", "dtype", "iterations", "held_out", *(one.name for one in fields(ReadingOptions)))
"""Arguments whose options have the same name."""

_PHRASES = {
    ", or load it with philia.load(path)": "",
    " or CommunityModel().fit(path)": "",
    "Read it with networkx.read_adjlist, or pass": "Write one link per line, or pass",
    "; if you need them, pass a sparse matrix that has them to philia.as_graph": "",
}
"""What only Python can do, and what is said instead."""

_QUOTES = " '\""
_OPTIONS = {**{name: f"--{name.replace('_', '-')}" for name in _SAME}, **_SETTINGS}
_ARGUMENT = re.compile(
    rf"""(?<![-\w])(?:(?P<verb>pass\ )|the\ (?=\w+\ is\ ))?(?P<name>{"|".join(_OPTIONS)})
    (?:=(?P<value>\((?P<pair>[^()]*)\)|"[^"]*"|'[^']*'|[\w.+-]+)?|(?P<subject>(?=\ is\ )))""",
    re.VERBOSE,
)


def as_typed(message: str) -> str:
    """The message with options in place of Python's arguments.

    >>> as_typed("pass header=False if it is a link, or columns=('author1', 'author2') for other columns")
    'add --no-header if it is a link, or --columns author1,author2 for other columns'
    >>> as_typed('for example encoding="latin-1"; pass delimiter= if that is wrong')
    'for example --encoding latin-1; add --delimiter if that is wrong'
    >>> as_typed("n_homophilous is -1; it must be a whole number, 0 or more")
    '--homophilous is -1; it must be a whole number, 0 or more'
    >>> as_typed("the memory is 'lots'; give a size"), as_typed("--columns is '0'; give two")
    ("--memory is 'lots'; give a size", "--columns is '0'; give two")
    >>> as_typed("Read it with networkx.read_adjlist, or pass columns=(0, 1) if only the first two matter")
    'Write one link per line, or add --columns 0,1 if only the first two matter'
    """
    for phrase, instead in _PHRASES.items():
        message = message.replace(phrase, instead)
    return _ARGUMENT.sub(_option, message)


def _option(found: re.Match[str]) -> str:
    option, value = _OPTIONS[found["name"]], found["value"] or ""
    verb = "add " if found["verb"] else ""
    if value in ("True", "False"):
        return verb + (option if value == "True" else option.replace("--", "--no-"))
    values = [part.strip(_QUOTES) for part in (value if found["pair"] is None else found["pair"]).split(",")]
    return f"{verb}{option} {','.join(values)}".rstrip()
