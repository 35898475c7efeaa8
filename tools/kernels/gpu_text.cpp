// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emitters.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

constexpr std::string_view kGpuPrelude = R"(// Made by halyard-kernels; changes are lost.
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;

struct hal_uint3 {
  uint32_t x, y, z;
};

// An array among the constants: arguments are passed by value, which arrays are not.
template <class T, int kCount>
struct hal_array {
  T elements[kCount];
};

// What the dispatch adds to the workgroup memory.
extern __attribute__((shared)) __attribute__((aligned(16))) unsigned char hal_dynamic_local_memory[];

#pragma clang force_cuda_host_device begin

template <class T>
inline T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
inline T max(T a, T b) {
  return a < b ? b : a;
}

inline uint32_t float_bits(float value) { return __builtin_bit_cast(uint32_t, value); }
inline float float_of_bits(uint32_t bits) { return __builtin_bit_cast(float, bits); }

#if defined(__NVPTX__)
#define HAL_LOCAL_ID(d) uint32_t(__nvvm_read_ptx_sreg_tid_##d())
#define HAL_WORKGROUP_ID(d) uint32_t(__nvvm_read_ptx_sreg_ctaid_##d())
#define HAL_WORKGROUP_SIZE(d) uint32_t(__nvvm_read_ptx_sreg_ntid_##d())
#define HAL_WORKGROUP_COUNT(d) uint32_t(__nvvm_read_ptx_sreg_nctaid_##d())
#define barrier() __syncthreads()
#define atomic_add(cell, value) __atomic_fetch_add(&(cell), (value), __ATOMIC_RELAXED)
#elif defined(__AMDGCN__)
#define HAL_LOCAL_ID(d) uint32_t(__builtin_amdgcn_workitem_id_##d())
#define HAL_WORKGROUP_ID(d) uint32_t(__builtin_amdgcn_workgroup_id_##d())
#define HAL_WORKGROUP_SIZE(d) uint32_t(__builtin_amdgcn_workgroup_size_##d())
#define HAL_WORKGROUP_COUNT(d) uint32_t((__builtin_amdgcn_grid_size_##d() / HAL_WORKGROUP_SIZE(d)))
#define barrier() \
  (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), \
   __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#define atomic_add(cell, value) \
  __hip_atomic_fetch_add(&(cell), (value), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#endif

#define persistent static __attribute__((device))

// A loop of one pass, so that `continue` leaves the block everywhere.
#define each_item for (bool hal_once = true; hal_once; hal_once = false)

)";

constexpr std::string_view kGpuIds = R"( {
  [[maybe_unused]] const hal_uint3 local_id = {HAL_LOCAL_ID(x), HAL_LOCAL_ID(y), HAL_LOCAL_ID(z)};
  [[maybe_unused]] const hal_uint3 workgroup_id = {HAL_WORKGROUP_ID(x), HAL_WORKGROUP_ID(y), HAL_WORKGROUP_ID(z)};
  [[maybe_unused]] const hal_uint3 workgroup_size = {HAL_WORKGROUP_SIZE(x), HAL_WORKGROUP_SIZE(y),
                                                     HAL_WORKGROUP_SIZE(z)};
  [[maybe_unused]] const hal_uint3 workgroup_count = {HAL_WORKGROUP_COUNT(x), HAL_WORKGROUP_COUNT(y),
                                                      HAL_WORKGROUP_COUNT(z)};
  [[maybe_unused]] const hal_uint3 global_id = {workgroup_id.x * workgroup_size.x + local_id.x,
                                                workgroup_id.y * workgroup_size.y + local_id.y,
                                                workgroup_id.z * workgroup_size.z + local_id.z};
)";

std::string ArgumentText(const KernelParameter& parameter) {
  if (parameter.kind == HAL_PARAMETER_KIND_BINDING) {
    return Concat(parameter.access == HAL_BINDING_ACCESS_READ ? "const " : "", parameter.type, "* const ",
                  parameter.name);
  }
  if (parameter.count == 0) return Concat("const ", parameter.type, " ", parameter.name);
  return Concat("const hal_array<", parameter.type, ", ", parameter.count, "> hal_array_", parameter.name);
}

std::string ArrayText(const KernelParameter& parameter) {
  if (parameter.count == 0) return "";
  return Concat("  [[maybe_unused]] const ", parameter.type, "* const ", parameter.name, " = hal_array_",
                parameter.name, ".elements;\n");
}

std::string GpuLocalText(const LocalArray& array) {
  if (array.count > 0) {
    return Concat("  static __attribute__((shared)) __attribute__((aligned(16))) ", array.type, " ", array.name, "[",
                  array.count, "];\n");
  }
  return Concat("  ", array.type, "* const ", array.name, " = reinterpret_cast<", array.type,
                "*>(hal_dynamic_local_memory);\n");
}

std::string GpuKernelText(const KernelSource& source, const Kernel& kernel) {
  std::string text = Concat("\nextern \"C\" __attribute__((global)) void ", kernel.name, "(");
  for (const KernelParameter& parameter : kernel.parameters) {
    if (&parameter != &kernel.parameters.front()) text += ", ";
    text += ArgumentText(parameter);
  }
  text += Concat(")", kGpuIds);
  for (const KernelParameter& parameter : kernel.parameters) text += ArrayText(parameter);
  for (const LocalArray& array : kernel.locals) text += GpuLocalText(array);
  return Concat(text, LineDirective(source, kernel.body_line), kernel.body, "\n}\n");
}

}  // namespace

std::string GpuText(const KernelSource& source) {
  std::string text =
      Concat(kGpuPrelude, LineDirective(source, 1), source.shared, "\n#pragma clang force_cuda_host_device end\n");
  for (const Kernel& kernel : source.kernels) text += GpuKernelText(source, kernel);
  return text;
}

}  // namespace halyard::tools
