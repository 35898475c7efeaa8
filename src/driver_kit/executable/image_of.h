// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The image of an executable that is made.
#ifndef HALYARD_DRIVER_KIT_EXECUTABLE_IMAGE_OF_H_
#define HALYARD_DRIVER_KIT_EXECUTABLE_IMAGE_OF_H_

#include <cstddef>
#include <span>

#include "base/file/file_contents.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/executable.h"

namespace halyard {

/// Calls `load` with the image: the caller's bytes, or those of the file, which go afterwards. A failure names the
/// file.
template <class Load>
Status WithImage(const hal_executable_params_t& params, Load&& load) {
  if (params.data) return load(std::span(static_cast<const std::byte*>(params.data), params.data_size));
  const HostString path(View(params.path));
  HostVector<std::byte> image;
  HAL_TRY(ReadFile(path.c_str(), &image));
  return Annotate(load(std::span<const std::byte>(image)), HostString("'") + path + "': ");
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_EXECUTABLE_IMAGE_OF_H_
