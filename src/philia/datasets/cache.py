"""The files of datasets: where they are looked for, and how they are downloaded to the cache and checked."""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from philia._version import __version__
from philia.datasets.catalog import DataFile
from philia.exceptions import GraphFileError, InvalidParameterError
from philia.storage import saving

DATA, CACHE = "PHILIA_DATA", "PHILIA_CACHE"
"""The environment variables that name the folder of data and the folder for downloads."""

OnBytes = Callable[[DataFile, int], None]
"""Called with the file that is being downloaded and the number of bytes received so far."""

TIMEOUT = 30.0
"""Seconds without an answer after which a download is given up: longer than a busy server needs."""

_CHUNK = 1 << 16
"""Bytes received at a time: often enough to show progress."""

_LOG = logging.getLogger("philia")


def data_folder() -> Path | None:
    """The folder that $PHILIA_DATA names, or None if it is not set."""
    named = os.environ.get(DATA)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise InvalidParameterError(
            f"${DATA} is {named!r}, which is not a folder; set it to the folder that holds the data, or unset it"
        )
    return folder


def cache_folder() -> Path:
    """The folder for downloads: $PHILIA_CACHE, or else the system's cache folder."""
    if named := os.environ.get(CACHE):
        return Path(named).expanduser()
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "philia"
    variable, usual = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    return Path(os.environ.get(variable) or _home() / usual) / "philia"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise InvalidParameterError(
            f"there is no home folder for the cache; set ${CACHE} to a writable folder"
        ) from None


def cache_path(file: DataFile) -> Path:
    """The path of the file in the cache, whether it is there or not."""
    return cache_folder() / file.path


def find(file: DataFile) -> Path | None:
    """The path of the file on this machine, going by its name, or None; the user's folder comes before the cache.

    In either folder it may also be at the top, outside its subfolder.
    """
    folders = [folder for folder in (data_folder(), cache_folder()) if folder is not None]
    paths = (folder / name for folder in folders for name in (file.path, file.name))
    return next((path for path in paths if path.is_file()), None)


def _check(file: DataFile, path: Path) -> None:
    """Raise an error unless the file at this path has the right checksum."""
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise GraphFileError(f"{str(path)!r} cannot be read ({error.strerror or error})") from error
    if found != file.sha256:
        raise GraphFileError(
            f"{str(path)!r} is not the file it should be: found {path.stat().st_size:,} bytes with the sha256 "
            f"{found}, expected {file.size:,} bytes with {file.sha256}; remove it to have the right one "
            f"downloaded when it is needed, or replace it with the file at {file.address}"
        )


def _by_hand(file: DataFile) -> str:
    """How to get the file by hand, for the end of an error message."""
    return (
        f"download {file.name} ({file.size:,} bytes, sha256 {file.sha256}) from {file.address} in another way, and put "
        f"it at {str(cache_path(file))!r}, or into any folder and set ${DATA} to that folder"
    )


def fetched(file: DataFile, on_bytes: OnBytes | None = None) -> Path:
    """The path of the file on this machine, with the right checksum; it is downloaded if it is missing."""
    path = find(file)
    if path is None:
        path = cache_path(file)
        download(file, path, on_bytes)
    else:
        _check(file, path)
    return path


def download(file: DataFile, target: Path, on_bytes: OnBytes | None = None) -> None:
    """Download the file to ``target``; it appears there only once it is complete and its checksum is right."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GraphFileError(
            f"the folder {str(target.parent)!r} for {file.name} cannot be made ({error.strerror or error}); "
            f"set ${CACHE} to a writable folder"
        ) from error
    _LOG.info("downloading %s (%s bytes) from %s", file.name, f"{file.size:,}", file.address)
    digest, arrived = hashlib.sha256(), 0
    with saving(target, GraphFileError) as stream:
        for chunk in _chunks(file):
            stream.write(chunk)
            digest.update(chunk)
            arrived += len(chunk)
            if on_bytes is not None:
                on_bytes(file, arrived)
            if arrived > file.size:
                break  # it can no longer become the right file
        _compare(file, arrived, digest.hexdigest())


def _chunks(file: DataFile) -> Iterator[bytes]:
    """The bytes as they arrive; errors on the way are explained in a sentence."""
    request = Request(file.address, headers={"User-Agent": f"philia/{__version__}"})
    try:
        with urlopen(request, timeout=TIMEOUT) as response:
            while chunk := response.read1(_CHUNK):
                yield chunk
    except (OSError, HTTPException) as error:
        raise GraphFileError(f"{file.name} could not be downloaded ({_reason(error)}); {_by_hand(file)}") from error


def _reason(error: BaseException) -> str:
    if isinstance(error, HTTPError):
        error.close()  # the error holds the response, and with it the connection
        return f"the server says {error.code} {error.reason}"
    if isinstance(error, URLError) and isinstance(error.reason, BaseException):
        return _reason(error.reason)
    if isinstance(error, TimeoutError):
        return f"no answer for {TIMEOUT:g} seconds"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _compare(file: DataFile, arrived: int, found: str) -> None:
    if arrived < file.size:
        raise GraphFileError(
            f"the download of {file.name} stopped after {arrived:,} of {file.size:,} bytes, and nothing was kept; "
            f"try again, or {_by_hand(file)}"
        )
    if found != file.sha256:
        what = f"more than {file.size:,} bytes" if arrived > file.size else f"a file with the sha256 {found}"
        raise GraphFileError(
            f"the file at {file.address} is no longer {file.name} as it was: found {what}, expected the sha256 "
            f"{file.sha256}; nothing was kept; {_by_hand(file)}"
        )
