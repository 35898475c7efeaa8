// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of the suite. Tests name a kernel set and its exports; which format a device takes, and which file holds
// the set in that format, is known here alone.
#ifndef HALYARD_TESTS_CTS_KERNEL_LIBRARY_H_
#define HALYARD_TESTS_CTS_KERNEL_LIBRARY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/halyard.h"

namespace halyard::cts {

/// What a kernel takes, in every format.
struct KernelExport {
  std::string name;
  std::vector<hal_parameter_t> parameters;
  uint32_t constants_size = 0;
  hal_dim3_t workgroup_size = {1, 1, 1};
  uint32_t local_memory_size = 0;
};

/// Kernels that are compiled together: one file in kernels/.
struct KernelSet {
  std::string name;
  std::vector<KernelExport> exports;
  bool only_host = false;  ///< written in C, for shared objects of the host alone
};

/// Every set of the suite (the table is in kernel_sets.cpp).
const std::vector<KernelSet>& KernelSets();
/// A set by name; throws if there is none.
const KernelSet& FindKernelSet(std::string_view name);

/// Whether the suite has this set in a format that the device takes, and the device takes so many constants. Some sets
/// are for the host alone.
bool HasKernels(hal_device_t* device, std::string_view set);

/// A kernel set in the format of one device, ready for hal_executable_create().
class KernelSource {
 public:
  /// Throws if the device takes no format that the suite has these kernels in.
  KernelSource(hal_device_t* device, std::string_view set);
  KernelSource(const KernelSource&) = delete;
  KernelSource& operator=(const KernelSource&) = delete;

  /// The image as a file; points into this object.
  const hal_executable_params_t& params() const { return params_; }
  const std::string& format() const { return format_; }
  const std::string& path() const { return path_; }
  /// The image itself.
  std::vector<unsigned char> ReadImage() const;

 private:
  std::string format_;
  std::string path_;
  std::vector<hal_export_info_t> exports_;
  hal_executable_params_t params_ = HAL_INIT(hal_executable_params_t);
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_KERNEL_LIBRARY_H_
