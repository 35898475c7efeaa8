// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/source_image.h"

#include "base/application_call.h"
#include "base/file/file_contents.h"
#include "core/validation/checks.h"
#include "driver_kit/object/vtable.h"
#include "halyard/source_compiler.h"

namespace halyard {
namespace {

const hal_source_compiler_interface_t* FindCompiler(hal_device_t* device, std::string_view format) {
  const void* table = nullptr;
  const hal_string_view_t name = hal_string_view(HAL_SOURCE_COMPILER_INTERFACE);
  if (!Succeeds(FromC(VtableOf(device)->query_interface(device, name, 1, &table)))) return nullptr;
  const auto* const compiler = static_cast<const hal_source_compiler_interface_t*>(table);
  return View(compiler->format) == format ? compiler : nullptr;
}

Status CheckTexts(const char* list, size_t count, const hal_string_view_t* texts) {
  if (count == 0) return kOk;
  if (!texts) return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->compile->%s is NULL", list);
  for (size_t i = 0; i < count; ++i) {
    if (View(texts[i]).find('\0') == std::string_view::npos && !View(texts[i]).empty()) continue;
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->compile->%s[%zu] is empty or holds a zero byte", list, i);
  }
  return kOk;
}

Status CheckCompile(const hal_compile_params_t& params) {
  HAL_TRY(CheckTexts("options", params.option_count, params.options));
  HAL_TRY(CheckText("params->compile->name", params.name));
  if (params.header_count == 0) return kOk;
  HAL_TRY(CheckNotNull("params->compile->headers", params.headers));
  for (size_t i = 0; i < params.header_count; ++i) {
    HAL_TRY(CheckTexts("headers", 1, &params.headers[i].name));
    HAL_TRY(CheckText("params->compile->headers[i].source", params.headers[i].source));
  }
  return kOk;
}

/// The application's log, for drivers: what it throws reaches none of them.
void CallLog(void* user_data, hal_string_view_t log) {
  const auto& params = *static_cast<const hal_compile_params_t*>(user_data);
  CallApplicationUntold("a compiler's log", [&] { params.log(params.log_user_data, log); });
}

}  // namespace

Status SourceImage::Resolve(hal_device_t* device, hal_executable_params_t* params) {
  const hal_source_compiler_interface_t* const compiler = FindCompiler(device, View(params->format));
  if (!compiler) {
    if (!params->compile) return kOk;
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "params->compile is for sources that the device has compiled, such as 'cuda-source', not '%.*s'",
                HALYARD_SV(View(params->format)));
  }
  hal_compile_params_t given = HAL_INIT(hal_compile_params_t);
  if (params->compile) HAL_TRY(ReadStruct("params->compile", params->compile, &given));
  HAL_TRY(CheckCompile(given));
  hal_compile_params_t compile = given;
  compile.log = given.log ? CallLog : nullptr;
  compile.log_user_data = &given;
  if (!params->data) {
    const HostString path(View(params->path));
    HAL_TRY(ReadFile(path.c_str(), &file_));
    params->data = file_.data();
    params->data_size = file_.size();
    if (compile.name.size == 0) compile.name = params->path;
    params->path = {nullptr, 0};
  }
  const hal_string_view_t source = {static_cast<const char*>(params->data), params->data_size};
  const auto take = [](void* self, hal_string_view_t format, const void* data, size_t size) {
    auto* const image = static_cast<SourceImage*>(self);
    image->failure_ = Failure(Guard([&] {
      const auto* const bytes = static_cast<const std::byte*>(data);
      image->image_.assign(bytes, bytes + size);
      image->format_ = View(format);
      return kOk;
    }));
  };
  HAL_TRY(FromC(compiler->compile(device, source, &compile, take, this)));
  if (failure_) return failure_.Take();
  params->format = ToC(format_);
  params->data = image_.data();
  params->data_size = image_.size();
  params->compile = nullptr;
  return kOk;
}

}  // namespace halyard
