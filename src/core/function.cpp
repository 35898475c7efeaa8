// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/suggestions.h"
#include "core/executable/executable_params.h"
#include "core/public_call.h"
#include "core/validation/checks.h"
#include "halyard/memref.h"

namespace halyard {
namespace {

Status FindFunction(hal_executable_t* executable, uint32_t ordinal, const hal_function_t** out_function) {
  HAL_TRY(CheckNotNull("out_function", out_function));
  *out_function = nullptr;
  HAL_TRY(CheckNotNull("executable", executable));
  if (ordinal >= executable->export_count) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "ordinal is %u, but the executable%s has %u exports", ordinal,
                LabelWords(executable).c_str(), executable->export_count);
  }
  const hal_export_info_t* const info = VtableOf(executable)->export_info(executable, ordinal);
  if (!info || !info->signature) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "'%.*s' has no signature: it is a kernel, which only a dispatch runs",
                HALYARD_SV(info ? View(info->name) : std::string_view("?")));
  }
  return FromC(VtableOf(executable)->function(executable, ordinal, out_function));
}

Status CheckCount(const hal_function_t& function, const char* what, size_t given, uint32_t expected) {
  if (given == expected) return kOk;
  const hal_export_info_t* const info =
      VtableOf(function.executable)->export_info(function.executable, function.ordinal);
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s_count is %zu, but '%.*s' has %u %ss", what, given,
              HALYARD_SV(View(info->name)), expected, what);
}

Status CheckCall(const hal_function_t* function, size_t argument_count, const hal_value_t* arguments,
                 size_t result_count, const hal_value_t* results) {
  HAL_TRY(CheckNotNull("function", function));
  const hal_function_signature_t& signature = *function->signature;
  HAL_TRY(CheckCount(*function, "argument", argument_count, signature.argument_count));
  HAL_TRY(CheckCount(*function, "result", result_count, signature.result_count));
  if (argument_count > 0) HAL_TRY(CheckNotNull("arguments", arguments));
  return result_count > 0 ? CheckNotNull("results", results) : kOk;
}

}  // namespace
}  // namespace halyard

hal_status_t hal_executable_function(hal_executable_t* executable, uint32_t ordinal,
                                     const hal_function_t** out_function) {
  return halyard::Public([&] { return halyard::FindFunction(executable, ordinal, out_function); });
}

hal_status_t hal_executable_find_function(hal_executable_t* executable, hal_string_view_t name,
                                          const hal_function_t** out_function) {
  if (out_function) *out_function = nullptr;
  return halyard::Public([&] {
    uint32_t ordinal = 0;
    const halyard::Status status = halyard::FindExport(executable, name, &ordinal);
    if (status != halyard::kOk) return status;
    return halyard::FindFunction(executable, ordinal, out_function);
  });
}

const hal_function_signature_t* hal_function_signature(const hal_function_t* function) {
  return function ? function->signature : nullptr;
}

hal_status_t hal_function_call(const hal_function_t* function, size_t argument_count, const hal_value_t* arguments,
                               size_t result_count, hal_value_t* results) {
  return halyard::Public([&] {
    HAL_TRY(halyard::CheckCall(function, argument_count, arguments, result_count, results));
    return halyard::FromC(function->call(function, arguments, results));
  });
}
