"""A whole model in one file: factors, graph, names, settings, and how the fit went."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from philia.exceptions import InvalidGraphError, ModelFileError
from philia.explain import Stability
from philia.factors import (
    BlockFactors,
    CoinFactors,
    CommunityFactors,
    Factors,
    LogisticFactors,
    MixtureFactors,
    SignedFactors,
)
from philia.factors.files import InPieces, read_arrays, write_arrays
from philia.graphs import Changes, Graph, Nodes
from philia.graphs.mapped_graphs import link_parts
from philia.models.kept_stability import read_stability, stability_arrays, stability_header
from philia.objective import BothPairs, HeldOut, ListedPairs, RandomPairs
from philia.solvers import LBFGSB, Adam, BySize, FloorLBFGS, Solution

_KINDS: tuple[Any, ...] = (BlockFactors, CoinFactors, CommunityFactors, LogisticFactors, MixtureFactors, SignedFactors)
_FACTORS = {kind.__name__: kind for kind in _KINDS}
_SOLVERS = {solver.__name__: solver for solver in (LBFGSB, FloorLBFGS, Adam, BySize)}


@dataclass(frozen=True, eq=False)
class KeptModel:
    """What a file says about a model."""

    model: str
    parameters: dict[str, Any]
    graph: Graph
    factors: Factors
    solution: Solution
    held_out: HeldOut | None
    stability: Stability | None = None
    chosen: dict[str, Any] = field(default_factory=dict)


def write_model(path: str | os.PathLike[str], kept: KeptModel) -> None:
    """Write a fitted model; node names must be text, numbers, booleans or None."""
    graph, solution, held_out = kept.graph, kept.solution, kept.held_out
    arrays: dict[str, npt.NDArray[Any] | InPieces] = {
        **kept.factors.arrays(),
        **_links(graph),
        "loss_history": solution.history,
        **_packed(graph.nodes),
        **stability_arrays(kept.stability),
    }
    by_chance, by_list = _taken_apart(held_out)
    if by_list is not None:
        arrays["held_out_rows"], arrays["held_out_columns"] = by_list.pairs(graph.n_nodes)
    header = {
        "model": kept.model,
        "factors": type(kept.factors).__name__,
        "parameters": _packed_parameters(kept.parameters),
        "changes": asdict(graph.changes),
        "stability": stability_header(kept.stability),
        "chosen": kept.chosen,
        "held_out": None if by_chance is None else asdict(by_chance),
        "solution": {
            "value": solution.value,
            "evaluations": solution.evaluations,
            "seconds": solution.seconds,
            "reason": solution.reason,
            "converged": solution.converged,
        },
    }
    write_arrays(path, arrays, header)


def read_model(path: str | os.PathLike[str]) -> KeptModel:
    """What the file at ``path`` says about a model."""
    arrays, header = read_arrays(path)
    try:
        nodes = _unpacked(arrays)
        changes, weights = Changes(**header["changes"]), arrays.get("link_weights")
        graph = Graph.from_rows(arrays["link_rows"], arrays["link_columns"], nodes, changes, weights)
        kind = _FACTORS[header.get("factors", "CommunityFactors")]  # files once held this kind only
        factors = kind(**{part.name: arrays[part.name] for part in fields(kind)})
        solution = Solution(point=np.empty(0), history=arrays["loss_history"], **header["solution"])
        parameters = {name: _unpacked_parameter(value) for name, value in header["parameters"].items()}
        stability = read_stability(arrays, header.get("stability"))
        held_out = _held_out(graph, arrays, header)
        chosen = header.get("chosen", {})
        return KeptModel(header["model"], parameters, graph, factors, solution, held_out, stability, chosen)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{str(path)!r} lacks a part of a model ({error}); fit and save it again") from error


def _taken_apart(held_out: HeldOut | None) -> tuple[RandomPairs | None, HeldOut | None]:
    """The pairs held out by chance, and those on a list."""
    if isinstance(held_out, BothPairs):
        return held_out.random, held_out.list
    return (held_out, None) if isinstance(held_out, RandomPairs) else (None, held_out)


def _held_out(graph: Graph, arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> HeldOut | None:
    by_chance = RandomPairs(**header["held_out"]) if header["held_out"] else None
    if "held_out_rows" not in arrays:
        return by_chance
    by_list = ListedPairs.of_rows(graph, arrays["held_out_rows"], arrays["held_out_columns"])
    return by_list if by_chance is None else BothPairs(by_chance, by_list)


def _links(graph: Graph) -> dict[str, InPieces]:
    """The ends and the weights of ``graph.links``, made while they are written."""
    index, count, weights = np.dtype(np.int32 if graph.n_nodes < 2**31 else np.int64), (graph.n_links,), graph.weights
    links = {
        "link_rows": InPieces(index, count, lambda: (rows for rows, _, _ in link_parts(graph))),
        "link_columns": InPieces(index, count, lambda: (columns for _, columns, _ in link_parts(graph))),
    }
    if weights is not None:
        links["link_weights"] = InPieces(
            weights.dtype, count, lambda: (weights[entries] for _, _, entries in link_parts(graph))
        )
    return links


def _packed(nodes: Nodes) -> dict[str, npt.NDArray[Any]]:
    if nodes.integers is not None:
        return {"integer_names": nodes.integers}
    for name in nodes:
        if type(name) not in (str, int, float, bool, type(None)):
            raise InvalidGraphError(
                f"the node name {name!r} is a {type(name).__name__}, which a file cannot keep; "
                "name nodes by text or numbers, for example graph.renamed(Nodes(map(str, graph.nodes)))"
            )
    return {"names": np.frombuffer(json.dumps(list(nodes)).encode(), dtype=np.uint8)}


def _unpacked(arrays: dict[str, npt.NDArray[Any]]) -> Nodes:
    if "integer_names" in arrays:
        return Nodes(arrays["integer_names"])
    return Nodes(json.loads(arrays["names"].tobytes()))


_UNKNOWN = object()


def _packed_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Settings as JSON; what cannot be written (a generator, a function) falls back to its default on loading."""
    packed = {name: _packed_parameter(value) for name, value in parameters.items()}
    return {name: value for name, value in packed.items() if value is not _UNKNOWN}


def _packed_parameter(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, np.integer):
        return int(value)
    if is_dataclass(value) and type(value).__name__ in _SOLVERS:
        return {type(value).__name__: asdict(value)}  # type: ignore[arg-type]
    return _UNKNOWN


def _unpacked_parameter(value: Any) -> Any:
    if isinstance(value, dict):
        ((name, settings),) = value.items()
        return _SOLVERS[name](**settings)
    return value
