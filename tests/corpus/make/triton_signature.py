# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the arguments that Triton was asked for to the parameters that its kernels have."""
import re

SIZES = {"i1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "fp16": 2, "bf16": 2, "i32": 4, "u32": 4, "fp32": 4, "i64": 8,
         "u64": 8, "fp64": 8}


def number(name, kind):
    return {"name": name, "kind": "number", "size": SIZES[kind], "type": kind}


def descriptor(name, kind, is_nvidia):
    """A tensor descriptor is a tensor map on NVIDIA, and what it is made of elsewhere; its shape follows both."""
    element, shape = re.fullmatch(r"tensordesc<(\w+)\[([\d,]+)\]>", kind).groups()
    rank = shape.count(",") + 1
    if is_nvidia:
        yield {"name": name, "kind": "tensor_map", "size": 128, "type": kind}
    else:
        yield {"name": name, "kind": "pointer", "size": 8, "type": "*" + element}
        yield from (number(f"{name}.shape.{i}", "i64") for i in range(rank))
        yield from (number(f"{name}.stride.{i}", "i64") for i in range(rank))
        yield number(name + ".padding", "i1")
        yield number(name + ".roundF32ToTF32", "i1")
    yield from (number(f"{name}.shape.{i}", "i32") for i in range(rank))
    yield from (number(f"{name}.stride.{i}", "i64") for i in range(rank))


def expand(name, kind, is_nvidia):
    if isinstance(kind, list):
        for i, part in enumerate(kind):
            yield from expand(f"{name}.{i}", part, is_nvidia)
    elif kind.startswith("*"):
        yield {"name": name, "kind": "pointer", "size": 8, "type": kind}
    elif kind.startswith("tensordesc"):
        yield from descriptor(name, kind, is_nvidia)
    elif kind != "constexpr":
        yield number(name, kind)


def expanded(arguments, is_nvidia):
    """The parameters, without those that Triton adds behind them for scratch memory."""
    return [parameter for name, kind in arguments.items() for parameter in expand(name, kind, is_nvidia)]
