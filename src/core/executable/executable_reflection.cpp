// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/executable_reflection.h"

#include "base/log.h"
#include "image/reflection/reflection.h"

namespace halyard {
namespace {

HostString Subject(const char* function, hal_string_view_t path) {
  HostString subject = HostString(function) + ": ";
  if (path.size > 0) subject.append("'").append(View(path)).append("': ");
  return subject;
}

/// An image that tells nothing is not malformed: its caller has to say what it exports.
Status AskForList(Status status) {
  if (status != HAL_STATUS_NOT_FOUND) return status;
  const HostString told(LastErrorMessage());
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s; give the list in params->exports", told.c_str());
}

HostString ObstacleText(const ReflectedKernel& kernel) {
  return "kernel '" + kernel.name + "' cannot be called: " + kernel.obstacle;
}

}  // namespace

Status ExecutableReflection::Resolve(const char* function, hal_executable_params_t* params) {
  if (params->export_count > 0 || !CanReflect(View(params->format))) return kOk;
  const HostString subject = Subject(function, params->path);
  if (Status status = Load(params); status != kOk) return Annotate(status, HostString(function) + ": ");
  const Bytes image(static_cast<const std::byte*>(params->data), params->data_size);
  if (Status status = Reflect(View(params->format), image, &image_); status != kOk) {
    return Annotate(AskForList(status), subject);
  }
  exports_ = ExportsOf(image_, View(params->format));
  return Annotate(TakeExports(params), subject);
}

Status ExecutableReflection::Load(hal_executable_params_t* params) {
  if (params->data) return kOk;
  const HostString path(View(params->path));
  HAL_TRY(ReadFile(path.c_str(), &file_));
  params->data = file_.data();
  params->data_size = file_.size();
  params->path = {nullptr, 0};
  return kOk;
}

Status ExecutableReflection::TakeExports(hal_executable_params_t* params) {
  HostString obstacles;
  for (const ReflectedKernel& kernel : image_.kernels) {
    if (kernel.obstacle.empty()) continue;
    obstacles += "; " + ObstacleText(kernel);
    Log(HAL_LOG_LEVEL_WARNING, ObstacleText(kernel));
  }
  if (exports_.list.empty()) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "the image has no kernel to call%s", obstacles.c_str());
  }
  params->exports = exports_.list.data();
  params->export_count = exports_.list.size();
  return kOk;
}

}  // namespace halyard
