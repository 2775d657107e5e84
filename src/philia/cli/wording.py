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

_SAME = (
    *("penalty", "background", "dtype", "iterations", "held_out", "loops"),
    *(one.name for one in fields(ReadingOptions)),
)
"""Arguments whose options have the same name."""

_PHRASES = {
    r", or load it with philia\.load\(path\)": "",
    r" or CommunityModel\(\)\.fit\(path\)": "",
    r", or by model\.save\(path\)": "",
    r", or pass what [\w.]+(?:\(.*?\))? reads to philia\.as_graph": "",
    r"; if you need them, pass a sparse matrix that has them to philia\.as_graph": "",
    r", for example with frame\.astype\(.*?\),": ",",
    r", \(matrix \+ matrix\.T\) / 2 for their mean,": ",",
    r", or pass list\(communities\.values\(\)\) to leave the names out": "",
    r"; if each line is a community, pass form='lines'": ", as the other lines are",
    r", or add all links with partial_fit": ", or fit the whole network again",
    r" and model\.communities\(\)\.of\(.*\) has its communities; partial_fit adds links to it": (
        " so `philia communities` lists it; to add links, fit the whole network again"
    ),
    r" with philia\.evaluate\.best_match_f1": "",
    r"fit one, for example CommunityModel\(\)\.fit\(graph\)": "fit one with `philia fit`, without --model",
    r"Read it with networkx\.read_adjlist, or pass": "Write one link per line, or pass",
    r"write (it again|one) with \.save\(path\)": r"write \1 with `philia exact`",
    r" A script that starts processes needs its work under `.*?`; a slow machine may need a larger timeout": "",
    r", or give a larger timeout": "",
}
"""Patterns of what only Python can do, and what is said instead."""

_REFUSALS = {
    r"^Value error, ": "",
    r"Input should be a valid integer, .*": "it must be a whole number",
    r"Input should be a valid number, .*": "it must be a number",
    r"Input should be greater than or equal to (\S+)": r"it must be \1 or more",
}
"""Patterns in the sentences of the parser of options, and plainer words."""

_QUOTES = " '\""
_SWITCHES = ("--header",)
"""Options that can also be denied, by the same name with ``no``."""

_OPTIONS = {**{name: f"--{name.replace('_', '-')}" for name in _SAME}, **_SETTINGS}
_ARGUMENT = re.compile(
    rf"""(?<![-\w])(?:(?P<verb>[Pp]ass\ )|the\ (?=\w+\ is\ ))?(?P<name>{"|".join(_OPTIONS)})
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
    >>> as_typed("save the links as a .csv file, or pass what networkx.read_pajek reads to philia.as_graph")
    'save the links as a .csv file'
    >>> as_typed("a link has one weight. Pass symmetrize=True to add the two, or weights=False")
    'a link has one weight. Add --symmetrize to add the two, or leave out --weights'
    """
    for phrase, instead in _PHRASES.items():
        message = re.sub(phrase, instead, message)
    return _ARGUMENT.sub(_option, message)


def plainly(refusal: str) -> str:
    """What the parser of options says about a wrong value, in plain words.

    >>> plainly("Input should be a valid integer, unable to parse string as an integer")
    'it must be a whole number'
    >>> plainly("Value error, 'float16' is not one of 'float64', 'float32'.")
    "'float16' is not one of 'float64', 'float32'."
    """
    for words, plainer in _REFUSALS.items():
        refusal = re.sub(words, plainer, refusal)
    return refusal


def _option(found: re.Match[str]) -> str:
    option, value = _OPTIONS[found["name"]], found["value"] or ""
    verb = {"pass ": "add ", "Pass ": "Add "}.get(found["verb"] or "", "")
    if value == "False" and option not in _SWITCHES:
        return f"leave out {option}"
    if value in ("True", "False"):
        return verb + (option if value == "True" else option.replace("--", "--no-"))
    values = [part.strip(_QUOTES) for part in (value if found["pair"] is None else found["pair"]).split(",")]
    return f"{verb}{option} {','.join(values)}".rstrip()
