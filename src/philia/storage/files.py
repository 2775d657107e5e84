"""Files of bytes: opened whatever their compression, and saved whole or not at all.

Every problem on the way becomes one sentence in an error class of the caller's choice, with the name of the file.
"""

from __future__ import annotations

import bz2
import difflib
import gzip
import io
import lzma
import os
import shutil
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from philia.exceptions import NotEnoughMemoryError, PhiliaError, StorageError
from philia.storage.memory import require_memory

FilePath = str | os.PathLike[str]


@dataclass(frozen=True)
class _Compression:
    """The first bytes of a compressed file, and how to read and write one."""

    magic: bytes
    reader: Callable[[BinaryIO], Any]
    writer: Callable[[BinaryIO], AbstractContextManager[Any]]


_COMPRESSIONS = {
    ".gz": _Compression(
        b"\x1f\x8b",
        lambda file: gzip.GzipFile(fileobj=file),
        # 6 is the level of the gzip program; without a time stamp the same data gives the same bytes
        lambda file: gzip.GzipFile("", "wb", 6, file, mtime=0),
    ),
    ".bz2": _Compression(b"BZh", bz2.BZ2File, lambda file: bz2.BZ2File(file, "wb")),
    ".xz": _Compression(b"\xfd7zXZ\x00", lzma.LZMAFile, lambda file: lzma.LZMAFile(file, "wb")),  # noqa: SIM115 (closed by `saving`)
}
COMPRESSION_SUFFIXES = tuple(_COMPRESSIONS)

_DAMAGE = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)

_CHUNK = 1 << 24
"""Bytes read at a time into memory: large enough that the loop costs nothing, small against any machine."""

_BUFFER = 1 << 17
"""Bytes that a decompressor fills at a time; its default of 8 kB makes reading noticeably slower."""

_UNPACKED, _EXPANSION = 1 << 26, 64
"""Every file may unpack to 64 MB, and larger files to this many times their size.

Edge lists shrink to a fifth or a tenth. A file that unpacks to far more is damaged or made to fill the memory: a graph
takes some 12 bytes for each byte of the shortest lines, so 1 MB of decompression bomb would become 12 GB.
"""

_LONGEST_MESSAGE = 1000
"""Characters of a message; a damaged file may hold a name of many megabytes."""


class _Counted(io.RawIOBase):
    """A stream that counts the bytes read from it: the size of a pipe is only known at its end."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.count = stream, 0

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        found = self._stream.read1(len(room))
        room[: len(found)] = found
        self.count += len(found)
        return len(found)


@dataclass(frozen=True)
class Source:
    """An open file: its name for messages, its suffix, its decompressed bytes, and the compressed stream behind them.

    The size of standard input, or of another pipe, is the number of bytes read from it so far.

    >>> Source("links.csv", ".csv", io.BufferedReader(io.BytesIO(b"ann,bob"))).stream.read()
    b'ann,bob'
    """

    name: str
    suffix: str
    stream: io.BufferedReader
    packed: io.BufferedReader | None = None

    @property
    def size(self) -> int:
        """The size of the file in bytes, before decompression."""
        if self.packed is None:
            return 0
        raw = self.packed.raw
        return raw.count if isinstance(raw, _Counted) else os.fstat(self.packed.fileno()).st_size

    def check_unpacked(self, size: int, what: str = "the file") -> None:
        """Refuse data that unpack to far more than a file of this size should hold."""
        if is_bomb(size, self.size):
            raise StorageError(
                f"{what} takes {size:,} bytes of memory or more when it is unpacked, over {_EXPANSION} times the "
                f"{self.size:,} bytes of the file, which is how decompression bombs look; if the file is sound, "
                "unpack it first, or save it without compression"
            )

    def check_values(self, count: int, what: str) -> None:
        """Refuse more numbers than a file of this size should hold; each takes at least 8 bytes of memory."""
        self.check_unpacked(8 * count, what)

    def weigh(self, cost: int) -> None:
        """Count each unpacked byte as ``cost`` bytes, for readers that turn bytes into Python objects."""
        if isinstance(self.stream.raw, _Unpacked):
            self.stream.raw.cost = cost

    def seekable(self) -> BinaryIO:
        """The same bytes as a seekable stream, for formats that are not read from front to back."""
        if isinstance(self.stream.raw, io.FileIO) and self.stream.seekable():
            return self.stream
        held = io.BytesIO()
        while chunk := self.stream.read(_CHUNK):
            require_memory(4 * len(chunk), f"{self.name} after decompression")  # the chunk, and the buffer growing
            held.write(chunk)
        held.seek(0)
        return held


class _Unpacked(io.RawIOBase):
    """The output of a decompressor, refused as soon as it is too much for the size of its file."""

    def __init__(self, unpacking: Any, packed: io.BufferedReader) -> None:
        self._unpacking, self._source, self._count, self.cost = unpacking, Source("", "", packed, packed), 0, 1

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        found: int = self._unpacking.readinto(room)
        self._count += found
        self._source.check_unpacked(self.cost * self._count)
        return found


def is_bomb(unpacked: int, packed: int) -> bool:
    """Whether this many unpacked bytes are refused for a file of this many packed ones.

    >>> is_bomb(10**9, 10**8), is_bomb(10**9, 10**6)
    (False, True)
    """
    return unpacked > max(_UNPACKED, _EXPANSION * packed)


def suffix_of(path: FilePath) -> str:
    """The suffix of a file name, in lower case and without that of a compression.

    >>> suffix_of("links/Friends.CSV.gz")
    '.csv'
    """
    name = Path(path)
    if name.suffix.lower() in COMPRESSION_SUFFIXES:
        name = name.with_suffix("")
    return name.suffix.lower()


@contextmanager
def opened(path: FilePath, error: type[PhiliaError] = StorageError) -> Iterator[Source]:
    """The file, open and decompressed; "-" is standard input.

    Anything that goes wrong while it is read becomes an ``error`` with the file's name in front. An error of philia
    that the block itself raises keeps its class.

    >>> with opened("nowhere.csv") as source:
    ...     source.stream.read()
    Traceback (most recent call last):
    philia.exceptions.StorageError: there is no file 'nowhere.csv'...
    """
    name = "standard input" if path == "-" else os.fspath(path)
    with _open(path, error) as packed:
        try:
            yield Source(name, "" if path == "-" else suffix_of(path), _decompressed(packed), packed)
        except PhiliaError as found:
            kind = error if type(found) is StorageError else type(found)
            raise kind(f"{name}: {_shortened(found)}") from found
        except MemoryError as found:
            raise NotEnoughMemoryError(
                f"{name}: there is not enough memory to read the file; use a machine with more, or a smaller file"
            ) from found
        except _DAMAGE as found:
            raise error(
                f"{name}: the compressed data are damaged or truncated ({found}); get the file again"
            ) from found
        except OSError as found:
            raise error(f"{name}: reading failed ({found.strerror or found})") from found
        except Exception as found:  # libraries that parse files raise errors of many kinds
            raise error(
                f"{name}: the file is damaged, or not in the format that its name and first bytes suggest "
                f"({type(found).__name__}: {_shortened(found)}); get it again, or convert it to another format"
            ) from found


def _shortened(error: Exception) -> str:
    text, half = str(error), _LONGEST_MESSAGE // 2
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:half]} … {text[-half:]}"


@contextmanager
def _open(path: FilePath, error: type[PhiliaError]) -> Iterator[io.BufferedReader]:
    if path == "-":
        if sys.stdin is None:
            raise error("standard input is closed; pipe a file into it, or give the path of a file")
        yield io.BufferedReader(_Counted(_buffered(sys.stdin.buffer)))
        return
    location = Path(path).expanduser()
    try:
        file = location.open("rb")
    except FileNotFoundError:
        raise error(f"there is no file {str(path)!r}{_similar(location)}") from None
    except IsADirectoryError:
        raise error(f"{str(path)!r} is a folder; give the path of one file in it") from None
    except PermissionError:
        raise error(f"{str(path)!r} may not be read; change its permissions or copy it") from None
    except (OSError, ValueError) as found:
        raise error(f"{str(path)!r} cannot be opened ({found})") from None
    with file:
        regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        yield file if regular else io.BufferedReader(_Counted(file))  # a pipe does not know its size


def _similar(path: Path) -> str:
    try:
        others = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f", and no folder {str(path.parent)!r} either"
    near = difflib.get_close_matches(path.name, others, n=3)
    return f"; in that folder there is {', '.join(map(repr, near))}" if near else "; check the path"


def _buffered(stream: Any) -> io.BufferedReader:
    return cast(io.BufferedReader, stream) if hasattr(stream, "peek") else io.BufferedReader(stream)


def _decompressed(stream: io.BufferedReader) -> io.BufferedReader:
    """The stream decompressed as its first bytes ask for; names are wrong more often than contents."""
    start = stream.peek(6)[:6]
    for compression in _COMPRESSIONS.values():
        if start.startswith(compression.magic):
            return io.BufferedReader(_Unpacked(compression.reader(stream), stream), _BUFFER)
    return stream


@contextmanager
def saving(path: FilePath, error: type[PhiliaError] = StorageError) -> Iterator[BinaryIO]:
    """A stream to write to, compressed as the name asks for; the file appears once the block has ended well.

    The bytes go to a temporary file in the same folder, which is renamed at the end: others see the old file or the
    new one, never a part. A file that cannot be written raises ``error``.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt.gz"
    >>> with saving(path) as file:
    ...     _ = file.write(b"some notes")
    >>> with opened(path) as source:
    ...     source.stream.read()
    b'some notes'
    """
    try:
        target = Path(path).expanduser().resolve()  # a symbolic link keeps pointing to the file that is replaced
    except (OSError, ValueError, RuntimeError) as found:
        raise error(f"{str(path)!r} cannot be a file's name ({found})") from None
    try:
        if target.is_dir():
            raise error(f"{str(path)!r} is a folder; give the path of a file in it")
        if target.exists() and not target.is_file():  # a device or a pipe cannot be replaced, only written to
            with target.open("wb") as device, _compressed(device, path) as stream:
                yield stream
            return
        with _replacing(target) as file, _compressed(file, path) as stream:
            yield stream
    except FileNotFoundError:
        raise error(
            f"{str(path)!r} cannot be written: there is no folder {str(target.parent)!r}; make it first"
        ) from None
    except OSError as found:
        raise error(f"{str(path)!r} cannot be written ({found.strerror or found})") from found


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    # 100 characters of the name, as file systems allow 255 bytes
    temporary = target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # otherwise a crash may leave the new name on an empty file
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _compressed(file: BinaryIO, path: FilePath) -> Iterator[BinaryIO]:
    compression = _COMPRESSIONS.get(Path(path).suffix.lower())
    with nullcontext(file) if compression is None else compression.writer(file) as stream:
        yield cast(BinaryIO, stream)
