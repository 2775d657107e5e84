"""Step 0: files and memory, for every room that reads or writes.

Arrays are in :mod:`philia.storage.arrays` and :mod:`philia.storage.tensors`, which need numpy; the rest is light enough
for the command line to load before it knows what it is asked.
"""

from philia.storage.files import COMPRESSION_SUFFIXES, FilePath, Source, is_bomb, opened, saving, suffix_of
from philia.storage.memory import WHOLE_MACHINE, MemoryBound, in_words, private_memory, require_memory
from philia.storage.options import ReadingOptions

__all__ = [
    "COMPRESSION_SUFFIXES",
    "WHOLE_MACHINE",
    "FilePath",
    "MemoryBound",
    "ReadingOptions",
    "Source",
    "in_words",
    "is_bomb",
    "opened",
    "private_memory",
    "require_memory",
    "saving",
    "suffix_of",
]
