"""What the paper does, literally: dense matrices and automatic differentiation with PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

from philia import Graph
from philia._types import Float64Array


class DenseTorch:
    """The objective of the community model with n × n tensors."""

    def __init__(self, graph: Graph, dtype: str) -> None:
        import torch

        self.torch, self.dtype = torch, getattr(torch, dtype)
        self.A: Any = torch.tensor(graph.adjacency.toarray(), dtype=self.dtype)

    def value_and_gradient(self, B: Float64Array, C: Float64Array, penalty: float) -> tuple[float, Float64Array]:
        """R + penalty · (|B|² + |C|²) and its gradient by [B C]."""
        torch = self.torch
        b, c = (torch.tensor(side, dtype=self.dtype, requires_grad=True) for side in (B, C))
        logits = b @ b.T - c @ c.T
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, self.A, reduction="sum")
        loss = loss + penalty * ((b**2).sum() + (c**2).sum())
        loss.backward()
        return float(loss), np.hstack([b.grad.numpy(), c.grad.numpy()]).astype(np.float64)
