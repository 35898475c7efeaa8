// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/kernel_library.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "cts/handles.h"
#include "cts/options.h"

namespace halyard::cts {
namespace {

/// A format that the suite has kernels in.
struct KernelFormat {
  const char* format;
  bool needs_exports;  ///< the image does not describe its entry points itself
  std::string (*file_of)(std::string_view set);
};

const KernelFormat kFormats[] = {
    {HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, true, [](std::string_view) { return std::string("cts_kernels.so"); }},
};

const KernelFormat& FormatOf(hal_device_t* device) {
  std::string tried;
  for (const KernelFormat& format : kFormats) {
    if (hal_device_query_format(device, View(format.format)) == HAL_STATUS_OK) return format;
    tried += std::string(" ") + format.format;
  }
  throw std::runtime_error("the device takes none of the formats that the suite has kernels in:" + tried);
}

hal_export_info_t Describe(const KernelExport& kernel) {
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = View(kernel.name);
  info.workgroup_size = kernel.workgroup_size;
  info.local_memory_size = kernel.local_memory_size;
  info.constants_size = kernel.constants_size;
  info.parameter_count = static_cast<uint32_t>(kernel.parameters.size());
  info.parameters = kernel.parameters.data();
  return info;
}

}  // namespace

const KernelSet& FindKernelSet(std::string_view name) {
  for (const KernelSet& set : KernelSets()) {
    if (set.name == name) return set;
  }
  throw std::runtime_error("no kernel set is named " + std::string(name));
}

KernelSource::KernelSource(hal_device_t* device, std::string_view set) {
  const KernelFormat& format = FormatOf(device);
  format_ = format.format;
  path_ = options().kernels + "/" + format.file_of(set);
  params_.format = View(format_);
  params_.path = View(path_);
  if (!format.needs_exports) return;
  for (const KernelExport& kernel : FindKernelSet(set).exports) exports_.push_back(Describe(kernel));
  params_.exports = exports_.data();
  params_.export_count = exports_.size();
}

std::vector<unsigned char> KernelSource::ReadImage() const {
  std::ifstream file(path_, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path_);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace halyard::cts
