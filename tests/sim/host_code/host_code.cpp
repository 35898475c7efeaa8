// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_code/host_code.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>

#include "base/file/file_contents.h"
#include "base/status.h"
#include "image/shared_object/open_image.h"

namespace halyard::sim {

std::shared_ptr<const HostCode> HostCode::Of(std::vector<KernelCode> kernels) {
  const auto code = std::make_shared<HostCode>();
  code->kernels_ = std::move(kernels);
  return code;
}

std::shared_ptr<const HostCode> HostCode::Load(const std::string& folder, const std::string& name, std::string* why) {
  const std::string path = folder + "/" + name;
  std::ifstream file(path + ".kernels");
  if (folder.empty() || !file) {
    *why = folder.empty() ? "HALYARD_SIM_KERNELS names no folder" : "there is no " + path + ".kernels";
    return nullptr;
  }
  std::ostringstream text;
  text << file.rdbuf();
  auto kernels = ParseKernels(text.str(), why);
  if (!kernels) return nullptr;
  const auto code = std::make_shared<HostCode>();
  code->kernels_ = std::move(*kernels);
  return code->Bind(path + ".so", why) ? code : nullptr;
}

bool HostCode::Bind(const std::string& path, std::string* why) {
  std::vector<std::byte> image;
  Failure failure(ReadFile(path.c_str(), &image));
  if (!failure) failure = Failure(OpenImage(image, &library_));
  if (failure) {
    *why = path + ": " + std::string(failure.message());
    return false;
  }
  for (KernelCode& kernel : kernels_) {
    kernel.run = reinterpret_cast<hal_local_kernel_fn_t>(library_.Find(kernel.symbol.c_str()));
    if (kernel.run != nullptr) continue;
    *why = path + " has no function '" + kernel.symbol + "'";
    return false;
  }
  return true;
}

const KernelCode* HostCode::Find(const std::string& name) const {
  const auto found = std::ranges::find(kernels_, name, &KernelCode::name);
  return found == kernels_.end() ? nullptr : &*found;
}

std::pair<void*, uint64_t> HostCode::Variable(const std::string& name) const {
  void* address = nullptr;
  uint64_t size = 0;
  if (!Succeeds(library_.FindVariable(name.c_str(), &address, &size))) return {nullptr, 0};
  return {address, size};
}

}  // namespace halyard::sim
