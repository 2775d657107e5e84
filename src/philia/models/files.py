"""A whole model in one file: factors, graph, names, settings, and how the fit went."""

from __future__ import annotations

import json
import logging
import math
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from philia._types import Int64Array
from philia.exceptions import InvalidGraphError, ModelFileError, NotEnoughMemoryError
from philia.explain import CommunitySignificance, Significance, Stability
from philia.explain.stability import CommunityStability
from philia.factors import (
    BlockFactors,
    CoinFactors,
    CommunityFactors,
    ConeFactors,
    Factors,
    FeatureFactors,
    LogisticFactors,
    MixtureFactors,
    SignedFactors,
    SparseFactors,
)
from philia.factors.community import Kind
from philia.graphs import Changes, Graph, Nodes
from philia.graphs.disk import link_parts
from philia.pairs import HeldOut, ListedPairs, RandomPairs
from philia.pairs.sample import Estimate
from philia.solvers import SOLVERS, Solution
from philia.storage.tensors import InPieces, read_arrays, write_arrays

_LOG = logging.getLogger("philia")

_SHAPES: dict[Any, dict[str, str]] = {
    BlockFactors: {"groups": "n", "densities": "gg"},
    CoinFactors: {"seed": "1", "groups": "n"},
    CommunityFactors: {"homophilous": "nb", "heterophilous": "nc", "background": "n"},
    ConeFactors: {"first": "nk", "second": "nk", "density": "n"},
    FeatureFactors: {"features_of": "nk", "strengths": "kk", "constant": "1"},
    LogisticFactors: {"left": "nk", "right": "nk"},
    MixtureFactors: {"memberships": "nk", "emissions": "nk", "degrees": "n", "shares": "nk"},
    SignedFactors: {"positive": "np", "negative": "nq"},
    SparseFactors: {
        "background": "n",
        "communities": "1",
        "weight": "1",
        "adds": "1",
        **{f"homophilous_{part}": length for part, length in (("values", "b"), ("columns", "b"), ("starts", "r"))},
        **{f"neighbourhoods_{part}": length for part, length in (("values", "d"), ("columns", "d"), ("starts", "r"))},
    },
}
"""The shape of each array of each kind of factors: the same letter is the same length, and n the number of nodes."""

_WHOLE = (
    "groups", "seed", "communities", "adds", "homophilous_columns", "homophilous_starts", "neighbourhoods_columns",
    "neighbourhoods_starts",
)  # fmt: skip
"""Arrays of whole numbers; all others hold fractions."""

_NONNEGATIVE = (
    *_WHOLE, "homophilous", "heterophilous", "first", "second", "memberships", "emissions", "degrees", "shares",
    "homophilous_values", "neighbourhoods_values", "weight",
)  # fmt: skip

_LEAST = -sys.float_info.max
"""The least finite number."""

_NAMES = (str, int, float, bool, type(None))
"""Kinds of node names that a file can keep."""

_FACTORS = {kind.__name__: kind for kind in _SHAPES}


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
    read: Int64Array | None = None
    significance: Significance | None = None
    heterophily: Estimate | None = None
    finest: Int64Array | None = None


def write_model(path: str | os.PathLike[str], kept: KeptModel) -> None:
    """Write a fitted model; node names must be text, numbers, booleans or None."""
    graph, solution, held_out = kept.graph, kept.solution, kept.held_out
    arrays: dict[str, npt.NDArray[Any] | InPieces] = {
        **kept.factors.arrays(),
        **_links(graph),
        "loss_history": solution.history,
        **_packed(graph.nodes),
        **_stability_arrays(kept.stability),
        **({} if kept.read is None else {"read": kept.read}),
        **({} if kept.finest is None else {"finest": kept.finest}),
    }
    random = None if held_out is None else held_out.random_part
    if held_out is not None:
        arrays.update(held_out.arrays(graph.n_nodes))
    header = {
        "model": kept.model,
        "factors": type(kept.factors).__name__,
        "parameters": _packed_parameters(kept.parameters),
        "changes": asdict(graph.changes),
        "stability": _stability_header(kept.stability),
        "significance": kept.significance and asdict(kept.significance),
        "heterophily": kept.heterophily and asdict(kept.heterophily),
        "chosen": kept.chosen,
        "held_out": None if random is None else asdict(random),
        "solution": {
            "value": solution.value,
            "evaluations": solution.evaluations,
            "seconds": solution.seconds,
            "reason": solution.reason,
            "converged": solution.converged,
        },
    }
    write_arrays(path, arrays, header)


@contextmanager
def refusing_damage(path: str | os.PathLike[str]) -> Iterator[None]:
    """Whatever goes wrong while a model is made from a file becomes a ``ModelFileError`` that names the file."""
    try:
        yield
    except (ModelFileError, NotEnoughMemoryError):
        raise
    except Exception as error:
        said = f"there is no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ModelFileError(
            f"{str(path)!r} does not hold a model as it should ({said}); restore it, or fit and save it again"
        ) from error


def read_model(path: str | os.PathLike[str]) -> KeptModel:
    """What the file at ``path`` says about a model, each part checked for its type and shape."""
    arrays, header = read_arrays(path)
    with refusing_damage(path):
        graph = _graph(arrays, header)
        kept = KeptModel(
            _text(header["model"], "the model"),
            {name: _unpacked_parameter(name, value) for name, value in _table(header["parameters"]).items()},
            graph,
            _factors(arrays, header, graph.n_nodes),
            _solution(arrays, header),
            _held_out(graph, arrays, header),
            _stability(arrays, header.get("stability"), graph.n_nodes),
            _table(header.get("chosen", {})),
            _labels(arrays, "read", graph.n_nodes),
            _significance(header.get("significance")),
            _heterophily(header.get("heterophily")),
            _labels(arrays, "finest", graph.n_nodes),
        )
    if header["format"] == 1:
        _LOG.warning(
            "%r was written by an earlier philia, whose checksum does not cover settings and loss; save it again to "
            "protect them",
            str(path),
        )
    return kept


def _graph(arrays: Mapping[str, npt.NDArray[Any]], header: Mapping[str, Any]) -> Graph:
    nodes = _unpacked(arrays)
    changes = Changes(**{name: _count(value, name) for name, value in _table(header["changes"]).items()})
    rows, columns = (_rows(arrays, name, len(nodes)) for name in ("link_rows", "link_columns"))
    weights = arrays.get("link_weights")
    if weights is not None and not (
        weights.dtype == np.float64
        and weights.shape == rows.shape
        and np.isfinite(weights).all()
        and (weights > 0).all()
    ):
        raise ValueError("link_weights must hold a finite number above 0 for each link")
    graph = Graph.from_rows(rows, columns, nodes, changes, weights)
    if graph.n_links != len(rows) or graph.changes != changes:
        raise ValueError("the links are not those of a graph: some are loops, or there twice")
    return graph


def _rows(arrays: Mapping[str, npt.NDArray[Any]], name: str, n_nodes: int) -> npt.NDArray[Any]:
    """An array of row numbers, one of two that belong together."""
    found, other = arrays[name], arrays[name.replace("_rows", "_columns")]
    if found.ndim != 1 or found.dtype.kind != "i" or found.shape != other.shape:
        raise ValueError(f"{name} is {found.dtype} of shape {found.shape}, not a list of rows")
    if found.size and not (found.min() >= 0 and found.max() < n_nodes):
        raise ValueError(f"{name} names nodes that are not there: there are {n_nodes:,}")
    return found


def _factors(arrays: Mapping[str, npt.NDArray[Any]], header: Mapping[str, Any], n_nodes: int) -> Factors:
    kind = _FACTORS[header.get("factors", "CommunityFactors")]  # files once held this kind only
    lengths = {"n": n_nodes, "r": n_nodes + 1, "1": 1}
    for name, shape in _SHAPES[kind].items():
        found = arrays[name]
        expected = tuple(lengths.get(letter) for letter in shape)
        fits = found.ndim == len(shape) and all(
            lengths.setdefault(letter, length) == length for letter, length in zip(shape, found.shape, strict=True)
        )
        if not fits or found.dtype != (np.int64 if name in _WHOLE else np.float64):
            raise ValueError(f"{name} is {found.dtype} of shape {found.shape}, where {expected} is expected")
        if name in _NONNEGATIVE and found.size and found.min() < 0:
            raise ValueError(f"{name} holds negative numbers")
    if kind is BlockFactors and n_nodes and arrays["groups"].max() >= lengths["g"]:
        raise ValueError(f"groups names groups that are not there: there are {lengths['g']:,}")
    factors: Factors = kind.from_arrays({name: arrays[name] for name in _SHAPES[kind]})
    if not factors.usable:
        raise ValueError("factors are not finite, or too large to be multiplied")
    return factors


def _labels(arrays: Mapping[str, npt.NDArray[Any]], name: str, n_nodes: int) -> Int64Array | None:
    """The main community of each node at the level that was read, or at the finest one; older files do not hold it.

    It is -1 for none.
    """
    found = arrays.get(name)
    if found is None:
        return None
    if found.dtype != np.int64 or found.shape != (n_nodes,) or found.min(initial=0) < -1:
        raise ValueError(f"{name} is {found.dtype} of shape {found.shape}, not a community or -1 for each node")
    if found.max(initial=-1) >= n_nodes:
        raise ValueError(f"{name} has community {found.max() + 1:,}, and there are {n_nodes:,} nodes")
    return found


def _solution(arrays: Mapping[str, npt.NDArray[Any]], header: Mapping[str, Any]) -> Solution:
    told, history = _table(header["solution"]), arrays["loss_history"]
    if history.ndim != 1 or history.dtype != np.float64:
        raise ValueError(f"loss_history is {history.dtype} of shape {history.shape}, not a list of numbers")
    value = told["value"]
    if type(value) not in (int, float) or not (math.isfinite(value) or not len(history)):  # some models have no loss
        raise ValueError(f"the loss is {value!r}, not a finite number")
    if type(told["converged"]) is not bool:
        raise ValueError(f"converged is {told['converged']!r}, neither true nor false")
    evaluations, reason = _count(told["evaluations"], "evaluations"), _text(told["reason"], "the reason")
    seconds = _number(told["seconds"], "seconds")
    return Solution(np.empty(0), value, history, evaluations, seconds, reason, told["converged"])


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{str(value)[:40]!r} stands where named values should")
    return value


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is {str(value)[:40]}, not a text")
    return value


def _count(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError(f"{name} is {str(value)[:40]}, not a whole number of at least 0")
    return value


def _number(value: Any, name: str, least: float = 0.0) -> float:
    if type(value) not in (int, float) or not least <= value < math.inf:
        raise ValueError(f"{name} is {str(value)[:40]}, not a finite number{' of at least 0' if not least else ''}")
    return float(value)


def _held_out(graph: Graph, arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> HeldOut | None:
    told = header["held_out"]
    random = None
    if told is not None:
        random = RandomPairs(_number(told["rate"], "the share held out"), _count(told["seed"], "the seed"))
    if "held_out_rows" not in arrays:
        return random
    rows, columns = (_rows(arrays, name, graph.n_nodes) for name in ("held_out_rows", "held_out_columns"))
    listed = ListedPairs.of_rows(graph, rows, columns)
    return listed if random is None else random.union(listed, graph)


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
        if type(name) not in _NAMES:
            raise InvalidGraphError(
                f"the node name {name!r} is a {type(name).__name__}, which a file cannot keep; "
                "name nodes by text or numbers, for example graph.renamed(Nodes(map(str, graph.nodes)))"
            )
    return {"names": np.frombuffer(json.dumps(list(nodes)).encode(), dtype=np.uint8)}


def _unpacked(arrays: Mapping[str, npt.NDArray[Any]]) -> Nodes:
    if "integer_names" in arrays:
        integers = arrays["integer_names"]
        if integers.ndim != 1 or integers.dtype != np.int64:
            raise ValueError(f"integer_names is {integers.dtype} of shape {integers.shape}, not a list of names")
        if len(np.unique(integers)) < len(integers):
            raise ValueError("two nodes have the same name")
        return Nodes(integers)
    names = json.loads(arrays["names"].tobytes())
    if not isinstance(names, list) or not all(type(name) in _NAMES for name in names):
        raise ValueError("names must hold text, numbers, booleans and None alone")
    nodes = Nodes(names)
    nodes.check_unique()
    return nodes


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
    if is_dataclass(value) and type(value) in SOLVERS.values():
        return {type(value).__name__: asdict(value)}  # type: ignore[arg-type]
    return _UNKNOWN


def _unpacked_parameter(name: str, value: Any) -> Any:
    if (
        name == "executor" and value is not None
    ):  # none is ever written, and nobody but the user decides where to compute
        raise ValueError("it says where to compute")
    if isinstance(value, dict):
        ((kind, settings),) = value.items()
        solver = {solver.__name__: solver for solver in SOLVERS.values()}[kind]
        for part in fields(solver):
            whole, number = "int" in str(part.type), settings.get(part.name, part.default)
            if type(number) not in ((int, type(part.default)) if whole else (int, float)):
                raise ValueError(f"{part.name} of {kind} is {str(number)[:40]!r}")
        return solver(**settings)
    if value is not None and type(value) not in (str, bool, int, float):
        raise ValueError(f"the setting {name} is a {type(value).__name__}")
    return value


def _stability_arrays(stability: Stability | None) -> dict[str, npt.NDArray[Any]]:
    """Likenesses (fits × k) and the ends of the intervals (n × k); none if the model was not refitted."""
    if stability is None or not stability.communities:
        return {}
    seen = stability.communities
    return {
        "stability_likenesses": np.column_stack([c.likenesses for c in seen]),
        "stability_lower": np.column_stack([c.lower for c in seen]),
        "stability_upper": np.column_stack([c.upper for c in seen]),
    }


def _stability_header(stability: Stability | None) -> dict[str, Any] | None:
    """The number of refits, the threshold, and the names of the communities."""
    if stability is None:
        return None
    return {
        "fits": stability.fits,
        "threshold": stability.threshold,
        "names": [community.name for community in stability.communities],
    }


def _stability(arrays: Mapping[str, npt.NDArray[Any]], header: dict[str, Any] | None, n_nodes: int) -> Stability | None:
    """What ``_stability_arrays`` and ``_stability_header`` kept; older files hold neither."""
    if header is None:
        return None
    fits, threshold, names = header["fits"], header["threshold"], header["names"]
    if type(fits) is not int or fits < 1 or type(threshold) not in (int, float):
        raise ValueError(f"the stability is that of {fits!r} fits with a threshold of {threshold!r}")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("the communities of the stability must have text for names")
    if not names:
        return Stability(fits, threshold, ())
    k = len(names)
    parts = []
    for name, rows in (("likenesses", fits), ("lower", n_nodes), ("upper", n_nodes)):
        found = arrays[f"stability_{name}"]
        if found.dtype != np.float64 or found.shape != (rows, k) or not np.isfinite(found).all():
            raise ValueError(f"stability_{name} is not {rows:,} × {k} finite numbers")
        parts.append(found)
    likenesses, lower, upper = parts
    communities = tuple(
        CommunityStability(name, likenesses[:, c], threshold, lower[:, c], upper[:, c]) for c, name in enumerate(names)
    )
    return Stability(fits, threshold, communities)


def _significance(header: Any) -> Significance | None:
    """The strength, error and z of each community on hidden pairs; older files do not hold them."""
    if header is None:
        return None
    told = _table(header)
    if not isinstance(told["communities"], list):
        raise ValueError("the significance must have a list of communities")
    return Significance(_count(told["folds"], "folds"), tuple(map(_one_significance, told["communities"])))


def _one_significance(told: Any) -> CommunitySignificance:
    kind = _table(told)["kind"]
    if kind not in get_args(Kind):
        raise ValueError(f"a significance is that of a community which is {str(kind)[:40]!r}")
    return CommunitySignificance(
        _text(told["name"], "the name of a community"),
        kind,
        _number(told["strength"], "a strength", _LEAST),
        _number(told["error"], "an error"),
        _number(told["z"], "z", _LEAST),
    )


def _heterophily(header: Any) -> Estimate | None:
    if header is None:
        return None
    told = [
        _number(_table(header)[part.name], f"the {part.name} of the heterophily", _LEAST) for part in fields(Estimate)
    ]
    return Estimate(*told)
