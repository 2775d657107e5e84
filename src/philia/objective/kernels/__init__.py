"""Sums over pairs: the definition of correct, and its fast twin with the same signatures."""

from philia.objective.kernels.kernel import (
    DrawnColumns,
    Kernel,
    LaneSums,
    RowSums,
    kernel_for_all_pairs,
    kernel_for_sampled_pairs,
)

__all__ = ["DrawnColumns", "Kernel", "LaneSums", "RowSums", "kernel_for_all_pairs", "kernel_for_sampled_pairs"]
