"""Text from bytes: any encoding in, blocks of whole lines in UTF-8 out."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator

from philia.exceptions import GraphFileError

BLOCK = 1 << 22
"""About as many bytes as are worked on at a time; a file that is smaller is read without compiling anything."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_blocks(stream: io.BufferedReader, encoding: str = "utf-8", size: int = BLOCK) -> Iterator[bytes]:
    """The text in UTF-8, in blocks of about ``size`` bytes that end where a line ends.

    >>> list(text_blocks(io.BufferedReader(io.BytesIO(b"a b\\nc d")), size=5))
    [b'a b\\n', b'c d']
    """
    lines = 0
    for block in _whole_lines(_in_utf8(stream, encoding, size), size):
        _check(block, lines)
        yield block
        lines += _count_lines(block)


def whole_text(stream: io.BufferedReader, encoding: str = "utf-8") -> str:
    """All of the text at once, for formats that are not made of lines."""
    return b"".join(text_blocks(stream, encoding)).decode()


def _whole_lines(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    held = b""
    for chunk in chunks:
        held += chunk
        # A carriage return at the very end may be the first half of a line end, so it does not count as one.
        cut = max(held.rfind(b"\n"), held.rfind(b"\r", 0, len(held) - 1)) + 1
        if cut and len(held) >= size:
            yield held[:cut]
            held = held[cut:]
    if held:
        yield held


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
        raise GraphFileError(f"the text is not in {encoding} ({error}); pass the encoding it is in") from None


def _check(block: bytes, lines: int) -> None:
    if block.isascii():
        return
    try:
        block.decode()
    except UnicodeDecodeError as error:
        line = lines + _count_lines(block[: error.start]) + 1
        raise GraphFileError(
            f"line {line:,} holds the byte 0x{block[error.start]:02x}, which is not UTF-8; "
            'pass the encoding of the file, for example encoding="latin-1", or convert it to UTF-8'
        ) from None


def _count_lines(block: bytes) -> int:
    """How many line ends there are; a carriage return and a newline together are one."""
    if b"\r" not in block:
        return block.count(b"\n")
    return block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")
