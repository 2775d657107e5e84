"""Bytes from a file: what is compressed is decompressed, and what cannot be opened is said in a sentence."""

from __future__ import annotations

import bz2
import difflib
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from philia.exceptions import GraphFileError, PhiliaError
from philia.graphs.memory import require_memory

SUFFIXES = (".gz", ".bz2", ".xz")
_CHUNK = 1 << 24
_DAMAGE = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)


@dataclass(frozen=True)
class Source:
    """An open file: how to call it in a message, how its name ends, its bytes after decompression, its size before."""

    name: str
    suffix: str
    stream: io.BufferedReader
    size: int = 0

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
    with _open(path) as raw:
        try:
            size = 0 if path == "-" else os.fstat(raw.fileno()).st_size
            yield Source(name, "" if path == "-" else suffix_of(path), _decompressed(raw), size)
        except PhiliaError as error:
            raise type(error)(f"{name}: {error}") from error
        except _DAMAGE as error:
            raise GraphFileError(
                f"{name}: the compressed data is damaged or cut off ({error}); get the file again"
            ) from error
        except OSError as error:
            raise GraphFileError(f"{name}: reading failed ({error.strerror or error})") from error


@contextmanager
def _open(path: str | os.PathLike[str]) -> Iterator[io.BufferedReader]:
    if path == "-":
        yield _buffered(sys.stdin.buffer)  # not closed: it is not ours
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
        yield file


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
        return io.BufferedReader(cast(Any, gzip.GzipFile(fileobj=stream)))
    if start.startswith(b"BZh"):
        return io.BufferedReader(cast(Any, bz2.BZ2File(stream)))
    if start == b"\xfd7zXZ\x00":
        return io.BufferedReader(cast(Any, lzma.LZMAFile(stream)))
    return stream
