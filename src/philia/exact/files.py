"""Numbers in files: arrays without loss as JSON text, read with the distrust that a file from anyone deserves.

Every field is checked for its type and range before it is used, unknown and repeated fields are refused, and no array
is unpacked before it is known to fit into a budget that grows with the file's size. docs/exact.md describes the format.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from math import prod
from typing import Any, NamedTuple

import numpy as np

from philia.exact.representation import Integers
from philia.exceptions import ModelFileError
from philia.storage import Source, require_memory


class _Budget(NamedTuple):
    """A limit in bytes: at ``least`` this many, and ``per_byte`` more for each byte that the file has on the disk."""

    least: int
    per_byte: int

    def for_file(self, size: int) -> int:
        """The limit for a file of this size."""
        return self.least + self.per_byte * size


_TEXT = _Budget(16 << 20, 16)
"""The most text in a file: its numbers are compressed already, so compressing the file gains far less than this."""

MEMORY = _Budget(256 << 20, 128)
"""The most memory for arrays: without it, 1 MB of compressed zeros would unpack to 1 GB."""

_BYTES = {"<i1": 64, "<i2": 64, "<i4": 64, "<i8": 64, "<f8": 128, "long": 64}
"""Memory reserved for one number of each type, with the copies that may be made of it to decide signs."""

_PER_DIGIT = 2
"""Memory reserved for each digit of long numbers, in addition: half a byte, and copies."""

_CHUNK = 1 << 20
"""Bytes read at once, before their total is compared with the budget."""

_LARGEST_COUNT = 1 << 40
"""No array that fits into memory has more entries in one direction."""

_HEXADECIMAL = re.compile(rb"-?0x[0-9a-f]+(?:,-?0x[0-9a-f]+)*")


def packed(array: Integers) -> dict[str, Any]:
    """An array as JSON: its bytes, compressed, or, if its numbers are long, their hexadecimal digits, compressed.

    >>> unpacked(packed(np.array([[1, -2], [1 << 99, 0]], dtype=object))).tolist() == [[1, -2], [1 << 99, 0]]
    True
    """
    if array.dtype == object:
        kind, content = "long", ",".join(map(hex, array.ravel())).encode()
    elif array.dtype.kind == "f":
        kind, content = "<f8", array.astype("<f8").tobytes()
    else:
        kind = f"<i{np.result_type(*(np.min_scalar_type(-abs(int(end)) - 1) for end in _ends(array))).itemsize}"
        content = array.astype(kind).tobytes()
    return {"type": kind, "shape": list(array.shape), "data": base64.b64encode(zlib.compress(content, 9)).decode()}


def unpacked(kept: Any, most: int = MEMORY.least) -> Integers:
    """The array that was packed; integers come back with 64 bits, long ones as Python integers.

    ``most`` is the memory it may take, in bytes. Nothing is unpacked before the shape is known to fit, and never more
    than the shape announces.
    """
    kind, shape, data = fields_of(kept, ("type", "shape", "data"), "an array")
    if type(kind) is not str or kind not in _BYTES:
        raise ModelFileError(f"an array has the type {kind!r}; the known types are {', '.join(_BYTES)}")
    if type(shape) is not list or len(shape) not in (1, 2) or not all(is_count(length) for length in shape):
        raise ModelFileError(f"an array has the shape {str(shape)[:100]}; it must be one or two numbers from 0 to 2^40")
    if type(data) is not str:
        raise ModelFileError("the data of an array must be text in base64")
    count = prod(shape)
    if count * _BYTES[kind] > most:
        raise ModelFileError(f"an array of shape {shape} is too large for a file of this size")
    require_memory(count * _BYTES[kind], f"an array of shape {shape}")
    compressed = base64.b64decode(data, validate=True)
    if kind == "long":
        return _long_numbers(_inflated(compressed, (most - count * _BYTES[kind]) // _PER_DIGIT), count).reshape(shape)
    content = _inflated(compressed, count * int(kind[2:]))
    wide = np.float64 if kind == "<f8" else np.int64
    return np.frombuffer(content, dtype=kind).astype(wide).reshape(shape)


def read_text(source: Source) -> bytes:
    """All bytes of an opened file, but no more than its budget allows."""
    text, most = bytearray(), _TEXT.for_file(source.size)
    while chunk := source.stream.read(_CHUNK):
        text += chunk
        if len(text) > most:
            raise ModelFileError(
                f"the compressed file unpacks to more than {most:,} bytes, which no exact representation needs; "
                "get the file again"
            )
    return bytes(text)


def parsed(text: bytes) -> Any:
    """JSON in which no name is repeated: people would read one value and programs another."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ModelFileError(f"the name {twice[:100]!r} appears more than once; only one value can count")
        return found

    def number(name: str) -> float:
        raise ModelFileError(f"found {name}, which is not a number in JSON")

    return json.loads(text.decode("utf-8"), object_pairs_hook=once, parse_constant=number)


def fields_of(content: Any, names: tuple[str, ...], whole: str) -> list[Any]:
    """The values under these names, all of which must be there, and no others."""
    if type(content) is not dict:
        raise ModelFileError(f"{whole} must be an object with the names {', '.join(names)}")
    if set(content) != set(names):
        missing, unknown = set(names) - set(content), set(content) - set(names)
        said = [f"has no {', '.join(sorted(missing))}"] if missing else []
        said += [f"has the unknown {', '.join(sorted(unknown))[:100]!r}"] if unknown else []
        raise ModelFileError(f"{whole} {' and '.join(said)}")
    return [content[name] for name in names]


def memory_of(array: Integers) -> int:
    """The memory reserved for an array, with the copies that may be made of it to decide signs."""
    if array.dtype != object:
        return array.size * _BYTES["<f8" if array.dtype.kind == "f" else "<i8"]
    digits = sum(int(number).bit_length() // 4 + 4 for number in array.flat)
    return array.size * _BYTES["long"] + digits * _PER_DIGIT


def is_count(number: Any) -> bool:
    """Whether this can be a row number or the length of an array."""
    return type(number) is int and 0 <= number <= _LARGEST_COUNT


def _inflated(compressed: bytes, most: int) -> bytes:
    """The bytes behind the compression, of which there must be no more than ``most``."""
    stream = zlib.decompressobj()
    content = stream.decompress(compressed, most + 1)
    if len(content) > most:
        raise ModelFileError("an array holds more numbers than its shape says, or more digits than memory allows")
    if not stream.eof or stream.unused_data:
        raise ModelFileError("the compressed numbers of an array are cut off, or something follows them")
    return content


def _long_numbers(content: bytes, count: int) -> Integers:
    if (content.count(b",") + 1 if content else 0) != count or (count and not _HEXADECIMAL.fullmatch(content)):
        raise ModelFileError(f"an array of {count:,} long numbers must hold as many, as 0x1f or -0x1f, between commas")
    numbers = np.empty(count, dtype=object)
    numbers[:] = [int(digits, 16) for digits in content.split(b",")] if count else []
    return numbers


def _ends(array: Integers) -> tuple[int, int]:
    return int(array.min(initial=0)), int(array.max(initial=0))
