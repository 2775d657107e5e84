"""NumPy and SciPy archives (.npz)."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, Any, BinaryIO

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia.exceptions import GraphFileError, PhiliaError
from philia.graphs.described import DescribedGraph
from philia.graphs.files.declarations import check_nodes
from philia.graphs.files.names import is_numbered
from philia.graphs.graph import Graph
from philia.graphs.links import graph_from_names, graph_from_rows
from philia.graphs.matrices import graph_from_entries, graph_from_matrix
from philia.graphs.nodes import Nodes
from philia.storage import ReadingOptions, Source, is_bomb, require_memory

_PER_NODE = ("node_labels", "node_features")
"""Arrays with one row per node, which tell the number of nodes."""

_INTEGERS, _TEXT, _LIMITS = "names", "names_utf8", "names_limits"
"""Arrays of philia beside the matrix: integer names, or all names joined in UTF-8 and where each ends."""

_MAGIC = re.compile(rb"\x93NUMPY([\x01-\x03])[\x00-\xff]")
_KIND = re.compile(r"[<>|=]?[?bBiufcSU]\d{0,9}")
_FIELDS = {
    "descr": re.compile(r"""['"]descr['"]\s*:\s*['"]([^'"]*)['"]"""),
    "fortran_order": re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)\b"""),
    "shape": re.compile(r"""['"]shape['"]\s*:\s*\(([\d\s,L]{0,200})\)"""),
}
_LONGEST = 1 << 16
"""Bytes of an array's header; numpy writes some hundred."""


@dataclass(frozen=True)
class _Header:
    """The header of an .npy file, and the offset of the values after it."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran_order: bool
    begin: int


class _Arrays:
    """The arrays of an .npz file by name.

    numpy evaluates the header of an array as Python, and allocates the size that it claims. Here the header is only
    matched, and the size that it claims has to be the size of the entry in the archive.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._archive = zipfile.ZipFile(source.seekable())
        self._entries = {entry.filename.removesuffix(".npy"): entry for entry in self._archive.infolist()}
        files = [entry.filename for entry in self._archive.infolist()]
        if files and not any(name.endswith(".npy") for name in files):
            raise GraphFileError(f"this is a zip archive with {files[0]!r} in it; unpack it first")

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array, without reading its values."""
        with self._archive.open(self._entries[name]) as file:
            return _header(file, name).shape

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if name not in self._entries:
            raise GraphFileError(f"there is no array {name!r} in the file, only {', '.join(map(repr, self))}")
        entry = self._entries[name]
        with self._archive.open(entry) as file:
            header = _header(file, name)
            count = math.prod(header.shape)
            if header.begin + count * header.dtype.itemsize != entry.file_size:
                raise GraphFileError(
                    f"the array {name!r} announces {count:,} values of {header.dtype.itemsize} bytes, but the file has "
                    f"{entry.file_size - header.begin:,} bytes for it; the file is damaged"
                )
            self._source.check_unpacked(entry.file_size, f"the array {name!r}")
            self._source.check_values(count, f"the array {name!r}")
            require_memory(entry.file_size, f"the array {name!r}")
            values = np.frombuffer(file.read(), header.dtype)
        if header.dtype.kind == "b":
            values = values.view(np.uint8) != 0  # bytes other than 0 and 1 would be invalid booleans
        if header.dtype.kind == "U":
            _check_text(values, name)
        values = values.astype(header.dtype.newbyteorder("="), copy=False)
        return values.reshape(header.shape, order="F" if header.fortran_order else "C")


def _header(file: IO[bytes], name: str) -> _Header:
    magic = _MAGIC.fullmatch(file.read(8))
    width = 2 if magic and magic[1] == b"\x01" else 4
    length = int.from_bytes(file.read(width), "little")
    if magic is None or length > _LONGEST:
        raise GraphFileError(f"the array {name!r} does not begin like a numpy array; the file is damaged")
    text = file.read(length).decode("latin-1")
    fields = {key: pattern.search(text) for key, pattern in _FIELDS.items()}
    if re.search(r"""['"]descr['"]\s*:\s*['"]\|?O""", text):
        raise GraphFileError(
            "the file holds pickled objects, which could run any code when loaded; save plain arrays instead"
        )
    found = {key: match[1] for key, match in fields.items() if match is not None}
    if len(found) < len(fields) or not _KIND.fullmatch(found["descr"]) or not np.dtype(found["descr"]).itemsize:
        raise GraphFileError(
            f"the array {name!r} is described by {text.strip()[:100]!r}; expected the type and shape of an array "
            "of numbers or text"
        )
    shape = tuple(int(size.rstrip("L")) for size in re.findall(r"\d+L?", found["shape"]))
    return _Header(np.dtype(found["descr"]), shape, found["fortran_order"] == "True", 8 + width + length)


def _check_text(values: npt.NDArray[Any], name: str) -> None:
    codes = values.view(values.dtype.byteorder + "u4")
    if ((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000))).any():
        raise GraphFileError(f"the array {name!r} holds numbers that are not characters; the file is damaged")


@contextmanager
def open_arrays(source: Source) -> Iterator[_Arrays]:
    """The arrays of an .npz file by name; pickled objects, which could run code when loaded, are refused."""
    try:
        yield _Arrays(source)
    except (PhiliaError, MemoryError):
        raise
    except Exception as error:  # zipfile raises errors of many classes
        raise GraphFileError(f"this is not a valid .npz file ({error})") from error


def read_npz(source: Source, options: ReadingOptions) -> Graph:
    """The graph of an .npz file.

    It holds a matrix of ``scipy.sparse.save_npz``, or links in an array ``edges`` (m x 2) or ``edge_index`` (2 x m).
    A matrix has weights; of links, repetitions are counted.
    """
    keep_weights = options.keep_weights
    with open_arrays(source) as arrays:
        if "format" in arrays and "shape" in arrays:
            matrix = _sparse(arrays)
            check_nodes(source, max(matrix.shape), matrix.nnz)
            return graph_from_matrix(
                matrix, nodes=_names(arrays), symmetrize=options.symmetrize, keep_weights=keep_weights
            )
        if "edges" in arrays:
            return _from_ends(arrays["edges"], arrays, source, directed=False, keep_weights=keep_weights)
        if "edge_index" in arrays:
            return _from_ends(arrays["edge_index"].T, arrays, source, directed=True, keep_weights=keep_weights)
        raise GraphFileError(
            f"the arrays in the file are {', '.join(map(repr, arrays))}; expected a matrix saved by "
            "scipy.sparse.save_npz, or links in an array 'edges' with two columns or 'edge_index' with two rows"
        )


def _sparse(arrays: _Arrays) -> Any:
    form = _one(arrays, "format")
    form = form.decode() if isinstance(form, bytes) else str(form)
    parts = {
        "coo": "row col",
        "dia": "offsets",
        "csr": "indices indptr",
        "csc": "indices indptr",
        "bsr": "indices indptr",
    }
    if form not in parts:
        raise GraphFileError(
            f"the matrix is in the format {form!r}; save it as csr: scipy.sparse.save_npz(path, matrix.tocsr())"
        )
    if form == "coo" and "coords" in arrays:
        parts["coo"] = "coords"
    data, numbers = arrays["data"], [arrays[name] for name in parts[form].split()]
    size = arrays["shape"]
    wrong = next((values for values in [size, *numbers] if values.dtype.kind not in "iu"), None)
    if wrong is not None or size.shape != (2,) or size.min() < 0:
        raise GraphFileError(
            "the indices of the matrix are not integers, or its shape is not two of them; the file is damaged"
        )
    indices = tuple(numbers[0]) if parts[form] == "coords" else tuple(numbers)
    content = (data, indices) if form == "coo" else (data, *indices)
    return getattr(sparse, f"{form}_array")(content, shape=tuple(size.tolist()))


def _one(arrays: _Arrays, name: str) -> Any:
    """The single value of an array."""
    values = arrays[name]
    if values.size != 1:
        raise GraphFileError(f"the array {name!r} has the shape {values.shape}; expected one value")
    return values.item()


def _names(arrays: _Arrays) -> Nodes | None:
    if _INTEGERS in arrays:
        names = arrays[_INTEGERS]
        if names.ndim != 1 or names.dtype.kind not in "iu":
            raise GraphFileError(f"the array {_INTEGERS!r} holds {names.dtype} values; expected one integer per node")
        return Nodes(names)
    if _TEXT not in arrays:
        return None
    text, limits = arrays[_TEXT].tobytes(), arrays[_LIMITS]
    # Limits that go back and forth could repeat the same text until memory is full.
    rising = limits.ndim == 1 and limits.dtype.kind in "iu" and limits.size and not (limits[1:] < limits[:-1]).any()
    if not rising or limits[0] != 0 or limits[-1] != len(text):
        raise GraphFileError(
            f"the array {_LIMITS!r} does not say where each of the names in {_TEXT!r} ends; the file is damaged"
        )
    return Nodes([text[start:stop].decode() for start, stop in pairwise(limits.tolist())])


def _from_ends(ends: npt.NDArray[Any], arrays: _Arrays, source: Source, *, directed: bool, keep_weights: bool) -> Graph:
    if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
        raise GraphFileError(
            f"the array of links holds {ends.dtype} values in the shape {ends.shape}; expected two integers per link"
        )
    count = _count_nodes(arrays)
    if count is None and directed and keep_weights:
        names, numbers = np.unique(ends, return_inverse=True)
        rows, columns = numbers.reshape(-1, 2).T
        return graph_from_entries(rows, columns, Nodes(names), keep_weights=True)
    if count is None:
        return graph_from_names(ends[:, 0], ends[:, 1], keep_weights=keep_weights)
    if ends.size and (ends.min() < 0 or ends.max() >= count):
        raise GraphFileError(
            f"the links join nodes {ends.min():,} to {ends.max():,}, but there are {count:,} nodes, numbered from 0"
        )
    check_nodes(source, count, len(ends))
    make = graph_from_entries if directed else graph_from_rows
    return make(ends[:, 0], ends[:, 1], Nodes.numbered(count), keep_weights=keep_weights)


def _count_nodes(arrays: _Arrays) -> int | None:
    """The number of nodes, if another array tells."""
    if "num_nodes" in arrays:
        return int(_one(arrays, "num_nodes"))
    shapes = [arrays.shape(name) for name in _PER_NODE if name in arrays]
    return next((shape[0] for shape in shapes if shape), None)


def write_npz(described: DescribedGraph, file: BinaryIO) -> None:
    """Write what ``scipy.sparse.load_npz`` reads; names, unless they are 0, 1, …, are arrays beside the matrix."""
    graph = described.graph
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
    held = io.BytesIO()  # an archive is not written front to back, as a compressed stream has to be
    np.savez_compressed(held, **arrays)
    if any(is_bomb(max(array.nbytes, 8 * array.size), held.tell()) for array in arrays.values()):
        held = io.BytesIO()  # a nearly complete graph shrinks so much that reading would refuse it
        np.savez(held, **arrays)
    file.write(held.getbuffer())


def _name_arrays(nodes: Nodes) -> dict[str, npt.NDArray[Any]]:
    if is_numbered(nodes):
        return {}
    if nodes.integers is not None:
        return {_INTEGERS: nodes.integers}
    texts = [str(name).encode() for name in nodes]
    limits = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return {_TEXT: np.frombuffer(b"".join(texts), np.uint8), _LIMITS: limits}
