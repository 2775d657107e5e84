"""Rendering pictures: matplotlib defers some work until then, such as parsing formulas."""

from __future__ import annotations

import io
from typing import Any, cast

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def render(ax: Axes) -> bytes:
    """The figure of the axes as a PNG file."""
    file = io.BytesIO()
    cast(Any, ax.figure).savefig(file)
    return file.getvalue()


def room_left(ax: Axes) -> float:
    """The smallest distance in inches between the drawing and an edge; negative if something is cut off."""
    figure = cast(Figure, ax.figure)
    figure.set_dpi(60)  # coarse pictures are faster, and have the same edges
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    used = figure.get_tightbbox(canvas.get_renderer())
    width, height = figure.get_size_inches()
    return float(min(used.x0, used.y0, width - used.x1, height - used.y1))
