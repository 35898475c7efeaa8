"""Makes PTX of kernels that numba-cuda compiles, for which it needs NVVM of a CUDA Toolkit and no GPU.

  make_numba_cuda.py FOLDER
"""
import sys

from numba import cuda, float32, int32, types


def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.shape[0]:
        y[i] += a * x[i]


def raw(n, p):
    p[0] = n


for function, signature in ((axpy, (float32, float32[::1], float32[::1])), (raw, (int32, types.CPointer(int32)))):
    ptx, _ = cuda.compile_ptx(function, signature, cc=(8, 0), device=False)
    with open(f"{sys.argv[1]}/{function.__name__}.ptx", "w") as file:
        file.write(ptx)
