"""Which code a result depends on, as a digest: a result of other code is older than the code, and is made again."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

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

UNUSED = {
    "experiments": (
        "philia.selection",
        "philia.reading",
        "philia.graphs.files",
        "philia.models.files",
        "philia.models.placement",
        "philia.fitting.checkpoint",
        "philia.explain.missing_links",
        "philia.explain.significance",
        "philia.explain.stability",
    )
}
"""What the tasks of a package never ask of a model, as a test makes sure. The paper's models are given their numbers of
columns; nothing is chosen, read off the links, kept in a file or placed. Files are read, but only those of the data
sets, whose counts are tested."""

EVERYTHING = "*"

_HABITS, _ADVICE = "_HABITS", "advising"
"""How the names of tables of habits end, and the decorator that says how a function is called."""


class Definition(NamedTuple):
    """A function, a class or a constant of one of our modules, or all that a module defines.

    >>> Definition("philia.graphs", "Graph")
    Definition(module='philia.graphs', name='Graph')
    """

    module: str
    name: str


def digest_of(run: Callable[..., Any]) -> str:
    """A digest of the code that a task runs: its function, and every definition it can reach, without comments.

    A definition reaches whatever it names, there or in a module it imports from. Docstrings, layout, the words of
    errors and what is said to calls from habit do not count.

    >>> from experiments.data import split_by_signs
    >>> digest_of(split_by_signs) == digest_of(partial(split_by_signs, k=3)), len(digest_of(split_by_signs))
    (True, 12)
    """
    digests = [_digest(Definition(part.__module__, part.__qualname__.partition(".")[0])) for part in _functions(run)]
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
def _digest(start: Definition) -> str:
    digest = hashlib.sha256()
    for found in sorted(reached(start)):
        digest.update(f"{found.module}\0{found.name}\0{_source(found)}\0".encode())
    return digest.hexdigest()[:12]


def reached(start: Definition) -> set[Definition]:
    """A definition and all that it can reach.

    >>> found = reached(Definition("experiments.methods", "svd"))
    >>> Definition("philia.models.svd", "SVD") in found, Definition("philia.models.vgraph", "VGraph") in found
    (True, False)
    """
    aside = ASIDE + UNUSED.get(start.module.partition(".")[0], ())
    wanted, found = [start], set[Definition]()
    while wanted:
        definition = wanted.pop()
        if definition not in found and not _within(definition.module, aside):
            found.add(definition)
            wanted += _reached_directly(definition)
    return found


def _within(module: str, rooms: Iterable[str]) -> bool:
    return any(module == room or module.startswith(f"{room}.") for room in rooms)


@cache
def _reached_directly(definition: Definition) -> tuple[Definition, ...]:
    module = _module(definition.module)
    found: dict[Definition, None] = {}
    for part in module.parts(definition.name):
        imports = module.imports | _imports(ast.walk(part))
        for name in _names(part):
            if name in module.defined:
                found[Definition(definition.module, name)] = None
            elif name in imports and (target := _resolved(imports[name])) is not None:
                found[target] = None
    return tuple(found)


@cache
def _resolved(target: Definition) -> Definition | None:
    """Where something that is imported is defined, through packages that pass it on; None if that is not ours."""
    if target.module.partition(".")[0] not in ROOTS or _path(target.module) is None:
        return None
    module = _module(target.module)
    if target.name == EVERYTHING or target.name in module.defined:
        return target
    if target.name in module.imports:
        return _resolved(module.imports[target.name])
    if _path(f"{target.module}.{target.name}") is not None:
        return Definition(f"{target.module}.{target.name}", EVERYTHING)
    passed_on = (_resolved(Definition(other, target.name)) for other in module.all_of)
    known = (found for found in passed_on if found is not None and found.name != EVERYTHING)
    return next(known, Definition(target.module, EVERYTHING))


def _source(definition: Definition) -> str:
    return "\n".join(ast.dump(part) for part in _module(definition.module).parts(definition.name))


class _Module:
    """The definitions of a module, by their names, and its imports; of an ``if`` at its top, all branches."""

    def __init__(self, tree: ast.Module) -> None:
        self.defined: dict[str, list[ast.stmt]] = {}
        self.always: list[ast.stmt] = []
        top = list(_flat(tree.body))
        self.imports = _imports(top)
        self.all_of = [part.module for part in top if isinstance(part, ast.ImportFrom) and part.module and _star(part)]
        for part in top:
            names = _defines(part)
            for name in names:
                self.defined.setdefault(name, []).append(part)
            if not names and not isinstance(part, (ast.Import, ast.ImportFrom)):
                self.always.append(part)

    def parts(self, name: str) -> list[ast.stmt]:
        """The statements behind a name; those that define nothing, as a registration, belong to every name."""
        if name in self.defined:
            return [*self.defined[name], *self.always]
        # A function without a name, as a lambda, may use all of its module.
        return [*(part for parts in self.defined.values() for part in parts), *self.always]


def _flat(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for part in body:
        if isinstance(part, (ast.If, ast.Try)):
            yield from _flat([*part.body, *part.orelse])
        elif not _is_text(part):
            yield part


def _star(part: ast.ImportFrom) -> bool:
    return any(alias.name == "*" for alias in part.names)


def _imports(nodes: Iterable[ast.AST]) -> dict[str, Definition]:
    """What imports bring, by the name it has here; a module that is imported as a whole counts as a whole."""
    found: dict[str, Definition] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[(alias.asname or alias.name).partition(".")[0]] = Definition(alias.name, EVERYTHING)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not _star(node):
            for alias in node.names:
                found[alias.asname or alias.name] = Definition(node.module, alias.name)
    return found


def _defines(part: ast.stmt) -> list[str]:
    if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
        return [part.name]
    targets = part.targets if isinstance(part, ast.Assign) else [part.target] if isinstance(part, ast.AnnAssign) else []
    return [name for target in targets for name in _names(target)]


def _names(part: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(part) if isinstance(node, ast.Name)]


@cache
def _module(module: str) -> _Module:
    path = _path(module)
    tree = ast.parse("" if path is None else path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):  # strings that stand alone are docstrings, of constants too
            node.body = [part for part in body if not _is_words(part)]  # type: ignore[attr-defined]
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = [how for how in node.decorator_list if not _is_advice(how)]
        if isinstance(node, ast.Raise):
            node.exc = node.cause = None
    return _Module(tree)


def _is_words(part: ast.AST) -> bool:
    """Whether a statement only says something: a docstring, or a table of what to write instead of habits."""
    if isinstance(part, ast.Assign):
        return all(isinstance(target, ast.Name) and target.id.endswith(_HABITS) for target in part.targets)
    return _is_text(part)


def _is_advice(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id == _ADVICE


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
