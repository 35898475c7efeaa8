// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "msl/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "msl/files.h"

namespace halyard::msl_host {
namespace {

Argument Describe(const abi::ArgumentEntry& entry) {
  Argument argument{.name = entry.name,
                    .space = static_cast<AddressSpace>(entry.space),
                    .index = entry.index,
                    .writable = entry.writable && static_cast<AddressSpace>(entry.space) != AddressSpace::kConstant,
                    .data_size = entry.size,
                    .alignment = entry.alignment,
                    .members = {}};
  for (const abi::MemberEntry& member : std::span(entry.members.entries, entry.members.count)) {
    argument.members.push_back(
        {member.name, member.id, member.offset, member.size, member.alignment, member.pointer, member.writable});
  }
  return argument;
}

Kernel Describe(const abi::KernelEntry& entry) {
  Kernel kernel{entry.name, {}, entry.has_barriers};
  for (const abi::ArgumentEntry& argument : std::span(entry.arguments, entry.argument_count)) {
    kernel.arguments.push_back(Describe(argument));
  }
  return kernel;
}

const abi::LibraryEntry* Open(const std::filesystem::path& path, std::string* why) {
  // Where it is loaded already, the loader returns the same one.
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    *why = std::string("error: ") + dlerror() + "\n";
    return nullptr;
  }
  auto* const entry = reinterpret_cast<abi::Entry*>(dlsym(handle, HALYARD_MSL_ENTRY));
  if (entry != nullptr) return entry();
  *why = "error: '" + path.string() + "' is no compiled text\n";
  return nullptr;
}

// Gives a copy of the library its constants, once. Every program of a path has the same ones.
void Initialise(const abi::LibraryEntry& entry, std::span<const ConstantValue> values) {
  const std::atomic_ref<int> state(*entry.state);
  int expected = 0;
  if (!state.compare_exchange_strong(expected, 1)) {
    while (state.load() != 2) std::this_thread::yield();
    return;
  }
  *entry.host = &HostFunctions();
  for (const ConstantValue& value : values) {
    for (const abi::ConstantEntry& constant : std::span(entry.constants, entry.constant_count)) {
      if (constant.index != value.index) continue;
      std::memcpy(constant.value, value.bytes.data(), std::min(constant.size, value.bytes.size()));
      *constant.defined = true;
    }
  }
  entry.initialise();
  state.store(2);
}

class LoadedProgram : public Program {
 public:
  explicit LoadedProgram(const abi::LibraryEntry* entry) : entry_(*entry) {}

  void Run(std::string_view kernel, const Launch& launch) const override {
    const abi::KernelEntry* const entry = Find(kernel);
    if (entry == nullptr) throw std::invalid_argument("the library has no kernel '" + std::string(kernel) + "'");
    RunKernel(*entry, launch);
  }

  size_t ThreadgroupVariables(std::string_view kernel) const override {
    const abi::KernelEntry* const entry = Find(kernel);
    size_t bytes = 0;
    if (entry == nullptr) return bytes;
    for (const unsigned long* size : std::span(entry->variable_sizes, entry->variable_count)) bytes += *size;
    return bytes;
  }

 private:
  const abi::KernelEntry* Find(std::string_view kernel) const {
    for (const abi::KernelEntry& candidate : std::span(entry_.kernels, entry_.kernel_count)) {
      if (candidate.name == kernel) return &candidate;
    }
    return nullptr;
  }

  const abi::LibraryEntry& entry_;
};

class LoadedLibrary : public Library {
 public:
  LoadedLibrary(std::filesystem::path path, const abi::LibraryEntry* entry) : path_(std::move(path)), entry_(entry) {
    for (const abi::KernelEntry& kernel : std::span(entry->kernels, entry->kernel_count)) {
      kernels_.push_back(Describe(kernel));
    }
    for (const abi::ConstantEntry& constant : std::span(entry->constants, entry->constant_count)) {
      constants_.push_back({constant.name, constant.index, static_cast<ConstantType>(constant.type)});
    }
  }

  std::span<const Kernel> Kernels() const override { return kernels_; }
  std::span<const FunctionConstant> Constants() const override { return constants_; }

  std::shared_ptr<const Program> Specialise(std::span<const ConstantValue> values) const override {
    const std::vector<ConstantValue> known = Known(values);
    const abi::LibraryEntry* entry = known.empty() ? entry_ : OpenCopy(known);
    Initialise(*entry, known);
    return std::make_shared<LoadedProgram>(entry);
  }

 private:
  // The values of constants that the library has, in the order of their indices.
  std::vector<ConstantValue> Known(std::span<const ConstantValue> values) const {
    std::vector<ConstantValue> known;
    std::ranges::copy_if(values, std::back_inserter(known), [this](const ConstantValue& value) {
      return std::ranges::find(constants_, value.index, &FunctionConstant::index) != constants_.end();
    });
    std::ranges::stable_sort(known, {}, &ConstantValue::index);
    return known;
  }

  // The copy for these values: a file of its own, as the loader knows libraries by their files. It stays in the cache,
  // where debuggers and sanitizers find it.
  const abi::LibraryEntry* OpenCopy(std::span<const ConstantValue> values) const {
    std::string bytes;
    for (const ConstantValue& value : values) {
      bytes += std::to_string(value.index) + ":" + std::to_string(value.bytes.size()) + ":";
      bytes.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
    }
    const std::filesystem::path copy = path_.parent_path() / (path_.stem().string() + "-" + HashName({bytes}) + ".so");
    std::string why;
    const abi::LibraryEntry* entry = Open(copy, &why);
    if (entry != nullptr) return entry;
    const WorkFolder work(path_.parent_path());
    if (WriteFile(work / "copy.so", ReadFile(path_))) {
      std::error_code error;
      std::filesystem::rename(work / "copy.so", copy, error);
      entry = Open(copy, &why);
    }
    if (entry == nullptr) throw std::runtime_error("no copy of a library for its constants: " + why);
    return entry;
  }

  std::filesystem::path path_;
  const abi::LibraryEntry* entry_;
  std::vector<Kernel> kernels_;
  std::vector<FunctionConstant> constants_;
};

}  // namespace

std::shared_ptr<const Library> LoadLibrary(const std::filesystem::path& path, std::string* why) {
  const abi::LibraryEntry* const entry = Open(path, why);
  return entry != nullptr ? std::make_shared<LoadedLibrary>(path, entry) : nullptr;
}

}  // namespace halyard::msl_host
