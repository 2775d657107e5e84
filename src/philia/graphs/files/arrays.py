"""Files of numpy and scipy (.npz) and of MATLAB (.mat)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia.exceptions import GraphFileError, PhiliaError
from philia.graphs.files.compression import Source
from philia.graphs.files.matrix_market import is_numbered
from philia.graphs.graph import Graph
from philia.graphs.links import graph_from_names, graph_from_rows
from philia.graphs.matrices import graph_from_entries, graph_from_matrix
from philia.graphs.memory import require_memory
from philia.graphs.nodes import Nodes

_PER_NODE = ("node_labels", "node_features")
_INTEGERS, _TEXT, _LIMITS = "names", "names_utf8", "names_limits"


@contextmanager
def open_arrays(source: Source) -> Iterator[Any]:
    """The arrays of an .npz file by name; objects that would run code when they are loaded are refused."""
    stream = source.seekable()
    try:
        with zipfile.ZipFile(stream) as archive:
            require_memory(sum(entry.file_size for entry in archive.infolist()), "holding the arrays in the file")
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as arrays:
            yield arrays
    except PhiliaError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile, NotImplementedError) as error:
        if "allow_pickle" in str(error):
            raise GraphFileError(
                "the file holds pickled objects, which could run any program when they are loaded; "
                "save plain arrays instead"
            ) from None
        raise GraphFileError(f"this is not an .npz file as it should be ({error})") from None


def read_npz(source: Source, *, symmetrize: bool, keep_weights: bool = False) -> Graph:
    """The graph of an .npz file.

    It holds a matrix of ``scipy.sparse.save_npz``, or links in an array ``edges`` (m x 2) or ``edge_index`` (2 x m).
    A matrix has weights; for links only repetitions are counted.
    """
    with open_arrays(source) as arrays:
        if "format" in arrays and "shape" in arrays:
            return graph_from_matrix(
                _sparse(arrays), nodes=_names(arrays), symmetrize=symmetrize, keep_weights=keep_weights
            )
        if "edges" in arrays:
            return _from_ends(arrays["edges"], arrays, directed=False, keep_weights=keep_weights)
        if "edge_index" in arrays:
            return _from_ends(arrays["edge_index"].T, arrays, directed=True, keep_weights=keep_weights)
        raise GraphFileError(
            f"the arrays in the file are {', '.join(map(repr, arrays))}; expected is a matrix saved by "
            "scipy.sparse.save_npz, or links in an array 'edges' with two columns or 'edge_index' with two rows"
        )


def _sparse(arrays: Any) -> Any:
    form = arrays["format"].item()
    form = form.decode() if isinstance(form, bytes) else str(form)
    shape = tuple(int(size) for size in arrays["shape"])
    if form in ("csr", "csc", "bsr"):
        return getattr(sparse, f"{form}_array")((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
    if form == "coo":
        ends = arrays["coords"] if "coords" in arrays else (arrays["row"], arrays["col"])
        return sparse.coo_array((arrays["data"], tuple(ends)), shape=shape)
    if form == "dia":
        return sparse.dia_array((arrays["data"], arrays["offsets"]), shape=shape)
    raise GraphFileError(
        f"the matrix is kept in the form {form!r}; save it as csr: scipy.sparse.save_npz(path, matrix.tocsr())"
    )


def _names(arrays: Any) -> Nodes | None:
    if _INTEGERS in arrays:
        return Nodes(arrays[_INTEGERS])
    if _TEXT not in arrays:
        return None
    text, limits = arrays[_TEXT].tobytes(), arrays[_LIMITS].tolist()
    return Nodes([text[start:stop].decode() for start, stop in pairwise(limits)])


def _from_ends(ends: npt.NDArray[Any], arrays: Any, *, directed: bool, keep_weights: bool) -> Graph:
    if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
        raise GraphFileError(
            f"the array of links holds {ends.dtype} values in the shape {ends.shape}; "
            "expected are two whole numbers a link"
        )
    count = _count_nodes(arrays)
    if count is None and directed and keep_weights:
        names, places = np.unique(ends, return_inverse=True)
        rows, columns = places.reshape(-1, 2).T
        return graph_from_entries(rows, columns, Nodes(names), keep_weights=True)
    if count is None:
        return graph_from_names(ends[:, 0], ends[:, 1], keep_weights=keep_weights)
    if ends.size and (ends.min() < 0 or ends.max() >= count):
        raise GraphFileError(
            f"the links join nodes {ends.min():,} to {ends.max():,}, but there are {count:,} nodes, numbered from 0"
        )
    make = graph_from_entries if directed else graph_from_rows
    return make(ends[:, 0], ends[:, 1], Nodes.numbered(count), keep_weights=keep_weights)


def _count_nodes(arrays: Any) -> int | None:
    """How many nodes there are, if another array tells."""
    if "num_nodes" in arrays:
        return int(arrays["num_nodes"])
    return next((len(arrays[name]) for name in _PER_NODE if name in arrays), None)


def write_npz(graph: Graph, file: BinaryIO) -> None:
    """What ``scipy.sparse.load_npz`` reads, with the names, unless they are 0, 1, …, in arrays beside the matrix."""
    matrix = graph.adjacency
    arrays = {
        "format": np.array(b"csr"),
        "_is_array": np.array(True),
        "shape": np.array(matrix.shape),
        "data": matrix.data if graph.weights is None else graph.weights,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        **_name_arrays(graph.nodes),
    }
    held = io.BytesIO()  # an archive is not written from front to back, which a compressed file would need
    np.savez_compressed(held, **arrays)
    file.write(held.getbuffer())


def _name_arrays(nodes: Nodes) -> dict[str, npt.NDArray[Any]]:
    if is_numbered(nodes):
        return {}
    if nodes.integers is not None:
        return {_INTEGERS: nodes.integers}
    texts = [str(name).encode() for name in nodes]
    limits = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return {_TEXT: np.frombuffer(b"".join(texts), np.uint8), _LIMITS: limits}


def load_mat(source: Source, name: str) -> Any:
    """The matrix of a MATLAB file that is called ``name``; instead of ``network`` the only square one will do."""
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import MatReadError

    stream = source.seekable()
    try:
        listed = whosmat(stream)
        found = _choose(listed, name)
        shape, kind = next((shape, kind) for key, shape, kind in listed if key == found)
        if kind != "sparse":
            require_memory(9 * int(np.prod([float(size) for size in shape])), f"the matrix {found!r}")
        stream.seek(0)
        return loadmat(stream, variable_names=[found], spmatrix=False)[found]
    except NotImplementedError:
        raise GraphFileError(
            "the file is in MATLAB's format 7.3, which is not read; save it in MATLAB with save(..., '-v7')"
        ) from None
    except PhiliaError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, MatReadError) as error:
        raise GraphFileError(f"this is not a MATLAB file as it should be ({error})") from None


def _choose(listed: list[tuple[str, tuple[int, ...], str]], name: str) -> str:
    if any(key == name for key, _, _ in listed):
        return name
    square = [key for key, shape, _ in listed if len(shape) == 2 and shape[0] == shape[1] > 1]
    if name != "network" or len(square) != 1:
        there = ", ".join(f"{key!r} ({' x '.join(map(str, shape))} {kind})" for key, shape, kind in listed) or "nothing"
        raise GraphFileError(
            f"there is no matrix {name!r} in the file, which holds {there}; rename the right one to {name!r}"
        )
    return square[0]


def read_mat(source: Source, *, symmetrize: bool, keep_weights: bool = False) -> Graph:
    """The graph of a MATLAB file: the matrix ``network``, otherwise the only square matrix there."""
    return graph_from_matrix(load_mat(source, "network"), symmetrize=symmetrize, keep_weights=keep_weights)
