"""Arrays and whole payloads as text that no browser can take for markup."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._text import to_json

_KINDS = {"f4": "<f4", "u4": "<u4", "u2": "<u2", "u1": "u1"}


def packed(array: npt.ArrayLike, kind: str) -> dict[str, Any]:
    """An array as its kind, its shape and its bytes in base64: a quarter of the size of its digits.

    >>> packed([[1, 2]], "u2")
    {'dtype': 'u2', 'shape': [1, 2], 'data': 'AQACAA=='}
    """
    values = np.ascontiguousarray(array, dtype=_KINDS[kind])
    return {"dtype": kind, "shape": list(values.shape), "data": base64.b64encode(values.tobytes()).decode()}


def packed_rows(rows: npt.ArrayLike) -> dict[str, Any]:
    """Row numbers, in two bytes each if they fit and in four otherwise.

    >>> packed_rows([7])["dtype"], packed_rows([70_000])["dtype"]
    ('u2', 'u4')
    """
    values = np.asarray(rows)
    return packed(values, "u2" if values.max(initial=0) < 2**16 else "u4")


def unpacked(array: Mapping[str, Any]) -> npt.NDArray[Any]:
    """The inverse of ``packed``.

    >>> unpacked(packed([[1, 2]], "u2")).tolist()
    [[1, 2]]
    """
    values = np.frombuffer(base64.b64decode(array["data"]), dtype=_KINDS[array["dtype"]])
    return values.reshape(array["shape"])


def encoded(payload: Mapping[str, Any]) -> str:
    """A payload as compressed JSON in base64: no name in it can close the element it is in, or run as a script.

    >>> encoded({"title": "</script>"}).isascii(), decoded(encoded({"title": "</script>"}))
    (True, {'title': '</script>'})
    """
    # ASCII only: half of a surrogate pair, which a damaged name may contain, has no UTF-8 encoding.
    text = to_json(payload, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), compresslevel=9, mtime=0)).decode()


def decoded(text: str) -> dict[str, Any]:
    """The inverse of ``encoded``, as the page does it."""
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text)))
    return found
