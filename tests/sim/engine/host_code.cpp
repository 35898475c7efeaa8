// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/host_code.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace halyard::sim {
namespace {

// One line of the text; false if it is none.
bool ParseLine(const std::string& line, std::vector<KernelCode>* kernels) {
  std::istringstream words(line);
  std::string key;
  words >> key;
  if (key == "kernel") {
    KernelCode& kernel = kernels->emplace_back();
    words >> kernel.name >> kernel.symbol;
    return !words.fail();
  }
  if (kernels->empty()) return false;
  KernelCode& kernel = kernels->back();
  if (key == "workgroup") {
    words >> kernel.workgroup[0] >> kernel.workgroup[1] >> kernel.workgroup[2];
  } else if (key == "local") {
    words >> kernel.local_memory;
  } else if (key == "constants") {
    words >> kernel.constants_size;
  } else if (key == "binding") {
    KernelParameter& binding = kernel.parameters.emplace_back(KernelParameter{true, 0, 8});
    words >> binding.place;
    kernel.binding_count = std::max(kernel.binding_count, binding.place + 1);
  } else if (key == "constant") {
    KernelParameter& constant = kernel.parameters.emplace_back();
    words >> constant.place >> constant.size;
    if (uint64_t{constant.place} + constant.size > kernel.constants_size) return false;
  } else {
    return false;
  }
  return !words.fail();
}

// Copies a file to memory; -1 if that fails.
int CopyToMemory(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat status = {};
  int copy = fstat(file, &status) == 0 && status.st_size > 0 ? memfd_create("halyard-sim", MFD_CLOEXEC) : -1;
  if (copy >= 0 && sendfile(copy, file, nullptr, static_cast<size_t>(status.st_size)) != status.st_size) {
    close(copy);
    copy = -1;
  }
  close(file);
  return copy;
}

}  // namespace

HostCode::~HostCode() {
  if (library_ != nullptr) dlclose(library_);
  if (copy_ >= 0) close(copy_);
}

std::vector<ParameterPlace> NaturalLayout(const KernelCode& kernel) {
  std::vector<ParameterPlace> layout;
  size_t end = 0;
  for (const KernelParameter& parameter : kernel.parameters) {
    const size_t alignment = std::clamp<size_t>(parameter.size & (~parameter.size + 1), 1, 16);
    const size_t offset = (end + alignment - 1) / alignment * alignment;
    layout.push_back({offset, parameter.size});
    end = offset + parameter.size;
  }
  return layout;
}

std::string ImageName(std::span<const std::byte> image) {
  const XXH128_hash_t hash = XXH3_128bits(image.data(), image.size());
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

std::string KernelText(const KernelCode& kernel) {
  std::ostringstream text;
  text << "kernel " << kernel.name << " " << kernel.symbol << "\nworkgroup " << kernel.workgroup[0] << " "
       << kernel.workgroup[1] << " " << kernel.workgroup[2] << "\nlocal " << kernel.local_memory << "\nconstants "
       << kernel.constants_size << "\n";
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.is_binding) {
      text << "binding " << parameter.place << "\n";
    } else {
      text << "constant " << parameter.place << " " << parameter.size << "\n";
    }
  }
  return text.str();
}

std::optional<std::vector<KernelCode>> ParseKernels(const std::string& text, std::string* why) {
  std::vector<KernelCode> kernels;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || ParseLine(line, &kernels)) continue;
    *why = "'" + line + "' is no line about a kernel";
    return std::nullopt;
  }
  return kernels;
}

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
  copy_ = CopyToMemory(path);
  if (copy_ < 0) {
    *why = "'" + path + "' cannot be copied to memory: " + std::strerror(errno);
    return false;
  }
  // The loader knows libraries by their paths and their files. No other copy has this path while this one is open.
  library_ = dlopen(("/proc/self/fd/" + std::to_string(copy_)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    *why = path + ": " + dlerror();
    return false;
  }
  for (KernelCode& kernel : kernels_) {
    kernel.run = reinterpret_cast<hal_local_kernel_fn_t>(dlsym(library_, kernel.symbol.c_str()));
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

std::pair<void*, size_t> HostCode::Variable(const std::string& name) const {
  void* address = dlsym(library_, name.c_str());
  Dl_info info;
  void* symbol = nullptr;
  if (address == nullptr) return {nullptr, 0};
  if (dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr) {
    return {nullptr, 0};
  }
  return {address, static_cast<const ElfW(Sym)*>(symbol)->st_size};
}

}  // namespace halyard::sim
