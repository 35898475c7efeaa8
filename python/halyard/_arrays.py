# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of element types as NumPy's types. NumPy is imported when it is needed."""


def numpy_type(name: str):
    """The dtype for a name of an element type; ml_dtypes has those that NumPy has not."""
    import numpy

    if name == "bytes":
        return numpy.dtype("uint8")
    try:
        return numpy.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(f"NumPy has no type {name!r}; the package ml_dtypes adds it. Buffer.view('uint8') has the bytes")
    # MLIR's f8E4M3FN is float8_e4m3fn there.
    known = {name: name}
    for width in ("8", "6", "4"):
        if name.startswith("f" + width):
            known[name] = "float" + width + "_" + name[2:].lower()
    kind = getattr(ml_dtypes, known[name], None)
    if kind is None:
        raise TypeError(f"neither NumPy nor ml_dtypes has a type for {name!r}; Buffer.view('uint8') has the bytes")
    return numpy.dtype(kind)
