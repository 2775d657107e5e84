"""Kernels: sums over pairs by NumPy, which define what is correct, and by compiled code with the same signatures."""

from philia.objective.kernels.kernel import (
    DrawnColumns,
    Kernel,
    LaneSums,
    RowSums,
    kernel_for_all_pairs,
    kernel_for_sampled_pairs,
)

__all__ = ["DrawnColumns", "Kernel", "LaneSums", "RowSums", "kernel_for_all_pairs", "kernel_for_sampled_pairs"]
