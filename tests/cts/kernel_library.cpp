// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/kernel_library.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "cts/handles.h"
#include "cts/options.h"
#include "halyard/executable_targets.h"

namespace halyard::cts {
namespace {

/// Images of one kind that the build makes of a kernel set; their files are named cts_<set><ending>.
struct KernelFormat {
  const char* format;
  const char* target;  ///< empty if one image is for all devices that take the format
  const char* ending;
};

const KernelFormat kFormats[] = {
    {HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, "", ".so"},
    {"ptx", "", ".ptx"},
    {"hsaco", "gfx90a", ".gfx90a.hsaco"},
    {"hsaco", "gfx942", ".gfx942.hsaco"},
    {"hsaco", "gfx1100", ".gfx1100.hsaco"},
    {"spirv", "", ".spv"},
    {"metallib", "", ".metallib"},
    {"msl", "", ".metal"},
};

bool Takes(hal_device_t* device, const KernelFormat& format) {
  if (hal_device_query_format(device, View(format.format)) != HAL_STATUS_OK) return false;
  if (!*format.target) return true;
  const void* table = nullptr;
  const hal_string_view_t name = View(HAL_EXECUTABLE_TARGETS_INTERFACE);
  if (hal_device_query_interface(device, name, 1, &table) != HAL_STATUS_OK) return false;
  const auto* const targets = static_cast<const hal_executable_targets_interface_t*>(table);
  uint32_t rank = 0;
  return targets->rank(device, View(format.format), View(format.target), &rank) == HAL_STATUS_OK;
}

std::string PathOf(const KernelFormat& format, std::string_view set) {
  return options().kernels + "/cts_" + std::string(set) + format.ending;
}

bool IsReadable(const std::string& path) { return std::ifstream(path).good(); }

/// The first format that the device takes and the build has made; NULL, with what was tried, if there is none.
const KernelFormat* FindFormat(hal_device_t* device, const KernelSet& set, std::string* tried) {
  for (const KernelFormat& format : kFormats) {
    const bool is_host = std::string_view(format.format) == HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT;
    if (set.only_host && !is_host) continue;
    if (Takes(device, format)) {
      if (IsReadable(PathOf(format, set.name))) return &format;
      *tried += " (" + PathOf(format, set.name) + " is missing)";
    }
    *tried += std::string(" ") + format.format;
    if (*format.target) *tried += std::string("/") + format.target;
  }
  return nullptr;
}

const KernelFormat& FormatOf(hal_device_t* device, std::string_view set) {
  std::string tried;
  const KernelFormat* const format = FindFormat(device, FindKernelSet(set), &tried);
  if (!format) throw std::runtime_error("the device takes no image of kernel set " + std::string(set) + ":" + tried);
  return *format;
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

bool HasKernels(hal_device_t* device, std::string_view set) {
  const uint32_t most_constants = hal_device_info(device)->limits->max_constants_size;
  for (const KernelExport& kernel : FindKernelSet(set).exports) {
    if (kernel.constants_size > most_constants) return false;
  }
  std::string tried;
  return FindFormat(device, FindKernelSet(set), &tried) != nullptr;
}

KernelSource::KernelSource(hal_device_t* device, std::string_view set) {
  const KernelFormat& format = FormatOf(device, set);
  format_ = format.format;
  path_ = PathOf(format, set);
  params_.format = View(format_);
  params_.path = View(path_);
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
