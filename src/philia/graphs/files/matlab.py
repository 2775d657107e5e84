"""MATLAB files (.mat), versions 4 to 7: every size is checked against the bytes that are there.

A file of version 5 to 7 is a header of 128 bytes and a sequence of elements. An element is a tag, with its type and
size, and its content; a variable is an element that holds others: flags, dimensions, name, values. It may be compressed
as a whole. A file of version 4 has only variables, each after a header of 20 bytes.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia.exceptions import GraphFileError, InvalidGraphError
from philia.graphs.files.declarations import check_nodes
from philia.graphs.graph import Graph
from philia.graphs.matrices import graph_from_matrix, is_sound
from philia.storage import ReadingOptions, Source, require_memory

_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _COMPRESSED = 14, 15
_CLASSES = (
    *("", "cell", "struct", "object", "char", "sparse", "double", "single", "int8", "uint8", "int16", "uint16"),
    *("int32", "uint32", "int64", "uint64", "function", "opaque"),
)
_OLD_TYPES = ("f8", "f4", "i4", "i2", "u2", "u1")
_OLD_CLASSES = ("double", "char", "sparse")
_HEAD = 4096
"""Bytes that must hold the flags, dimensions and name of a variable; MATLAB's names have at most 63 letters."""


@dataclass(frozen=True)
class _Variable:
    """A variable as its header describes it, and the bytes of its values."""

    name: str
    kind: str
    shape: tuple[int, ...]
    order: str
    content: memoryview
    """The whole variable if it is compressed, otherwise its values."""
    packed: bool = False
    complex: bool = False
    old_type: str = ""
    """The type of the values in version 4, whose values have no tags."""

    def described(self) -> str:
        return f"{self.name!r} ({' x '.join(map(str, self.shape))} {self.kind})"


def read_mat(source: Source, options: ReadingOptions) -> Graph:
    """The graph of a MATLAB file: the matrix ``network``, otherwise the only square matrix."""
    matrix = load_mat(source, "network")
    check_nodes(source, max(matrix.shape), matrix.nnz)
    return graph_from_matrix(matrix, symmetrize=options.symmetrize, keep_weights=options.keep_weights)


def load_mat(source: Source, name: str) -> Any:
    """The matrix called ``name`` as a sparse matrix; without a ``network`` the only square one will do."""
    content = source.seekable().read()
    chosen = _choose(list(_variables(memoryview(content))), name)
    if chosen.kind in ("", "cell", "struct", "object", "char", "function", "opaque") or len(chosen.shape) != 2:
        raise GraphFileError(f"the variable {chosen.described()} is not a matrix of numbers; expected one")
    return _matrix(chosen, source)


def _damaged(what: str) -> GraphFileError:
    return GraphFileError(f"this is not a valid MATLAB file ({what}); save it again, or get it again")


def _choose(listed: list[_Variable], name: str) -> _Variable:
    named = [variable for variable in listed if variable.name == name]
    if named:
        return named[0]
    square = [
        variable for variable in listed if len(variable.shape) == 2 and variable.shape[0] == variable.shape[1] > 1
    ]
    if name != "network" or len(square) != 1:
        there = ", ".join(variable.described() for variable in listed) or "nothing"
        raise GraphFileError(
            f"there is no matrix {name!r} in the file, which holds {there}; rename the right one to {name!r}"
        )
    return square[0]


def _variables(content: memoryview) -> Iterator[_Variable]:
    """The variables of the file, in order; their values are not unpacked."""
    if len(content) >= 20 and 0 in content[:4]:
        yield from _old_variables(content)
        return
    mark = bytes(content[124:128])
    if mark[2:] not in (b"IM", b"MI"):
        raise _damaged("its header of 128 bytes is missing or truncated")
    order = "<" if mark[2:] == b"IM" else ">"
    version = int.from_bytes(mark[:2], "little" if order == "<" else "big") >> 8
    if version == 2:
        raise GraphFileError(
            "the file is in MATLAB's version 7.3, which is not supported; save it in MATLAB with save(..., '-v7')"
        )
    if version != 1:
        raise _damaged(f"its header names the unknown version {version}")
    for kind, element, _ in _elements(content[128:], order):
        if kind == _COMPRESSED:
            head = memoryview(zlib.decompressobj().decompress(element, _HEAD))
            kind, size, begin = _tag(head, order)
            if kind == _MATRIX:
                yield _head(head[begin : begin + size], element, order, packed=True)
        elif kind == _MATRIX:
            yield _head(element[:_HEAD], element, order, packed=False)


def _tag(content: memoryview, order: str) -> tuple[int, int, int]:
    """The type of the element, its size in bytes, and where they begin; small elements are in the tag itself."""
    if len(content) < 8:
        raise _damaged("it is truncated")
    kind, size = struct.unpack(order + "II", content[:8])
    return (kind & 0xFFFF, kind >> 16, 4) if kind >> 16 else (kind, size, 8)


def _elements(content: memoryview, order: str) -> Iterator[tuple[int, memoryview, int]]:
    """The type and content of each element, and where the next one begins."""
    at = 0
    while len(content) - at >= 8:  # less than a tag may be left over
        kind, size, begin = _tag(content[at:], order)
        if begin == 4 and size > 4:
            raise _damaged(f"a small element has {size} bytes")
        if at + begin + size > len(content):
            raise _damaged(f"an element announces {size:,} bytes, but {len(content) - at - begin:,} are left")
        element = content[at + begin : at + begin + size]
        # Elements are padded to multiples of eight bytes, except compressed ones.
        at += 8 if begin == 4 else 8 + (size if kind == _COMPRESSED else -(-size // 8) * 8)
        yield kind, element, at


def _head(head: memoryview, content: memoryview, order: str, *, packed: bool) -> _Variable:
    """The variable whose flags, dimensions and name are in ``head``."""
    found = list(islice(_elements(head, order), 3))
    if len(found) < 3:
        raise _damaged("a variable has no flags, dimensions or name")
    (_, flags, _), (kind, sizes, _), (_, name, end) = found
    if len(flags) != 8 or kind != 5 or not sizes or len(sizes) % 4:
        raise _damaged("the flags or dimensions of a variable are malformed")
    word = struct.unpack(order + "I", flags[:4])[0]
    number, logical, with_imaginary = word & 0xFF, bool(word & 0x200), bool(word & 0x800)
    shape = tuple(struct.unpack(f"{order}{len(sizes) // 4}i", sizes))
    if number >= len(_CLASSES) or min(shape) < 0:
        raise _damaged(f"a variable is of the unknown class {number}, or of the size {shape}")
    kind_name = "logical" if logical and _CLASSES[number] not in ("sparse", "char") else _CLASSES[number]
    rest = content if packed else content[end:]
    return _Variable(bytes(name).decode("latin-1"), kind_name, shape, order, rest, packed, with_imaginary)


def _old_variables(content: memoryview) -> Iterator[_Variable]:
    """The variables of a file of version 4."""
    at = 0
    while at < len(content):
        if len(content) - at < 20:
            raise _damaged("it is truncated")
        order = "<" if struct.unpack("<i", content[at : at + 4])[0] in range(1000) else ">"
        code, rows, columns, imaginary, length = struct.unpack(order + "5i", content[at : at + 20])
        machine, type_code, kind = code // 1000, code // 10 % 10, code % 10
        if machine not in (0, 1) or code // 100 % 10 or type_code > 5 or kind > 2 or min(rows, columns, length) < 0:
            raise _damaged("it has neither the header of versions 5 to 7 nor that of version 4")
        begin = at + 20 + length
        dtype = np.dtype(order + _OLD_TYPES[type_code])
        end = begin + rows * columns * dtype.itemsize * (1 + (imaginary != 0 and kind != 2))
        if end > len(content):
            raise _damaged(f"a variable announces {end - begin:,} bytes, but {len(content) - begin:,} are left")
        name = bytes(content[at + 20 : begin]).rstrip(b"\0").decode("latin-1")
        values = content[begin : begin + rows * columns * dtype.itemsize]
        shape = (rows, columns)
        if kind == 2:
            shape = _old_sparse_shape(values, rows, columns, dtype)
        complex_values = columns > 3 if kind == 2 else imaginary != 0
        yield _Variable(name, _OLD_CLASSES[kind], shape, order, values, False, complex_values, dtype.str)
        at = end


def _old_sparse_shape(values: memoryview, rows: int, columns: int, dtype: np.dtype[Any]) -> tuple[int, int]:
    """The size of a sparse matrix of version 4: the last row of its table of rows, columns and values."""
    if not rows or columns not in (3, 4) or dtype.kind != "f":
        raise _damaged("a sparse matrix is not a table of rows, columns and values")
    last = np.frombuffer(values, dtype).reshape(columns, rows)[:2, -1]
    if not (np.isfinite(last) & (last >= 0) & (last < 2**53)).all():
        raise _damaged("a sparse matrix has no size")
    return int(last[0]), int(last[1])


def _matrix(variable: _Variable, source: Source) -> Any:
    """The values of a variable as a sparse matrix, without zeros."""
    if variable.complex:
        raise InvalidGraphError(
            f"the matrix {variable.name!r} holds complex values; an adjacency matrix holds zeros and ones"
        )
    if variable.old_type:
        return _old_matrix(variable, source)
    content = _unpacked(variable, source) if variable.packed else variable.content
    parts = [_values(kind, element, variable, source) for kind, element, _ in _elements(content, variable.order)]
    if variable.kind == "sparse":
        if len(parts) < 3 or parts[0].dtype.kind not in "iu" or parts[1].dtype.kind not in "iu":
            raise _damaged("a sparse matrix has no rows, columns or values")
        return _columns(parts[0], parts[1], parts[2], variable.shape)
    if len(parts) != 1 or parts[0].size != math.prod(variable.shape):
        raise _damaged(f"there are not as many values as {variable.described()} has entries")
    return _dense(parts[0], variable, source)


def _unpacked(variable: _Variable, source: Source) -> memoryview:
    """The values of a compressed variable."""
    unpacking = zlib.decompressobj()
    begun = memoryview(unpacking.decompress(variable.content, _HEAD))
    _, size, begin = _tag(begun, variable.order)
    source.check_unpacked(size, f"the matrix {variable.name!r}")
    require_memory(2 * size, f"the matrix {variable.name!r}")
    # Ask for one byte more than there is, so that zlib reaches the end and compares its checksum.
    rest = unpacking.decompress(unpacking.unconsumed_tail, max(1, begin + size - len(begun) + 1))
    content = memoryview(bytes(begun) + rest)[begin:]
    if len(content) != size:
        raise _damaged(f"the matrix {variable.name!r} announces {size:,} bytes, but unpacks to {len(content):,}")
    *_, (_, _, end) = islice(_elements(content, variable.order), 3)
    return content[end:]


def _values(kind: int, element: memoryview, variable: _Variable, source: Source) -> npt.NDArray[Any]:
    if kind not in _TYPES:
        raise _damaged(f"the values of {variable.name!r} are of the unknown type {kind}")
    dtype = np.dtype(variable.order + _TYPES[kind])
    if len(element) % dtype.itemsize:
        raise _damaged(f"the values of {variable.name!r} do not fill their {len(element):,} bytes")
    if variable.kind == "sparse":
        source.check_values(len(element) // dtype.itemsize, f"the matrix {variable.name!r}")
    return np.frombuffer(element, dtype).astype(dtype.newbyteorder("="), copy=False)


def _columns(rows: npt.NDArray[Any], starts: npt.NDArray[Any], values: npt.NDArray[Any], shape: tuple[int, ...]) -> Any:
    """A sparse matrix from MATLAB's compressed columns."""
    if len(starts) != shape[1] + 1 or starts[-1] > min(len(rows), len(values)) or starts[0] != 0:
        raise _damaged("the columns of a sparse matrix do not fit its entries")
    used = int(starts[-1])  # MATLAB may reserve room for further entries
    matrix = sparse.csc_array((values[:used], rows[:used], starts), shape=shape)
    if not is_sound(matrix):
        raise _damaged("a sparse matrix has entries outside of its bounds")
    return matrix


def _dense(values: npt.NDArray[Any], variable: _Variable, source: Source) -> Any:
    """The entries of a dense matrix, which MATLAB stores by columns."""
    source.check_values(int(np.count_nonzero(values)), f"the matrix {variable.name!r}")
    at = np.flatnonzero(values)
    columns, rows = np.divmod(at, max(1, variable.shape[0]))
    return sparse.coo_array((values[at], (rows, columns)), shape=variable.shape)


def _old_matrix(variable: _Variable, source: Source) -> Any:
    values = np.frombuffer(variable.content, variable.old_type)
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    if variable.kind != "sparse":
        return _dense(values, variable, source)
    rows, columns, entries = (part[:-1] for part in values.reshape(3, -1))  # the last row holds the size
    if not all((np.isfinite(part) & (part >= 1) & (part < 2**53)).all() for part in (rows, columns)):
        raise _damaged("a sparse matrix has entries outside of its bounds")
    ends = (rows.astype(np.int64) - 1, columns.astype(np.int64) - 1)
    if any(end.size and end.max() >= size for end, size in zip(ends, variable.shape, strict=True)):
        raise _damaged("a sparse matrix has entries outside of its bounds")
    return sparse.coo_array((entries, ends), shape=variable.shape)
