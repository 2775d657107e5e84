"""What one lane adds to the objective: the definition of correct, and its fast twin with the same signature."""

from philia.objective.kernels.kernel import Kernel, LaneSums, choose_kernel

__all__ = ["Kernel", "LaneSums", "choose_kernel"]
