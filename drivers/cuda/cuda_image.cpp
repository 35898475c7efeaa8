// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable images: which fit the device, how they are loaded, what is in them.
#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstring>

#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

constexpr std::string_view kPtx = "ptx";
constexpr std::string_view kCubin = "cubin";
constexpr std::string_view kFatbin = "fatbin";

constexpr size_t kLogSize = 8192;  // bytes
// What every ELF file begins with; a cubin is one.
constexpr size_t kElfHeaderSize = 64;  // bytes
constexpr std::array<unsigned char, 4> kElfMagic = {0x7F, 'E', 'L', 'F'};

abi::Function Native(stream::NativeFunction handle) { return reinterpret_cast<abi::Function>(handle); }
abi::Module Native(stream::NativeModule handle) { return reinterpret_cast<abi::Module>(handle); }

// "sm_90", "sm_90a" and "compute_90" as 90. 'a' and 'f' mark code that runs on no later chip.
bool ParseTarget(std::string_view target, int* out_capability, bool* out_specific) {
  for (const std::string_view prefix : {std::string_view("sm_"), std::string_view("compute_")}) {
    if (!target.starts_with(prefix)) continue;
    target.remove_prefix(prefix.size());
    const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), *out_capability);
    const std::string_view suffix(end, static_cast<size_t>(target.data() + target.size() - end));
    *out_specific = suffix == "a" || suffix == "f";
    return error == std::errc() && (suffix.empty() || *out_specific);
  }
  return false;
}

Status CheckElf(std::span<const std::byte> image) {
  const bool whole = image.size() >= kElfHeaderSize;
  if (whole && std::memcmp(image.data(), kElfMagic.data(), kElfMagic.size()) == 0) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "the image of %zu bytes is no cubin: it does not begin as an ELF file does",
              image.size());
}

/// A compiler's log, trimmed of empty lines.
class JitLog {
 public:
  std::string_view text() const {
    std::string_view text(text_.data(), strnlen(text_.data(), text_.size()));
    while (!text.empty() && std::strchr("\r\n ", text.back())) text.remove_suffix(1);
    return text;
  }
  char* data() { return text_.data(); }

 private:
  std::array<char, kLogSize> text_{};
};

}  // namespace

Status CudaApi::RankImage(std::string_view format, std::string_view target, uint32_t* out_rank) {
  const bool machine_code = format == kCubin;
  if (!machine_code && format != kPtx && format != kFatbin) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "the cuda driver takes executables of format 'cubin', 'fatbin' or 'ptx', not '%.*s'",
                HALYARD_SV(format));
  }
  *out_rank = machine_code ? 0 : 1000;
  if (target.empty()) return kOk;
  int capability = 0;
  bool specific = false;
  if (!ParseTarget(target, &capability, &specific)) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the target '%.*s' is no CUDA architecture such as 'sm_80'",
                HALYARD_SV(target));
  }
  // Machine code runs on its own chip and later minor versions of it; PTX on every later chip.
  const bool same_major = capability / 10 == compute_capability_ / 10;
  const bool fits =
      specific ? capability == compute_capability_ : capability <= compute_capability_ && (!machine_code || same_major);
  if (!fits) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "it is for '%.*s', and the device is 'sm_%d'", HALYARD_SV(target),
                compute_capability_);
  }
  *out_rank += static_cast<uint32_t>(compute_capability_ - capability);
  return kOk;
}

Status CudaApi::LoadModule(std::string_view format, std::span<const std::byte> image,
                           stream::NativeModule* out_module) {
  if (format == kCubin) {
    if (Status status = CheckElf(image); status != kOk) return status;
  }
  // PTX is text that ends in a zero byte.
  HostString text(reinterpret_cast<const char*>(image.data()), image.size());
  JitLog log;
  std::array<abi::JitOption, 2> options = {abi::JitOption::kErrorLogBuffer, abi::JitOption::kErrorLogBufferSizeBytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(kLogSize - 1)};
  abi::Module module = nullptr;
  const abi::Result result = cuda_.ModuleLoadDataEx(&module, text.c_str(), static_cast<unsigned int>(options.size()),
                                                    options.data(), values.data());
  if (result == abi::Result::kSuccess) {
    *out_module = reinterpret_cast<stream::NativeModule>(module);
    return kOk;
  }
  const Status status = cuda_.Check("ModuleLoadDataEx", result);
  if (log.text().empty()) return status;
  const HostString message(LastErrorMessage());
  return Fail(status, "%s; the compiler says: %.*s", message.c_str(), HALYARD_SV(log.text()));
}

void CudaApi::UnloadModule(stream::NativeModule module) { static_cast<void>(cuda_.ModuleUnload(Native(module))); }

Status CudaApi::FindFunction(stream::NativeModule module, const char* symbol, stream::NativeFunction* out_function) {
  abi::Function function = nullptr;
  const abi::Result result = cuda_.ModuleGetFunction(&function, Native(module), symbol);
  if (result == abi::Result::kErrorNotFound) {
    return Fail(HAL_STATUS_NOT_FOUND, "the image has no kernel '%s'", symbol);
  }
  *out_function = reinterpret_cast<stream::NativeFunction>(function);
  return cuda_.Check("ModuleGetFunction", result);
}

Status CudaApi::DescribeFunction(stream::NativeFunction function, stream::NativeFunctionInfo* out_info) {
  using A = abi::FunctionAttribute;
  int volume = 0;
  int local = 0;
  const abi::Function native = Native(function);
  Status status = HALYARD_CUDA(cuda_, FuncGetAttribute, (&volume, A::kMaxThreadsPerBlock, native));
  if (status == kOk) status = HALYARD_CUDA(cuda_, FuncGetAttribute, (&local, A::kSharedSizeBytes, native));
  out_info->max_workgroup_volume = static_cast<uint32_t>(volume);
  out_info->local_memory_size = static_cast<uint32_t>(local);
  return status;
}

Status CudaApi::ParameterSize(stream::NativeFunction function, uint32_t index, uint64_t* out_size) {
  if (!cuda_.FuncGetParamInfo) return FailWith(HAL_STATUS_UNIMPLEMENTED, "the CUDA driver does not tell parameters");
  size_t offset = 0;
  size_t size = 0;
  const abi::Result result = cuda_.FuncGetParamInfo(Native(function), index, &offset, &size);
  *out_size = size;
  // Past the last one the index is an invalid value.
  if (result == abi::Result::kErrorInvalidValue) {
    return Fail(HAL_STATUS_NOT_FOUND, "the kernel has no parameter %" PRIu32, index);
  }
  return cuda_.Check("FuncGetParamInfo", result);
}

Status CudaApi::AllowDynamicLocalMemory(stream::NativeFunction function, uint32_t bytes) {
  return HALYARD_CUDA(cuda_, FuncSetAttribute,
                      (Native(function), abi::FunctionAttribute::kMaxDynamicSharedSizeBytes, static_cast<int>(bytes)));
}

}  // namespace halyard::cuda
