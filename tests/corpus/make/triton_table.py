# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which Triton kernels the corpus has: each with its arguments, options and targets.

Arguments are written as Triton writes signatures: "*fp32", "i32", "tensordesc<fp16[64,64]>", a tuple of these, or
"=value" for one that is fixed at compile time. A number with ":16" is known to be a multiple of 16, as every pointer
is.
"""
import dataclasses

NVIDIA = ("sm_90", )
ALL = ("sm_90", "gfx90a", "gfx942", "gfx1100", "gfx1201")


@dataclasses.dataclass
class Entry:
    label: str  # the folder
    kernel: str
    arguments: str | tuple
    options: dict = dataclasses.field(default_factory=dict)
    targets: tuple = NVIDIA
    versions: tuple = ("3.9.0", )


MATMUL = ("*fp16 *fp16 *fp16 i32 i32 i32:16 i32:16 =1 i32:16 =1 i32:16 =1 ")
ADD = "*fp32 *fp32 *fp32 i32 =1024"
EVERY_VERSION = ("3.0.0", "3.2.0", "3.4.0", "3.6.0", "3.9.0")

TABLE = [
    Entry("vector_add", "vector_add", ADD, targets=ALL, versions=EVERY_VERSION),
    Entry("softmax", "softmax", "*fp32 *fp32 i32 i32 i32 =1024", {"num_warps": 8}, targets=ALL),
    Entry("layer_norm", "layer_norm", "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 i32:16 i32:16 fp32 =1024"),
    Entry("matmul", "matmul", MATMUL + "=64 =64 =32", targets=ALL, versions=EVERY_VERSION),
    Entry("matmul_large_shared", "matmul", MATMUL + "=128 =256 =64", {"num_warps": 8, "num_stages": 3}),
    Entry("matmul_fp8", "matmul", MATMUL.replace("*fp16 *fp16", "*fp8e4nv *fp8e4nv", 1) + "=64 =64 =64"),
    Entry("flash_attention", "flash_attention", "*fp16 *fp16 *fp16 *fp16 fp32 i64 i64 i32 =64 =32 =64"),
    Entry("atomics", "atomics", "*i32 *i32 *i32 *i32 i32 =256"),
    Entry("cumulative_sum", "cumulative_sum", "*fp32 *fp32 i32 =512", targets=ALL),
    Entry("associative_scan", "associative_scan", "*fp32 *fp32 *fp32 i32 =256"),
    Entry("reduce_rows", "reduce_rows", "*fp32 *fp32 *fp32 i32 i32 =16 =64"),
    Entry("argmax", "argmax", "*fp32 *i32 i32 =512", {"num_warps": 2}, targets=ALL),
    Entry("fp8e4nv_convert", "convert", "*fp32 *fp8e4nv i32 =512"),
    Entry("fp8e5_convert", "convert", "*fp8e5 *fp16 i32 =512"),
    Entry("bf16_convert", "convert", "*fp32 *bf16 i32 =512", targets=ALL),
    Entry("gather", "gather", "*fp32 *i32 *fp32 =256"),
    Entry("fill_seven", "fill", "*fp32 i32 =7.0 =256"),
    Entry("fill_one_aligned", "fill", "*fp32 i32:16 =1.0 =512"),
    Entry("none_argument", "scale_and_shift", "*fp32 =None *fp32 fp32 i32 =256", targets=ALL),
    Entry("with_bias", "scale_and_shift", "*fp32 *fp32 *fp32 fp32 i32 =256"),
    Entry("unused_arguments", "unused_arguments", "*fp32 *fp32 i32 *fp32 *fp32 i64 i32 =256", targets=ALL),
    Entry("cluster_add", "vector_add", ADD, {"num_ctas": 2}),
    Entry("tma_host", "tma_host", "tensordesc<fp16[64,64]> tensordesc<fp16[64,64]> =64 =64", targets=ALL),
    Entry("tma_device", "tma_device", "*fp32 *fp32 i32:16 i32:16 =32 =32"),
    Entry("cooperative_sum", "grid_sum", "*fp32 *fp32 *i32 *fp32 i32 =256", {"launch_cooperative_grid": True}),
    Entry("dependent_add", "dependent_add", ADD, {"launch_pdl": True}),
    Entry("long_strides", "copy_2d", "*fp32 *fp32 i64 i64 i64 i64 =16 =64"),
    Entry("dropout", "dropout", "*fp32 *fp32 i32 fp32 i32 =512"),
    Entry("transpose", "transpose", "*fp32 *fp32 i32 i32 =32 =32"),
    Entry("histogram", "histogram", "*i32 *i32 i32 =64 =512"),
    Entry("scalars", "scalars", "*fp32 i1 i8 i16 i32 i64 u64 fp16 bf16 fp32 fp64", {"num_warps": 1}, targets=ALL),
    Entry("tuple_sum", "tuple_sum", (("*fp32", "*fp32"), "*fp32", ("fp32", "i32"), "i32", "=256")),
]


def arguments_of(entry):
    return entry.arguments.split() if isinstance(entry.arguments, str) else list(entry.arguments)
