// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a node of a graph becomes one dispatch of a kernel in kernels/ggml_kernels.kernel.
#ifndef INTEGRATIONS_GGML_OPERATION_H_
#define INTEGRATIONS_GGML_OPERATION_H_

#include <array>
#include <cstdint>
#include <optional>

#include "ggml_headers.h"

namespace halyard_ggml {

// The names of the kernels, in the order of enum Kernel.
#define HALYARD_GGML_KERNELS(X)                                                                                        \
  X(binary), X(unary), X(gated), X(rope), X(copy_32), X(copy_16), X(copy_f32_f16), X(copy_f16_f32), X(copy_f32_q8_0),  \
      X(copy_f32_q4_0), X(copy_q8_0_f32), X(copy_q4_0_f32), X(get_rows_f32), X(get_rows_f16), X(get_rows_q8_0),        \
      X(get_rows_q4_0), X(set_rows_f32), X(set_rows_f16), X(set_rows_q8_0), X(set_rows_q4_0), X(rms_norm),             \
      X(soft_max), X(soft_max_f32), X(soft_max_f16), X(mul_vec_f32), X(mul_vec_f16), X(mul_vec_q8_0), X(mul_vec_q4_0), \
      X(mul_mat_f32), X(mul_mat_f16), X(mul_mat_q8_0), X(mul_mat_q4_0)

enum class Kernel : uint32_t {
#define HALYARD_GGML_KERNEL(name) name
  HALYARD_GGML_KERNELS(HALYARD_GGML_KERNEL),
#undef HALYARD_GGML_KERNEL
  kCount
};

/// What a device needs to be known of to lay out dispatches.
struct DispatchTraits {
  bool is_host = false;            // work-items of a workgroup run one after the other
  uint32_t threads = 1;            // of a host
  uint32_t binding_alignment = 1;  // bytes
  uint64_t max_binding_range = 0;  // bytes
};

/// A tensor that a kernel uses.
struct Operand {
  const ggml_tensor* tensor = nullptr;
  uint32_t unit = 1;     // bytes of an element of the binding
  int64_t elements = 0;  // from the tensor's first element to the first that the kernel is told of
};

/// One dispatch. The constant number i, for each operand i, says where the operand begins in its binding; it is left 0
/// here, as it depends on where the tensors lie.
struct Operation {
  static constexpr uint32_t kMaxConstants = 32;  // 128 bytes, which every device takes

  Kernel kernel = Kernel::kCount;
  uint32_t operand_count = 0;
  uint32_t constant_count = 0;
  uint32_t workgroup_size = 0;  // 0: the kernel's own
  uint32_t workgroup_count[2] = {0, 0};
  std::array<Operand, 4> operands;
  std::array<uint32_t, kMaxConstants> constants;
};

/// The kernel's name.
const char* KernelName(Kernel kernel);

/// Whether the node only names memory: nothing is to be done for it.
bool IsView(const ggml_tensor& node);

/// The dispatch that computes a node; none if the kernels do not cover it. The only place that decides so: what
/// supports_op() claims is what graph_compute() does.
std::optional<Operation> DescribeOperation(const ggml_tensor& node, const DispatchTraits& traits);

}  // namespace halyard_ggml

#endif  // INTEGRATIONS_GGML_OPERATION_H_
