// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the host's code of a device image in a folder that the build fills. For the name of each image (ImageName) it
// holds a shared object with the same kernels (halyard/local_kernel.h), <name>.so, and a text that says how their
// parameters are passed (host_code/kernel_code.h), <name>.kernels.
#ifndef HALYARD_TESTS_SIM_HOST_CODE_HOST_CODE_H_
#define HALYARD_TESTS_SIM_HOST_CODE_HOST_CODE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/dynamic_library.h"
#include "host_code/kernel_code.h"

namespace halyard::sim {

class HostCode {
 public:
  // Loads a copy: each module has its own variables. Null if the folder has no code of that name, or code that cannot
  // be loaded; `why` has the message.
  static std::shared_ptr<const HostCode> Load(const std::string& folder, const std::string& name, std::string* why);

  // Code that the simulation has itself.
  static std::shared_ptr<const HostCode> Of(std::vector<KernelCode> kernels);

  const std::vector<KernelCode>& kernels() const { return kernels_; }
  const KernelCode* Find(const std::string& name) const;
  // A variable and its size in bytes; null if there is none.
  std::pair<void*, uint64_t> Variable(const std::string& name) const;

 private:
  bool Bind(const std::string& path, std::string* why);

  DynamicLibrary library_;
  std::vector<KernelCode> kernels_;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_HOST_CODE_HOST_CODE_H_
