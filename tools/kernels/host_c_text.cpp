// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for the host in C11, for projects that have no C++ compiler. What host_text.cpp leaves to templates and
// lambdas is here _Generic, macros named like types, and a function for each kernel's work-item.
#include <cctype>
#include <set>
#include <vector>

#include "emitters.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

constexpr std::string_view kHostCPrelude = R"(// Made by halyard-kernels; changes are lost.
#include <stdbool.h>

#include "halyard/local_kernel.h"
#include "halyard/local_kernel_record.h"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#define HAL_UNUSED __attribute__((unused))
#define HAL_INLINE static inline __attribute__((always_inline))
#else
#define HAL_UNUSED
#define HAL_INLINE static inline
#endif
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif

typedef struct hal_uint3 {
  uint32_t x, y, z;
} hal_uint3;

#define HAL_MIN_MAX(type, suffix)                                                 \
  HAL_INLINE type hal_min_##suffix(type a, type b) { return b < a ? b : a; }     \
  HAL_INLINE type hal_max_##suffix(type a, type b) { return a < b ? b : a; }
HAL_MIN_MAX(int8_t, i8)
HAL_MIN_MAX(int16_t, i16)
HAL_MIN_MAX(int32_t, i32)
HAL_MIN_MAX(int64_t, i64)
HAL_MIN_MAX(uint8_t, u8)
HAL_MIN_MAX(uint16_t, u16)
HAL_MIN_MAX(uint32_t, u32)
HAL_MIN_MAX(uint64_t, u64)
HAL_MIN_MAX(float, f32)
HAL_MIN_MAX(double, f64)

// A value of another type than these has no minimum.
#define HAL_OF_TYPE(name, value)                                                           \
  _Generic((value), int8_t: name##_i8, int16_t: name##_i16, int32_t: name##_i32,           \
           int64_t: name##_i64, uint8_t: name##_u8, uint16_t: name##_u16,                  \
           uint32_t: name##_u32, uint64_t: name##_u64, float: name##_f32, double: name##_f64)
#define min(a, b) HAL_OF_TYPE(hal_min, a)((a), (b))
#define max(a, b) HAL_OF_TYPE(hal_max, a)((a), (b))

typedef union hal_float_cell {
  float value;
  uint32_t bits;
} hal_float_cell;
HAL_INLINE uint32_t float_bits(float value) { return ((hal_float_cell){.value = value}).bits; }
HAL_INLINE float float_of_bits(uint32_t bits) { return ((hal_float_cell){.bits = bits}).value; }

// One after the other, so they meet wherever a block ends.
#define barrier() ((void)0)
#define persistent static
#define atomic_add(cell, value) __atomic_fetch_add(&(cell), (value), __ATOMIC_RELAXED)

// A loop of one pass holds the id, so that `continue` leaves the block.
#define each_item                                                                                     \
  for (hal_uint3 local_id = {0, 0, 0}; local_id.z < workgroup_size.z; ++local_id.z)                   \
    for (local_id.y = 0; local_id.y < workgroup_size.y; ++local_id.y)                                 \
      for (local_id.x = 0; local_id.x < workgroup_size.x; ++local_id.x)                               \
        for (const hal_uint3 global_id = {workgroup_id.x * workgroup_size.x + local_id.x,             \
                                          workgroup_id.y * workgroup_size.y + local_id.y,             \
                                          workgroup_id.z * workgroup_size.z + local_id.z},            \
                             *hal_once = &global_id;                                                  \
             hal_once; hal_once = NULL)

// Conversions are written as calls. A type that no parenthesis follows stays what it is.
#define int(value) ((int)(value))
#define int8_t(value) ((int8_t)(value))
#define int16_t(value) ((int16_t)(value))
#define int32_t(value) ((int32_t)(value))
#define int64_t(value) ((int64_t)(value))
#define uint8_t(value) ((uint8_t)(value))
#define uint16_t(value) ((uint16_t)(value))
#define uint32_t(value) ((uint32_t)(value))
#define uint64_t(value) ((uint64_t)(value))
#define float(value) ((float)(value))
#define double(value) ((double)(value))
#undef bool
#if __STDC_VERSION__ < 202311L
typedef _Bool bool;
#endif
#define bool(value) ((bool)(value))

)";

/// A variable that a body knows.
struct Variable {
  std::string declaration;
  std::string name;
  std::string value;
};

std::string IdValue(std::string_view from) { return Concat("{", from, "[0], ", from, "[1], ", from, "[2]}"); }

Variable ParameterVariable(const Kernel& kernel, const KernelParameter& parameter) {
  const std::string& name = parameter.name;
  if (parameter.kind == HAL_PARAMETER_KIND_BINDING) {
    const std::string type = Concat(parameter.access == HAL_BINDING_ACCESS_READ ? "const " : "", parameter.type, "*");
    return {Concat(type, " const ", name), name,
            Concat("(", type, ")hal_dispatch->bindings[", DispatchOrdinal(kernel, parameter), "]")};
  }
  const std::string type = Concat("const ", parameter.type);
  const std::string address = Concat("(", type, "*)((const char*)hal_dispatch->constants + ", parameter.place, ")");
  if (parameter.count > 0) return {Concat(type, "* const ", name), name, address};
  return {Concat(type, " ", name), name, "*" + address};
}

std::vector<Variable> VariablesOf(const Kernel& kernel) {
  std::vector<Variable> all = {
      {"const hal_uint3 workgroup_id", "workgroup_id", IdValue("hal_workgroup->id")},
      {"const hal_uint3 workgroup_size", "workgroup_size", IdValue("hal_dispatch->workgroup_size")},
      {"const hal_uint3 workgroup_count", "workgroup_count", IdValue("hal_dispatch->workgroup_count")}};
  for (const KernelParameter& parameter : kernel.parameters) all.push_back(ParameterVariable(kernel, parameter));
  for (size_t i = 0; i < kernel.locals.size(); ++i) {
    const LocalArray& array = kernel.locals[i];
    const size_t place = array.count == 0 ? kernel.locals.size() : i;
    all.push_back(
        {Concat(array.type, "* const ", array.name), array.name,
         Concat("(", array.type, "*)((char*)hal_workgroup->local_memory + ", LocalOffset(kernel, place), ")")});
  }
  return all;
}

// What one work-item does, as a function: `return` ends it.
std::string ItemText(const KernelSource& source, const Kernel& kernel, const std::vector<Variable>& variables) {
  std::string text = Concat("\nHAL_INLINE void hal_item_", kernel.name,
                            "(HAL_UNUSED const hal_uint3 local_id, HAL_UNUSED const hal_uint3 global_id");
  for (const Variable& variable : variables) text += Concat(",\n    HAL_UNUSED ", variable.declaration);
  return Concat(text, ")\n", LineDirective(source, kernel.body_line), kernel.body, "\n");
}

std::string ItemCall(const Kernel& kernel, const std::vector<Variable>& variables) {
  std::string text = Concat("  each_item hal_item_", kernel.name, "(local_id, global_id");
  for (const Variable& variable : variables) text += ", " + variable.name;
  return text + ");\n";
}

std::string HostCKernelText(const KernelSource& source, const Kernel& kernel) {
  const std::vector<Variable> variables = VariablesOf(kernel);
  const std::string head = Concat("int32_t ", kernel.name,
                                  "(HAL_UNUSED const hal_local_dispatch_t* hal_dispatch,\n"
                                  "    HAL_UNUSED const hal_local_workgroup_t* hal_workgroup)");
  std::string text = kernel.has_item_blocks ? "" : ItemText(source, kernel, variables);
  text += Concat("\nHAL_LOCAL_KERNEL_EXPORT ", head, ";\n", head, " {\n");
  for (const Variable& variable : variables) {
    text += Concat("  HAL_UNUSED ", variable.declaration, " = ", variable.value, ";\n");
  }
  text += kernel.has_item_blocks ? Concat(LineDirective(source, kernel.body_line), kernel.body, "\n")
                                 : ItemCall(kernel, variables);
  return text + "  return 0;\n}\n";
}

bool IsNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// "typedef struct Pair Pair;" for each struct that the source defines: the language names it without `struct`. Words of
// a comment do no harm here.
std::string StructNames(std::string_view shared) {
  constexpr std::string_view kStruct = "struct";
  std::set<std::string> names;
  for (size_t at = shared.find(kStruct); at != std::string_view::npos; at = shared.find(kStruct, at + 1)) {
    if (at > 0 && IsNameCharacter(shared[at - 1])) continue;
    const size_t begin = shared.find_first_not_of(" \t\r\n", at + kStruct.size());
    if (begin == std::string_view::npos || begin == at + kStruct.size()) continue;
    size_t end = begin;
    while (end < shared.size() && IsNameCharacter(shared[end])) ++end;
    const size_t next = shared.find_first_not_of(" \t\r\n", end);
    const bool is_name = end > begin && std::isdigit(static_cast<unsigned char>(shared[begin])) == 0;
    if (is_name && next != std::string_view::npos && shared[next] == '{') {
      names.emplace(shared.substr(begin, end - begin));
    }
  }
  std::string text;
  for (const std::string& name : names) text += Concat("typedef struct ", name, " ", name, ";\n");
  return text;
}

}  // namespace

std::string HostCText(const KernelSource& source) {
  // Functions of the source stay the object's own, even if the C library has others of their names.
  std::string text = Concat(kHostCPrelude, StructNames(source.shared), "#if defined(__GNUC__)\n",
                            "#pragma GCC visibility push(hidden)\n#endif\n", LineDirective(source, 1), source.shared,
                            "\n#if defined(__GNUC__)\n#pragma GCC visibility pop\n#endif\n");
  for (const Kernel& kernel : source.kernels) text += HostCKernelText(source, kernel) + KernelRecordText(kernel);
  return text;
}

}  // namespace halyard::tools
