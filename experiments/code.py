"""Which code a result depends on, as a digest: a result of other code is older than the code, and is made again."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

ROOTS = ("philia", "experiments", "benchmarks")
"""The packages whose source counts; versions of others are kept beside a result."""

ASIDE = (
    "philia.plots",
    "philia.report",
    "philia.cli",
    "experiments.code",
    "experiments.experiment",
    "experiments.results",
    "experiments.reproduction",
    "experiments.summaries",
)
"""What shows, keeps or judges results. It makes none, so it may change."""


def digest_of(run: Callable[..., Any]) -> str:
    """A digest of the code that a task runs: its function, and all modules it can reach, without their comments.

    Of the function's own module only what it calls there counts: how an experiment shows its results is beside the
    point. Docstrings and layout do not count either.

    >>> from experiments.data import split_by_signs
    >>> digest_of(split_by_signs) == digest_of(partial(split_by_signs, k=3)), len(digest_of(split_by_signs))
    (True, 12)
    """
    digests = [_digest(part.__module__, part.__qualname__.partition(".")[0]) for part in _functions(run)]
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()[:12]


def _functions(run: Any) -> Iterator[Any]:
    """The function behind a call, and those that are given to it."""
    if hasattr(run, "__wrapped__"):
        yield from _functions(run.__wrapped__)
    elif isinstance(run, partial):
        for part in (run.func, *(given for given in run.args if callable(given))):
            yield from _functions(part)
    else:
        yield run


@cache
def _digest(module: str, function: str) -> str:
    tree = _parsed(module)
    own = list(_reached(tree, function)) or tree.body  # a function without a name may use all of its module
    needed = {name for part in (*own, *_imports_used(tree, own)) for name in _imported(part)}
    digest = hashlib.sha256()
    for part in own:
        digest.update(ast.dump(part).encode())
    for name in sorted(_closure(needed)):
        digest.update(f"{name}\0{_source_digest(name)}\0".encode())
    return digest.hexdigest()[:12]


def _reached(tree: ast.Module, function: str) -> Iterator[ast.stmt]:
    """The definitions of a module that a function uses, itself included, in the module's order."""
    defined = {name: part for part in tree.body for name in _defines(part)}
    wanted, found = [function], set[str]()
    while wanted:
        name = wanted.pop()
        if name in found or name not in defined:
            continue
        found.add(name)
        wanted += _names(defined[name])
    return (part for part in tree.body if found & set(_defines(part)))


def _defines(part: ast.stmt) -> list[str]:
    if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
        return [part.name]
    targets = part.targets if isinstance(part, ast.Assign) else [part.target] if isinstance(part, ast.AnnAssign) else []
    return [name for target in targets for name in _names(target)]


def _names(part: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(part) if isinstance(node, ast.Name)]


def _imports_used(tree: ast.Module, own: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The imports at the top of a module that bring a name which these definitions use."""
    used = {name for part in own for name in _names(part)}
    for part in tree.body:
        if isinstance(part, (ast.Import, ast.ImportFrom)) and any(
            (alias.asname or alias.name).partition(".")[0] in used for alias in part.names
        ):
            yield part


def _imported(part: ast.AST) -> Iterator[str]:
    """The names of our own modules that a piece of code imports; a package's name stands for its ``__init__``."""
    for node in ast.walk(part):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            aside = any(name == other or name.startswith(f"{other}.") for other in ASIDE)
            if name.partition(".")[0] in ROOTS and not aside and _path(name) is not None:
                yield name


def _closure(modules: Iterable[str]) -> set[str]:
    """These modules and all that they import, of our own."""
    wanted, found = list(modules), set[str]()
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            wanted += _imports_of(name)
    return found


@cache
def _imports_of(module: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_imported(_parsed(module))))


@cache
def _source_digest(module: str) -> str:
    return hashlib.sha256(ast.dump(_parsed(module)).encode()).hexdigest()


@cache
def _parsed(module: str) -> ast.Module:
    path = _path(module)
    tree = ast.parse("" if path is None else path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):  # strings that stand alone are docstrings, of constants too
            node.body = [part for part in body if not _is_text(part)]  # type: ignore[attr-defined]
    return tree


def _is_text(part: ast.AST) -> bool:
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) and isinstance(part.value.value, str)


@cache
def _path(module: str) -> Path | None:
    """The file of one of our modules, which is not imported; None for a name that is a function or a class of one."""
    root, *rest = module.split(".")
    if root not in ROOTS:  # a task from elsewhere, as tests have them
        file = getattr(sys.modules.get(module), "__file__", None)
        return None if file is None else Path(file)
    for folder in import_module(root).__path__:
        inside = Path(folder).joinpath(*rest)
        for path in (inside / "__init__.py", inside.with_suffix(".py")):
            if path.is_file():
                return path
    return None
