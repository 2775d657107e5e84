"""Fetching a file from its address: whole and checked, or not at all."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from philia._version import __version__
from philia.datasets.entries import DataFile
from philia.datasets.places import CACHE, by_hand
from philia.exceptions import GraphFileError
from philia.storage import saving

OnBytes = Callable[[DataFile, int], None]
"""Called with the file that is being fetched and the number of its bytes that have arrived."""

TIMEOUT = 30.0
"""Seconds of silence after which a server is given up."""

_CHUNK = 1 << 16
_LOG = logging.getLogger("philia")


def download(file: DataFile, target: Path, on_bytes: OnBytes | None = None) -> None:
    """Write the file at ``target``; it appears there when it is complete and its checksum is right, and not before."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GraphFileError(
            f"the folder {str(target.parent)!r} for {file.name} cannot be made ({error.strerror or error}); "
            f"set ${CACHE} to a folder that can be written to"
        ) from error
    _LOG.info("downloading %s (%s bytes) from %s", file.name, f"{file.size:,}", file.address)
    digest, arrived = hashlib.sha256(), 0
    with saving(target) as place:
        for chunk in _chunks(file):
            place.write(chunk)
            digest.update(chunk)
            arrived += len(chunk)
            if on_bytes is not None:
                on_bytes(file, arrived)
            if arrived > file.size:
                break  # nothing that can come makes it the right file
        _compare(file, arrived, digest.hexdigest())


def _chunks(file: DataFile) -> Iterator[bytes]:
    """The bytes as they arrive; what goes wrong on the way is said in a sentence."""
    request = Request(file.address, headers={"User-Agent": f"philia/{__version__}"})
    try:
        with urlopen(request, timeout=TIMEOUT) as response:
            while chunk := response.read1(_CHUNK):
                yield chunk
    except (OSError, HTTPException) as error:
        raise GraphFileError(f"{file.name} could not be downloaded ({_reason(error)}); {by_hand(file)}") from error


def _reason(error: BaseException) -> str:
    if isinstance(error, HTTPError):
        error.close()  # the answer comes with the error and holds the connection
        return f"the server says {error.code} {error.reason}"
    if isinstance(error, URLError) and isinstance(error.reason, BaseException):
        return _reason(error.reason)
    if isinstance(error, TimeoutError):
        return f"no answer for {TIMEOUT:g} seconds"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _compare(file: DataFile, arrived: int, found: str) -> None:
    if arrived < file.size:
        raise GraphFileError(
            f"the download of {file.name} broke off after {arrived:,} of {file.size:,} bytes and nothing was kept; "
            f"try again, or {by_hand(file)}"
        )
    if found != file.sha256:
        what = f"more than {file.size:,} bytes" if arrived > file.size else f"a file with the sha256 {found}"
        raise GraphFileError(
            f"what came from {file.address} is not {file.name} as it was: found {what}, expected the sha256 "
            f"{file.sha256}; nothing was kept; {by_hand(file)}"
        )
