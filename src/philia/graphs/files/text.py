"""Text from bytes: any encoding in, blocks of whole lines in UTF-8 out."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator

from philia.exceptions import GraphFileError

BLOCK = 1 << 22
"""Bytes processed at a time, about; a smaller file is read in plain Python, without loading numba."""

LONGEST = 1 << 26
"""Bytes of the longest line; only binary files, or files made to fill the memory, have longer ones."""

_SEARCHED = 1 << 18
"""Bytes searched for a zero byte, which only binary files have, usually within the first kilobyte."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_blocks(stream: io.BufferedReader, encoding: str = "utf-8", size: int = BLOCK) -> Iterator[bytes]:
    """The text in UTF-8, in blocks of about ``size`` bytes that consist of whole lines.

    >>> list(text_blocks(io.BufferedReader(io.BytesIO(b"a b\\nc d")), size=5))
    [b'a b\\n', b'c d']
    """
    lines = 0
    for block in whole_lines(_in_utf8(stream, encoding, size), size):
        _check(block, lines)
        yield block
        lines += count_lines(block)


def whole_text(stream: io.BufferedReader, encoding: str = "utf-8") -> str:
    """The whole text, for formats that are not made of lines."""
    return b"".join(text_blocks(stream, encoding)).decode()


def whole_lines(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in blocks of whole lines, each of at least ``size`` bytes except the last.

    Every byte is processed once, however long a line is: chunks are only joined when a line has ended.

    >>> list(whole_lines(iter([b"a", b" b\\nc", b" d\\n", b"e"]), 2))
    [b'a b\\n', b'c d\\n', b'e']
    """
    held: list[bytes] = []
    length, line = 0, 0  # bytes held, and those of them after the last line end
    half = b""  # a carriage return at the end may be the first half of a line end, so it waits for the next chunk
    for chunk in chunks:
        if half:
            half, chunk = b"", half + chunk
        if chunk.endswith(b"\r"):
            half, chunk = b"\r", chunk[:-1]
        cut = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        line = len(chunk) - cut if cut else line + len(chunk)
        if line > LONGEST:
            raise GraphFileError(
                f"the file has a line of more than {LONGEST:,} bytes; this is a binary file, or its lines are not "
                "separated: end each of them with a line break"
            )
        held.append(chunk)
        length += len(chunk)
        if cut and length >= size:
            held[-1] = chunk[:cut]
            yield b"".join(held)
            held, length = [chunk[cut:]], len(chunk) - cut
    if rest := b"".join([*held, half]):
        yield rest


def _in_utf8(stream: io.BufferedReader, encoding: str, size: int) -> Iterator[bytes]:
    start = stream.peek(4)[:4]
    encoding = next((name for mark, name in _MARKS if start.startswith(mark)), encoding)
    if codecs.lookup(encoding).name == "utf-8":
        if start.startswith(codecs.BOM_UTF8):
            stream.read(len(codecs.BOM_UTF8))
        while chunk := stream.read(size):
            yield chunk
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        while chunk := stream.read(size):
            yield decoder.decode(chunk).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        raise GraphFileError(f"the text is not in {encoding} ({error}); pass encoding= with the right one") from None


def _check(block: bytes, lines: int) -> None:
    if block.isascii():
        return
    refuse_binary(block)
    try:
        block.decode()
    except UnicodeDecodeError as error:
        line = lines + count_lines(block[: error.start]) + 1
        raise GraphFileError(
            f"line {line:,} contains the byte 0x{block[error.start]:02x}, which is not UTF-8; "
            'pass the encoding of the file, for example encoding="latin-1", or convert it to UTF-8'
        ) from None


def refuse_binary(block: bytes) -> None:
    """Raise an error for bytes that are no text."""
    if b"\0" in block[:_SEARCHED]:
        raise GraphFileError(
            "this is a binary file, not text; rename it with the right extension, for example .mat, .npz or .parquet"
        )


def count_lines(block: bytes) -> int:
    """The number of line ends; a carriage return and a newline together are one."""
    if b"\r" not in block:
        return block.count(b"\n")
    return block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")
