"""What a fit depends on, as plain values, so that one fit can be told from another."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from philia._version import __version__
from philia.graphs import Graph
from philia.pairs import HeldOut

if TYPE_CHECKING:
    from philia.models.link_model import LinkModel

_WHERE = frozenset({"n_jobs", "executor"})
"""Settings that say where a fit runs; they do not change a bit of it."""

_DEEPEST = 6


def description(model: LinkModel, graph: Graph) -> dict[str, Any]:
    """All that the course of a fit depends on, its random generator aside.

    >>> from philia import CommunityModel, as_graph
    >>> model = CommunityModel(2, 1, penalty=0.5)
    >>> model.held_out_ = None
    >>> found = description(model, as_graph([(0, 1)]))
    >>> found["model"], found["links"], found["settings"]["penalty"]
    ('CommunityModel', 1, '0.5')
    """
    settings = {name: value for name, value in model.get_params(deep=False).items() if name not in _WHERE}
    return {
        "philia": __version__,
        "model": type(model).__name__,
        "settings": {name: described(value) for name, value in settings.items()},
        "nodes": graph.n_nodes,
        "links": graph.n_links,
        "graph": _of_graph(graph),
        "held out": _of_held_out(model.held_out_, graph.n_nodes),
    }


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """How the second description differs from the first, in words.

    >>> differences({"nodes": 3, "settings": {"penalty": "1.0"}}, {"nodes": 3, "settings": {"penalty": "2.0"}})
    ['penalty was 1.0 and is 2.0']
    """
    before, now = ({**d, **d.get("settings", {}), "settings": None} for d in (before, now))
    found = [name for name in now if before.get(name) != now[name]]
    if "graph" in found:
        same_size = not {"nodes", "links"} & set(found)
        found.remove("graph")
        said = ["the links or their weights are others"] if same_size else []
    else:
        said = []
    return said + [f"{name} was {before.get(name, 'not there')} and is {now[name]}" for name in found]


def described(value: Any, depth: int = 0) -> str:
    """A short text for a setting, the same in every process; large arrays are told apart by a hash.

    >>> described(2.5), described(max), described(np.random.default_rng(7))
    ('2.5', 'builtins.max', 'Generator')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bytes, int, float)):
        return repr(value)
    if isinstance(value, type) or inspect.isroutine(value):
        return f"{value.__module__}.{value.__qualname__}"
    name = type(value).__name__
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype} {value.shape} {_digest(value)}"
    if isinstance(value, (np.random.Generator, np.random.RandomState)) or depth == _DEEPEST:
        return name  # a generator's own state is kept elsewhere
    if isinstance(value, (list, tuple)):
        return f"{name}({', '.join(described(part, depth + 1) for part in value)})"
    parts = {f.name: getattr(value, f.name) for f in fields(value)} if is_dataclass(value) else _state(value)
    return f"{name}({', '.join(f'{key}={described(part, depth + 1)}' for key, part in parts.items())})"


def _state(value: Any) -> dict[str, Any]:
    return {key: part for key, part in getattr(value, "__dict__", {}).items() if not key.startswith("__")}


def _of_graph(graph: Graph) -> str:
    parts = [graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices]
    return _digest(*parts, *([] if graph.weights is None else [graph.weights]))


def _of_held_out(held_out: HeldOut | None, n: int) -> str:
    if held_out is None:
        return repr(None)
    listed = held_out.listed(n)
    parts = [repr(held_out.random_part)] if held_out.random_part else []
    return " and ".join(parts + [f"listed pairs {_digest(*listed)}"] * (len(listed[0]) > 0))


def _digest(*arrays: np.ndarray[Any, Any]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
