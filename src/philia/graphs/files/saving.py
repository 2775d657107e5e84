"""Bytes into a file: compressed as its name says, and either whole or not at all."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, cast

from philia.exceptions import GraphFileError

_PACKERS: dict[str, Callable[[BinaryIO], AbstractContextManager[Any]]] = {
    ".gz": lambda file: gzip.GzipFile("", "wb", 6, file, mtime=0),  # no time: same data, same bytes
    ".bz2": lambda file: bz2.BZ2File(file, "wb"),
    ".xz": lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115 (whoever asks for it closes it)
}


@contextmanager
def saving(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A place to write bytes to, which becomes the file when all went well.

    What is written goes to a temporary file in the same folder, which takes the name at the end; others see the old
    file or the new one, never a part.
    """
    try:
        place = Path(path).expanduser().resolve()  # a link goes on pointing to the file that is replaced
    except (OSError, ValueError, RuntimeError) as error:
        raise GraphFileError(f"{str(path)!r} cannot be a file's name ({error})") from None
    try:
        if place.is_dir():
            raise GraphFileError(f"{str(path)!r} is a folder; give the path of a file in it")
        if place.exists() and not place.is_file():  # a device or a pipe cannot be replaced, only written to
            with place.open("wb") as device, _compressed(device, path) as stream:
                yield stream
            return
        with _replacing(place) as file, _compressed(file, path) as stream:
            yield stream
    except FileNotFoundError:
        raise GraphFileError(
            f"{str(path)!r} cannot be written: there is no folder {str(place.parent)!r}; make it first"
        ) from None
    except OSError as error:
        raise GraphFileError(f"{str(path)!r} cannot be written ({error.strerror or error})") from error


@contextmanager
def _replacing(place: Path) -> Iterator[BinaryIO]:
    temporary = place.with_name(f".{place.name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # otherwise a crash may leave the new name with nothing behind it
        if place.exists():
            shutil.copymode(place, temporary)
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _compressed(file: BinaryIO, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    with _PACKERS.get(Path(path).suffix.lower(), nullcontext)(file) as packed:
        yield cast(BinaryIO, packed)
