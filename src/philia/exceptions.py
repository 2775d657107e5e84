"""Every error philia raises on purpose; each message says what was found, what was expected and what to do."""

from __future__ import annotations


class PhiliaError(Exception):
    """The common ancestor: catching it catches every mistake that philia explains."""


class InvalidGraphError(PhiliaError, ValueError):
    """The data handed in cannot be read as an undirected graph without losing or inventing something."""


class InputWarning(UserWarning):
    """Something in the input was guessed or dropped; the message says what, and which argument decides it."""


class StorageError(PhiliaError, ValueError):
    """A file cannot be opened, read or written: it is missing, damaged, not permitted, or the disk is full."""


class GraphFileError(StorageError):
    """A file cannot be read as a graph or as communities; the message names the file and, where known, the line."""


class UnknownNodeError(PhiliaError, KeyError):
    """A name was asked for that the graph does not have; the message lists the nearest names."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0]) if self.args else ""


class UnknownCommunityError(PhiliaError, KeyError):
    """A name was asked for that no community has; the message lists those there are."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class InvalidParameterError(PhiliaError, ValueError):
    """A setting has a value that makes no sense."""


class DivergedError(PhiliaError, ArithmeticError):
    """A fit ended in a loss or in factors that are not finite, which is no model."""


class ModelFileError(PhiliaError, ValueError):
    """A model file is damaged, of another program, or written by a newer version."""


class CheckpointError(PhiliaError, ValueError):
    """A checkpoint is damaged, or belongs to another fit."""


class NotExactError(PhiliaError, ValueError):
    """A representation is not that of the graph, or not what its certificate says; the message says where."""


class NotEnoughMemoryError(PhiliaError, MemoryError):
    """The work would need more memory than there is; said before anything is allocated."""


class ClusterError(PhiliaError, RuntimeError):
    """A cluster cannot be reached or started, runs other versions, or loses its workers."""


class MissingDependencyError(PhiliaError, ImportError):
    """An optional package is needed for what was asked; the message says which and how to install it."""


class MissingDataError(PhiliaError, FileNotFoundError):
    """The files of a dataset are neither on this machine nor to be had."""
