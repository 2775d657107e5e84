"""Where files of data are looked for: the folder of the user, and the cache."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from philia.datasets.entries import DataFile
from philia.exceptions import GraphFileError, InvalidParameterError

DATA, CACHE = "PHILIA_DATA", "PHILIA_CACHE"
"""Names of the environment variables that say where data lies and where downloads go."""


def data_folder() -> Path | None:
    """The folder that $PHILIA_DATA names, or None if it names none."""
    told = os.environ.get(DATA)
    if not told:
        return None
    folder = Path(told).expanduser()
    if not folder.is_dir():
        raise InvalidParameterError(
            f"${DATA} is {told!r}, which is not a folder; set it to the folder that holds the data, or unset it"
        )
    return folder


def cache_folder() -> Path:
    """The folder that downloads go to: $PHILIA_CACHE, or else where this system keeps what can be fetched again."""
    told = os.environ.get(CACHE)
    if told:
        return Path(told).expanduser()
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "philia"
    variable, usual = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    return Path(os.environ.get(variable) or _home() / usual) / "philia"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise InvalidParameterError(
            f"there is no home folder for the cache; set ${CACHE} to a folder that can be written to"
        ) from None


def place_in_cache(file: DataFile) -> Path:
    """Where a download of the file goes, whether it is there or not."""
    return cache_folder() / file.path


def find(file: DataFile) -> Path | None:
    """Where the file lies here, as far as its name tells, or None; the user's folder comes before the cache.

    In either folder it may also lie directly, without folders of its own.
    """
    folders = [folder for folder in (data_folder(), cache_folder()) if folder is not None]
    places = (folder / name for folder in folders for name in (file.path, file.name))
    return next((place for place in places if place.is_file()), None)


def check(file: DataFile, place: Path) -> None:
    """Complain if what lies there is not the file, byte for byte."""
    try:
        with place.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise GraphFileError(f"{str(place)!r} cannot be read ({error.strerror or error})") from error
    if found != file.sha256:
        raise GraphFileError(
            f"{str(place)!r} is not the file it should be: found {place.stat().st_size:,} bytes with the sha256 "
            f"{found}, expected {file.size:,} bytes with {file.sha256}; remove it, and the right one is downloaded "
            f"when it is needed, or replace it by what is at {file.address}"
        )


def by_hand(file: DataFile) -> str:
    """How to get the file without us, for the end of an error message."""
    return (
        f"fetch {file.name} ({file.size:,} bytes, sha256 {file.sha256}) from {file.address} in another way, and put it "
        f"at {str(place_in_cache(file))!r}, or into any folder and set ${DATA} to that folder"
    )
