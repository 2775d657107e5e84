"""Numbers and nouns in sentences."""

from __future__ import annotations

_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "link"), counted(2000, "link")
    ('1 link', '2,000 links')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def in_words(count: int) -> str:
    """A small number as a word, a large one in digits.

    >>> in_words(0), in_words(12), in_words(1300)
    ('no', 'twelve', '1,300')
    """
    return _SMALL[count] if count < len(_SMALL) else f"{count:,}"


def listed(words: list[str]) -> str:
    """Words in a row.

    >>> listed(["B1"]), listed(["B1", "B2", "C1"])
    ('B1', 'B1, B2 and C1')
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def percent(share: float) -> str:
    """A share that a person can read.

    >>> percent(0.384), percent(0.0234), percent(0.00012), percent(1.0)
    ('38 %', '2.3 %', '0.012 %', '100 %')
    """
    value = 100 * share
    return f"{value:.0f} %" if abs(value) >= 10 or value == 0 else f"{value:.2g} %"
