"""Bytes from a file, decompressed, and the one place where whatever goes wrong while reading becomes our error."""

from __future__ import annotations

import bz2
import difflib
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from philia.exceptions import GraphFileError, NotEnoughMemoryError, PhiliaError
from philia.graphs.memory import require_memory

SUFFIXES = (".gz", ".bz2", ".xz")
_CHUNK, _BUFFER = 1 << 24, 1 << 17
_DAMAGE = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)

_UNPACKED, _EXPANSION = 1 << 26, 64
"""Every file may unpack to 64 MB, and larger files to this many times their size.

Lists of links shrink to a fifth or a tenth. A file that unpacks to far more is damaged or made to fill the memory: the
graph takes some 12 bytes for each byte of the shortest lines, so that 1 MB of bomb would become 12 GB.
"""

_ISOLATED = 2_000_000
"""This many nodes without links a header may announce, and one more for each byte of the file."""

_SHOWN = 1000
"""Longest message; a damaged file may hold a name of many megabytes."""


class _Counted(io.RawIOBase):
    """A stream that counts the bytes that were read from it: how long a pipe is shows only at its end."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.count = stream, 0

    def readable(self) -> bool:
        """True: this is for reading only."""
        return True

    def readinto(self, room: Any) -> int:
        """Fill ``room`` as far as there are bytes at once; 0 at the end."""
        found = self._stream.read1(len(room))
        room[: len(found)] = found
        self.count += len(found)
        return len(found)


@dataclass(frozen=True)
class Source:
    """An open file: how to call it in a message, how its name ends, its bytes after decompression, its size before.

    The size of the standard input, or of another pipe, is what has been read of it.
    """

    name: str
    suffix: str
    stream: io.BufferedReader
    packed: io.BufferedReader | None = None

    @property
    def size(self) -> int:
        """How many bytes the file has, before decompression."""
        if self.packed is None:
            return 0
        raw = self.packed.raw
        return raw.count if isinstance(raw, _Counted) else os.fstat(self.packed.fileno()).st_size

    def check_unpacked(self, size: int, what: str = "the file") -> None:
        """Refuse data that unpack to far more than a file of this size should hold."""
        if is_bomb(size, self.size):
            raise GraphFileError(
                f"{what} takes {size:,} bytes of memory or more when it is unpacked, over {_EXPANSION} times the "
                f"{self.size:,} bytes of the file, as happens with files that are made to fill the memory; if it is "
                "sound, unpack it first, or save it without compression"
            )

    def weigh(self, cost: int) -> None:
        """Count each byte that is unpacked as ``cost`` bytes, for readers that make Python's objects of them."""
        if isinstance(self.stream.raw, _Unpacked):
            self.stream.raw.cost = cost

    def check_values(self, count: int, what: str) -> None:
        """Refuse more numbers than a file of this size should hold; each of them takes at least 8 bytes of memory."""
        self.check_unpacked(8 * count, what)

    def check_nodes(self, nodes: int, entries: int) -> None:
        """Refuse a number of nodes, announced by a header, that the links of the file come nowhere near.

        Nodes without links take no room in a file, but they do in memory, so a few bytes could ask for all of it.
        """
        isolated = nodes - 2 * entries
        if nodes < 0:
            raise GraphFileError(f"the file announces {nodes:,} nodes; the number of nodes is 0 or more")
        if isolated > _ISOLATED + self.size:
            raise GraphFileError(
                f"the file announces {nodes:,} nodes but has entries for {2 * entries:,} at most, so that {isolated:,} "
                f"nodes would have no link; up to {_ISOLATED + self.size:,} such nodes are read from a file of this "
                "size. Correct the number, or leave those nodes out; if you need them, pass a sparse matrix that has "
                "them to philia.as_graph"
            )

    def seekable(self) -> BinaryIO:
        """The same bytes in a form in which one can jump about, for formats that are not read from front to back."""
        if isinstance(self.stream.raw, io.FileIO) and self.stream.seekable():
            return self.stream
        held = io.BytesIO()
        while chunk := self.stream.read(_CHUNK):
            require_memory(4 * len(chunk), f"{self.name} after decompression")
            held.write(chunk)
        held.seek(0)
        return held


class _Unpacked(io.RawIOBase):
    """What a decompressor yields, refused as soon as it is too much for the size of its file."""

    def __init__(self, unpacking: Any, packed: io.BufferedReader) -> None:
        self._unpacking, self._whole, self._count, self.cost = unpacking, Source("", "", packed, packed), 0, 1

    def readable(self) -> bool:
        """True: this is for reading only."""
        return True

    def readinto(self, room: Any) -> int:
        """Fill ``room`` as far as there are bytes at once; 0 at the end."""
        found: int = self._unpacking.readinto(room)
        self._count += found
        self._whole.check_unpacked(self.cost * self._count)
        return found


def is_bomb(unpacked: int, packed: int) -> bool:
    """Whether so much comes out of so little that it is refused.

    >>> is_bomb(10**9, 10**8), is_bomb(10**9, 10**6)
    (False, True)
    """
    return unpacked > max(_UNPACKED, _EXPANSION * packed)


def suffix_of(path: str | os.PathLike[str]) -> str:
    """How the file's name ends, without the ending of a compression.

    >>> suffix_of("links/Friends.CSV.gz")
    '.csv'
    """
    name = Path(path)
    if name.suffix.lower() in SUFFIXES:
        name = name.with_suffix("")
    return name.suffix.lower()


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Source]:
    """The file, open and decompressed; errors inside come out with its name in front. "-" is the standard input."""
    name = "standard input" if path == "-" else os.fspath(path)
    with _open(path) as packed:
        try:
            yield Source(name, "" if path == "-" else suffix_of(path), _decompressed(packed), packed)
        except PhiliaError as error:
            raise type(error)(f"{name}: {_shortened(error)}") from error
        except MemoryError as error:
            raise NotEnoughMemoryError(
                f"{name}: there is not enough memory to read the file; use a machine with more, or a smaller file"
            ) from error
        except _DAMAGE as error:
            raise GraphFileError(
                f"{name}: the compressed data is damaged or cut off ({error}); get the file again"
            ) from error
        except OSError as error:
            raise GraphFileError(f"{name}: reading failed ({error.strerror or error})") from error
        except Exception as error:  # libraries that parse files complain in many ways; ours are sentences
            raise GraphFileError(
                f"{name}: the file is damaged, or not in the format that its name and its first bytes show "
                f"({type(error).__name__}: {_shortened(error)}); get it again, or convert it to another format"
            ) from error


def _shortened(error: Exception) -> str:
    said = str(error)
    return said if len(said) <= _SHOWN else f"{said[: _SHOWN // 2]} … {said[-_SHOWN // 2 :]}"


@contextmanager
def _open(path: str | os.PathLike[str]) -> Iterator[io.BufferedReader]:
    if path == "-":
        if sys.stdin is None:
            raise GraphFileError("standard input is closed; pipe a file into it, or give the path of a file")
        yield io.BufferedReader(_Counted(_buffered(sys.stdin.buffer)))
        return
    place = Path(path).expanduser()
    try:
        file = place.open("rb")
    except FileNotFoundError:
        raise GraphFileError(f"there is no file {str(path)!r}{_near(place)}") from None
    except IsADirectoryError:
        raise GraphFileError(f"{str(path)!r} is a folder; give the path of one file in it") from None
    except PermissionError:
        raise GraphFileError(f"{str(path)!r} may not be read; change its permissions or copy it") from None
    except (OSError, ValueError) as error:
        raise GraphFileError(f"{str(path)!r} cannot be opened ({error})") from None
    with file:
        regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        yield file if regular else io.BufferedReader(_Counted(file))  # a pipe does not know its size


def _near(place: Path) -> str:
    try:
        others = [entry.name for entry in place.parent.iterdir()]
    except OSError:
        return f", and no folder {str(place.parent)!r} either"
    near = difflib.get_close_matches(place.name, others, n=3)
    return f"; in that folder there is {', '.join(map(repr, near))}" if near else "; check the path"


def _buffered(stream: Any) -> io.BufferedReader:
    return cast(io.BufferedReader, stream) if hasattr(stream, "peek") else io.BufferedReader(stream)


def _decompressed(stream: io.BufferedReader) -> io.BufferedReader:
    """The stream behind the compression that its first bytes show; names lie more often than contents."""
    start = stream.peek(6)[:6]
    if start.startswith(b"\x1f\x8b"):
        return io.BufferedReader(_Unpacked(gzip.GzipFile(fileobj=stream), stream), _BUFFER)
    if start.startswith(b"BZh"):
        return io.BufferedReader(_Unpacked(bz2.BZ2File(stream), stream), _BUFFER)
    if start == b"\xfd7zXZ\x00":
        return io.BufferedReader(_Unpacked(lzma.LZMAFile(stream), stream), _BUFFER)
    return stream
