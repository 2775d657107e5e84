"""What the paper does: dense matrices and automatic differentiation with PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

from philia import Graph
from philia._types import Float64Array

FORMS = ("as printed", "fused")
"""The cross-entropy as Algorithm 2 prints it (a sigmoid, two logarithms), and PyTorch's own in one function."""


class DenseTorch:
    """The objective of the community model with n × n tensors."""

    def __init__(self, graph: Graph, dtype: str, form: str) -> None:
        import torch

        self.torch, self.dtype, self.form = torch, getattr(torch, dtype), form
        self.A: Any = torch.tensor(graph.adjacency.toarray(), dtype=self.dtype)

    def value_and_gradient(self, B: Float64Array, C: Float64Array, penalty: float) -> tuple[float, Float64Array]:
        """R + penalty · (|B|² + |C|²) and its gradient by [B C]."""
        b, c = (self.torch.tensor(side, dtype=self.dtype, requires_grad=True) for side in (B, C))
        loss = self._cross_entropy(b @ b.T - c @ c.T) + penalty * ((b**2).sum() + (c**2).sum())
        loss.backward()
        return float(loss.detach()), np.hstack([b.grad.numpy(), c.grad.numpy()]).astype(np.float64)

    def _cross_entropy(self, logits: Any) -> Any:
        if self.form == "fused":
            entropy = self.torch.nn.functional.binary_cross_entropy_with_logits
            return entropy(logits, self.A, reduction="sum")
        P = self.torch.sigmoid(logits)
        return -(self.A * self.torch.log(P) + (1 - self.A) * self.torch.log(1 - P)).sum()
