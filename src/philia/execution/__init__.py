"""Where the lanes of an evaluation run: anything with an ordered ``map``."""

from philia.execution.executor import Executor
from philia.execution.local import LocalThreads, one_blas_thread

__all__ = ["Executor", "LocalThreads", "one_blas_thread"]
