"""The style of all pictures: colors that are safe for color blindness and gray printing, sizes, and new axes.

Nothing here changes matplotlib's global settings, and nothing needs a screen.
"""

from __future__ import annotations

from io import BytesIO
from typing import cast

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

ATTRACT = "#0072B2"
REPEL = "#D55E00"
NEUTRAL = "#4D4D4D"
FAINT = "#BFBFBF"
"""Blue and vermilion of Okabe and Ito's palette, and two grays."""

SERIES = (ATTRACT, REPEL, "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#A6761D", "#000000")
"""The same palette for methods that are compared, in this order."""

MARKERS = "os^Dv*PX"
"""One shape for each of them, in case colors are lost."""

HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "|||", "")
"""And one pattern for each, in white."""

GRAYS = (FAINT, "#8C8C8C", "#D9D9D9", "#666666", "#A6A6A6")
"""For baselines, with a clear step between neighbours."""

_WITHOUT_BLACK = 7
_SHADES = ((1.0, 0.0), (0.55, 0.45), (0.62, 0.0))
"""The palette's colors, each with white, and each darkened: the parts of the color and of white; the rest is black."""

PROBABILITY_MAP = LinearSegmentedColormap.from_list(
    "philia", ["#FFFFFF", "#FEC287", "#F1605D", "#B63679", "#721F81", "#2D1160", "#000004"]
)
ATTRACT_MAP = "Blues"
REPEL_MAP = "Oranges"
"""Color maps that begin white, or almost, and only get darker: a zero is invisible."""

_TITLE, LABEL, TICK = 12, 11, 9.5
"""Font sizes in points, legible at the width of a page."""


def categories(count: int) -> list[str]:
    """A color for each of so many groups; after 21 they begin again, so names must tell groups apart as well.

    >>> categories(2), len(set(categories(21))), categories(22)[21] == categories(1)[0]
    (['#0072B2', '#D55E00'], 21, True)
    """
    every = [_shaded(color, *shade) for shade in _SHADES for color in SERIES[:_WITHOUT_BLACK]]
    return [every[at % len(every)] for at in range(count)]


def _shaded(color: str, kept: float, white: float) -> str:
    parts = [int(color[at : at + 2], 16) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(kept * part + white * 255):02X}" for part in parts)


def axes_or_new(ax: Axes | None, width: float = 6.0, height: float = 5.0) -> Axes:
    """The axes given, or those of a new figure of that size in inches.

    >>> axes_or_new(None, 4, 3).figure.get_size_inches().tolist()
    [4.0, 3.0]
    """
    if ax is not None:
        return ax
    return Figure(figsize=(width, height), layout="constrained", dpi=150).add_subplot(axes_class=_ShownAxes)


class _ShownAxes(Axes):
    """Axes whose figure is the picture at the end of a notebook's cell; matplotlib shows only figures of pyplot."""

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        cast(Figure, self.figure).savefig(picture, format="png")
        return picture.getvalue()


def label(ax: Axes, *, title: str = "", x: str = "", y: str = "") -> None:
    """Write title and axis labels in the common sizes.

    >>> ax = axes_or_new(None)
    >>> label(ax, title="Loss", x="iteration")
    >>> ax.get_xlabel()
    'iteration'
    """
    ax.set_title(title, fontsize=_TITLE, loc="left")
    ax.set_xlabel(x, fontsize=LABEL)
    ax.set_ylabel(y, fontsize=LABEL)
    ax.tick_params(labelsize=TICK)


def open_frame(ax: Axes) -> None:
    """Remove the upper and the right edge of the frame.

    >>> ax = axes_or_new(None)
    >>> open_frame(ax)
    >>> [edge for edge, spine in ax.spines.items() if spine.get_visible()]
    ['left', 'bottom']
    """
    for edge in ("top", "right"):
        ax.spines[edge].set_visible(False)


def literal(name: object, longest: int = 30) -> str:
    r"""A name as plain text, on one line and not too long: a dollar sign in it must not start a formula.

    >>> literal("$5 and $6"), literal("Llanfairpwllgwyngyll", longest=12)
    ('\\$5 and \\$6', 'Llanfairpwl…')
    """
    line = "".join(letter if letter.isprintable() else " " for letter in str(name))
    return (line if len(line) <= longest else line[: longest - 1] + "…").replace("$", r"\$")
