"""Other people's programs, brought in quietly: they warn and print when they are imported."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any


def cdlib_bigclam() -> Any:
    """cdlib's BigClam, whose factors only its inner module gives."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        from cdlib.algorithms.internal import BIGCLAM
    return BIGCLAM
