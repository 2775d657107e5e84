"""Arrays and whole payloads as text that no browser can take for markup."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

_KINDS = {"f4": "<f4", "u4": "<u4", "u2": "<u2", "u1": "u1"}


def packed(array: npt.ArrayLike, kind: str) -> dict[str, Any]:
    """An array as its kind, its shape and its bytes in base64; a quarter of what its digits would take.

    >>> packed([[1, 2]], "u2")
    {'dtype': 'u2', 'shape': [1, 2], 'data': 'AQACAA=='}
    """
    values = np.ascontiguousarray(array, dtype=_KINDS[kind])
    return {"dtype": kind, "shape": list(values.shape), "data": base64.b64encode(values.tobytes()).decode()}


def packed_rows(rows: npt.ArrayLike) -> dict[str, Any]:
    """Row numbers, in two bytes each where that is enough and in four elsewhere.

    >>> packed_rows([7])["dtype"], packed_rows([70_000])["dtype"]
    ('u2', 'u4')
    """
    values = np.asarray(rows)
    return packed(values, "u2" if values.max(initial=0) < 2**16 else "u4")


def unpacked(array: Mapping[str, Any]) -> npt.NDArray[Any]:
    """The array again.

    >>> unpacked(packed([[1, 2]], "u2")).tolist()
    [[1, 2]]
    """
    values = np.frombuffer(base64.b64decode(array["data"]), dtype=_KINDS[array["dtype"]])
    return values.reshape(array["shape"])


def encoded(payload: Mapping[str, Any]) -> str:
    """A payload as JSON, compressed, in base64: no name in it can end the element it stands in, or run.

    >>> encoded({"title": "</script>"}).isascii(), decoded(encoded({"title": "</script>"}))
    (True, {'title': '</script>'})
    """
    # ASCII only: half of a surrogate pair, which a damaged name may hold, has no UTF-8.
    text = json.dumps(finite(payload), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), compresslevel=9, mtime=0)).decode()


def decoded(text: str) -> dict[str, Any]:
    """The payload again, as the page sees it."""
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text)))
    return found


def finite(value: Any) -> Any:
    """The same with null in the place of infinity and of what is not a number, which JSON does not know.

    >>> finite({"ratio": [1.5, float("inf")]})
    {'ratio': [1.5, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
