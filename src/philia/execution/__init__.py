"""Executors, which run the lanes of an evaluation: anything with an ordered ``map``."""

from philia.execution.executor import Executor
from philia.execution.local import LocalThreads, one_blas_thread
from philia.execution.setting import as_executor, opened

__all__ = ["Executor", "LocalThreads", "as_executor", "one_blas_thread", "opened"]
