// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emitters.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

constexpr std::string_view kHostPrelude = R"(// Made by halyard-kernels; changes are lost.
#include "halyard/local_kernel.h"
#include "halyard/local_kernel_record.h"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

namespace {

struct hal_uint3 {
  uint32_t x, y, z;
};

template <class T>
inline T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
inline T max(T a, T b) {
  return a < b ? b : a;
}

inline uint32_t float_bits(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline float float_of_bits(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

// One after the other, so they meet wherever a block ends.
#define barrier() ((void)0)
#define persistent static
#define atomic_add(cell, value) __atomic_fetch_add(&(cell), (value), __ATOMIC_RELAXED)

#define each_item                                                                                  \
  for (hal_uint3 local_id = {0, 0, 0}; local_id.z < workgroup_size.z; ++local_id.z)                \
    for (local_id.y = 0; local_id.y < workgroup_size.y; ++local_id.y)                              \
      for (local_id.x = 0; local_id.x < workgroup_size.x; ++local_id.x)                            \
        if ([[maybe_unused]] const hal_uint3 global_id = {workgroup_id.x * workgroup_size.x + local_id.x,  \
                                                          workgroup_id.y * workgroup_size.y + local_id.y,  \
                                                          workgroup_id.z * workgroup_size.z + local_id.z}; \
            true)

)";

// What a workgroup knows, under the names of the language.
constexpr std::string_view kHostIds = R"(
  [[maybe_unused]] const hal_uint3 workgroup_id = {hal_workgroup->id[0], hal_workgroup->id[1], hal_workgroup->id[2]};
  [[maybe_unused]] const hal_uint3 workgroup_size = {
      hal_dispatch->workgroup_size[0], hal_dispatch->workgroup_size[1], hal_dispatch->workgroup_size[2]};
  [[maybe_unused]] const hal_uint3 workgroup_count = {
      hal_dispatch->workgroup_count[0], hal_dispatch->workgroup_count[1], hal_dispatch->workgroup_count[2]};
)";

std::string ParameterText(const Kernel& kernel, const KernelParameter& parameter) {
  const std::string& type = parameter.type;
  const std::string& name = parameter.name;
  if (parameter.kind == HAL_PARAMETER_KIND_BINDING) {
    const char* const qualifier = parameter.access == HAL_BINDING_ACCESS_READ ? "const " : "";
    return Concat("  [[maybe_unused]] ", qualifier, type, "* const ", name, " = static_cast<", qualifier, type,
                  "*>(hal_dispatch->bindings[", DispatchOrdinal(kernel, parameter), "]);\n");
  }
  const std::string address = Concat("static_cast<const char*>(hal_dispatch->constants) + ", parameter.place);
  if (parameter.count > 0) {
    return Concat("  [[maybe_unused]] const ", type, "* const ", name, " = reinterpret_cast<const ", type, "*>(",
                  address, ");\n");
  }
  return Concat("  [[maybe_unused]] const ", type, " ", name, " = *reinterpret_cast<const ", type, "*>(", address,
                ");\n");
}

std::string HostLocalText(const Kernel& kernel, size_t ordinal) {
  const LocalArray& array = kernel.locals[ordinal];
  const size_t place = array.count == 0 ? kernel.locals.size() : ordinal;
  return Concat("  [[maybe_unused]] ", array.type, "* const ", array.name, " = reinterpret_cast<", array.type,
                "*>(static_cast<char*>(hal_workgroup->local_memory) + ", LocalOffset(kernel, place), ");\n");
}

std::string BodyText(const KernelSource& source, const Kernel& kernel) {
  std::string body = Concat(LineDirective(source, kernel.body_line), kernel.body, "\n");
  if (kernel.has_item_blocks) return body;
  return Concat("  const auto hal_item = [&]([[maybe_unused]] const hal_uint3 local_id,\n",
                "                            [[maybe_unused]] const hal_uint3 global_id)\n", body,
                "  ;\n  each_item hal_item(local_id, global_id);\n");
}

std::string ParameterRecord(const KernelParameter& parameter) {
  if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) {
    return Concat("HAL_LOCAL_CONSTANT_RECORD(", parameter.place, ", ", SizeOf(parameter), ")");
  }
  return Concat("HAL_LOCAL_BINDING_RECORD(", parameter.set, ", ", parameter.place, ", ",
                static_cast<unsigned>(parameter.access), ")");
}

std::string HostKernelText(const KernelSource& source, const Kernel& kernel) {
  const std::string head = Concat("int32_t ", kernel.name,
                                  "([[maybe_unused]] const hal_local_dispatch_t* hal_dispatch,\n"
                                  "    [[maybe_unused]] const hal_local_workgroup_t* hal_workgroup)");
  std::string text = Concat("\nextern \"C\" HAL_LOCAL_KERNEL_EXPORT ", head, ";\nextern \"C\" ", head, " {", kHostIds);
  for (const KernelParameter& parameter : kernel.parameters) text += ParameterText(kernel, parameter);
  for (size_t i = 0; i < kernel.locals.size(); ++i) text += HostLocalText(kernel, i);
  return Concat(text, BodyText(source, kernel), "  return 0;\n}\n");
}

}  // namespace

std::string LineDirective(const KernelSource& source, size_t line) {
  return Concat("#line ", line, " \"", source.path, "\"\n");
}

std::string KernelRecordText(const Kernel& kernel) {
  const hal_dim3_t& size = kernel.workgroup_size;
  std::string text =
      Concat("\nHAL_LOCAL_KERNEL_RECORD(", kernel.name, ", ", size.x, ", ", size.y, ", ", size.z, ", ",
             LocalOffset(kernel, kernel.locals.size()), ", ", ConstantsSize(kernel), ", ", kernel.parameters.size());
  for (const KernelParameter& parameter : kernel.parameters) text += ",\n    " + ParameterRecord(parameter);
  return text + (kernel.parameters.empty() ? ", HAL_LOCAL_NO_PARAMETERS());\n" : ");\n");
}

std::string HostText(const KernelSource& source) {
  std::string text = Concat(kHostPrelude, LineDirective(source, 1), source.shared, "\n}  // namespace\n");
  for (const Kernel& kernel : source.kernels) text += HostKernelText(source, kernel) + KernelRecordText(kernel);
  return text;
}

}  // namespace halyard::tools
