"""Makes an object of a function that Halide compiles ahead of time, for x86-64 and without its runtime.

  make_halide.py OBJECT
"""
import sys

import halide as hl

source = hl.ImageParam(hl.Float(32), 2, "source")
gain = hl.Param(hl.Float(32), "gain")
x, y = hl.Var("x"), hl.Var("y")
blur = hl.Func("blur")
blur[x, y] = gain * (source[x, y] + source[x + 1, y] + source[x + 2, y])
blur.vectorize(x, 4)
target = hl.Target("x86-64-linux-no_runtime-no_asserts-no_bounds_query")
blur.compile_to_object(sys.argv[1], [source, gain], "blur", target)
