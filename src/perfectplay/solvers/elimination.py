"""Gaussian elimination in floats, compiled: the bits of a library's may depend on its threads."""

from perfectplay.compiled.arrays import Floats
from perfectplay.compiled.kernels import kernel


@kernel
def eliminated(system: Floats, least: float) -> bool:
    """Solve a linear system in place, with partial pivoting; False if a pivot is not larger than
    `least`.

    system[m, m + r] has the matrix on the left and r right-hand sides, which the solutions
    replace."""
    m, width = system.shape
    for i in range(m):
        top = i
        for r in range(i + 1, m):
            if abs(system[r, i]) > abs(system[top, i]):
                top = r
        if not abs(system[top, i]) > least:
            return False
        for k in range(i, width):
            system[i, k], system[top, k] = system[top, k], system[i, k]
        for r in range(i + 1, m):
            ratio = system[r, i] / system[i, i]
            if ratio != 0.0:
                for k in range(i + 1, width):
                    system[r, k] -= ratio * system[i, k]
    for i in range(m - 1, -1, -1):
        for k in range(m, width):
            for r in range(i + 1, m):
                system[i, k] -= system[i, r] * system[r, k]
            system[i, k] /= system[i, i]
    return True
