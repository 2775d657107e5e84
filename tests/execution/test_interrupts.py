from __future__ import annotations

import pytest

from philia._interrupts import interruptible


def left_by(error: BaseException, functions: int) -> None:
    """Raise what Ctrl-C leaves behind if it comes inside some compiled functions that call each other."""
    for _ in range(functions):
        left = SystemError("returned a result with an exception set")
        left.__cause__, error = error, left
    raise error


@pytest.mark.parametrize("functions", [0, 1, 3])
def test_ctrl_c_inside_compiled_functions_is_an_interruption(functions: int) -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        left_by(KeyboardInterrupt(), functions)


def test_another_error_inside_compiled_functions_stays_what_it_is() -> None:
    with pytest.raises(SystemError), interruptible():
        left_by(ValueError("too large"), 2)
