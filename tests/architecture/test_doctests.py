"""Every public function and class shows how it is used, in an example that runs."""

from __future__ import annotations

import inspect
from functools import cached_property
from importlib import import_module
from typing import Any

import pytest

ROOMS = [
    "experiments",
    "philia",
    "philia.datasets",
    "philia.evaluate",
    "philia.exact",
    "philia.execution",
    "philia.explain",
    "philia.factors",
    "philia.fitting",
    "philia.graphs",
    "philia.initialization",
    "philia.models",
    "philia.objective",
    "philia.pairs",
    "philia.plots",
    "philia.report",
    "philia.selection",
    "philia.solvers",
    "philia.storage",
]


def is_protocol(thing: Any) -> bool:
    """Protocols only say what others must offer: there is nothing to call or to make."""
    return bool(getattr(thing, "_is_protocol", False))


def needs_example(thing: Any) -> bool:
    """Functions and classes do; tables, type aliases and the version are values, and protocols have nothing to show."""
    return (inspect.isclass(thing) or inspect.isroutine(thing)) and not is_protocol(thing)


def documented_parts(thing: Any) -> list[Any]:
    """The object itself and, of a class, its own methods and properties (a plain 3 has the examples of int)."""
    if not inspect.isclass(thing):
        return [thing]
    methods = (classmethod, staticmethod, property, cached_property)
    return [thing, *(part for part in vars(thing).values() if inspect.isroutine(part) or isinstance(part, methods))]


def has_example(thing: Any) -> bool:
    return any(">>>" in (getattr(part, "__doc__", None) or "") for part in documented_parts(thing))


def test_the_rule_tells_examples_from_their_absence() -> None:
    class Shown:
        def method(self) -> None:
            """
            >>> 1
            1
            """

    class Silent:
        """Nothing; the example in the documentation of int is not its own."""

        count = 3

    assert has_example(Shown)
    assert not has_example(Silent)
    assert needs_example(Silent)
    assert needs_example(has_example)
    assert not needs_example(3)
    assert not needs_example(list[int])


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_function_and_class_has_an_example(room: str) -> None:
    module = import_module(room)
    public = [(name, getattr(module, name)) for name in module.__all__]
    missing = [name for name, thing in public if needs_example(thing) and not has_example(thing)]
    assert not missing, f"no example (>>>) in {room}: {', '.join(missing)}"
