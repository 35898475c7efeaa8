// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable images: which fit the device, how they are loaded, what is in them.
#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstring>

#include "base/text/byte_order_mark.h"
#include "cuda/cuda_api.h"
#include "cuda/cuda_jit.h"

namespace halyard::cuda {
namespace {

constexpr std::string_view kPtx = "ptx";
constexpr std::string_view kCubin = "cubin";
constexpr std::string_view kFatbin = "fatbin";

/// The chips that code runs on.
struct Target {
  enum class Kind {
    kPortable,  ///< the chip that it names and later ones
    kFamily,    ///< "sm_100f": the chip, and later ones of its family
    kChip,      ///< "sm_90a": the chip alone
  };
  int capability = 0;
  Kind kind = Kind::kPortable;
};

// "sm_90", "sm_90a" and "compute_90" as 90. Families came with capability 10.0.
bool ParseTarget(std::string_view target, Target* out) {
  constexpr int kFirstFamily = 100;
  for (const std::string_view prefix : {std::string_view("sm_"), std::string_view("compute_")}) {
    if (!target.starts_with(prefix)) continue;
    target.remove_prefix(prefix.size());
    const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), out->capability);
    const std::string_view suffix(end, static_cast<size_t>(target.data() + target.size() - end));
    if (suffix == "a") out->kind = Target::Kind::kChip;
    if (suffix == "f") out->kind = Target::Kind::kFamily;
    const bool is_suffix = suffix.empty() || suffix == "a" || (suffix == "f" && out->capability >= kFirstFamily);
    return error == std::errc() && out->capability > 0 && is_suffix;
  }
  return false;
}

// Chips of one major version are a family. 10.1, which CUDA 13 calls 11.0, is one by itself (CUDA's programming guide,
// "Family-specific features").
int FamilyOf(int capability) { return capability == 101 ? capability : capability / 10; }

// Machine code runs on its own chip and later minor versions of it; PTX on every later chip.
bool Fits(const Target& target, bool machine_code, int device) {
  switch (target.kind) {
    case Target::Kind::kChip:
      return target.capability == device;
    case Target::Kind::kFamily:
      return target.capability <= device && FamilyOf(target.capability) == FamilyOf(device);
    default:
      return target.capability <= device && (!machine_code || target.capability / 10 == device / 10);
  }
}

/// The newest version of PTX that a driver compiles, times 10; 0 for drivers of which it is unknown. CUDA's table of
/// PTX ISA releases: 7.x came with 11.x, 8.x with 12.x (none with 12.6), 9.x with 13.x.
uint32_t NewestPtx(int api_version) {
  const int major = api_version / 1000;
  const int minor = api_version % 1000 / 10;
  if (major < 11 || major > 13) return 0;
  const bool behind = major == 12 && minor > 5;
  return static_cast<uint32_t>(10 * (major - 4) + minor - (behind ? 1 : 0));
}

Status CheckPtxVersion(int api_version, const ImageKind& image) {
  if (image.format != kPtx || image.isa_version == 0) return kOk;
  const uint32_t newest = NewestPtx(api_version);
  if (newest == 0 || image.isa_version <= newest) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "it is PTX %u.%u, and the device's driver compiles PTX up to %u.%u",
              image.isa_version / 10, image.isa_version % 10, newest / 10, newest % 10);
}

}  // namespace

Status CudaApi::RankImage(const ImageKind& image, uint32_t* out_rank) {
  const bool machine_code = image.format == kCubin;
  if (image.format == HAL_EXECUTABLE_FORMAT_CUDA_SOURCE) {  // after all that is compiled already
    *out_rank = 2000;
    return kOk;
  }
  if (!machine_code && image.format != kPtx && image.format != kFatbin) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "the cuda driver takes executables of format 'cubin', 'fatbin', 'ptx' or 'cuda-source', not '%.*s'",
                HALYARD_SV(image.format));
  }
  *out_rank = machine_code ? 0 : 1000;
  HAL_TRY(CheckPtxVersion(api_version_, image));
  if (image.target.empty()) return kOk;
  Target target;
  if (!ParseTarget(image.target, &target)) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the target '%.*s' is no CUDA architecture such as 'sm_80'",
                HALYARD_SV(image.target));
  }
  if (!Fits(target, machine_code, compute_capability_)) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "it is for '%.*s', and the device is 'sm_%d'", HALYARD_SV(image.target),
                compute_capability_);
  }
  *out_rank += static_cast<uint32_t>(compute_capability_ - target.capability);
  return kOk;
}

Status CudaApi::LoadModule(std::string_view format, std::span<const std::byte> image, const hal_blob_store_t* blobs,
                           NativeModule* out_module) {
  if (format == kCubin) HAL_TRY(CheckCubin(image));
  if (format == kFatbin) HAL_TRY(CheckFatbin(image));
  if (format != kPtx) return LoadImage(image.data(), out_module);
  // PTX is text that ends in a zero byte, which an image may have already. Its compiler takes no byte order mark.
  const auto* const begin = reinterpret_cast<const char*>(image.data());
  const HostString text(WithoutByteOrderMark(std::string_view(begin, strnlen(begin, image.size()))));
  return blobs ? LoadPtx(text, *blobs, out_module) : LoadImage(text.c_str(), out_module);
}

Status CudaApi::LoadImage(const void* image, NativeModule* out_module) {
  const Exemption exempt(library_);
  JitLog log;
  CUmodule module = nullptr;
  const CUresult result = library_.cuModuleLoadDataEx(&module, image, JitLog::kOptions, log.options(), log.values());
  *out_module = reinterpret_cast<NativeModule>(module);
  return log.Explain(library_.Check("cuModuleLoadDataEx", result));
}

Status CudaApi::ParameterSize(NativeModule /*module*/, NativeFunction function, uint32_t index, uint64_t* out_size) {
  const Exemption exempt(library_);  // CUDA may load the code only now
  if (!library_.cuFuncGetParamInfo)
    return FailWith(HAL_STATUS_UNIMPLEMENTED, "the CUDA driver does not tell parameters");
  size_t offset = 0;
  size_t size = 0;
  const CUresult result = library_.cuFuncGetParamInfo(Native(function), index, &offset, &size);
  *out_size = size;
  // Past the last one the index is an invalid value.
  if (result == CUDA_ERROR_INVALID_VALUE) {
    return Fail(HAL_STATUS_NOT_FOUND, "the kernel has no parameter %" PRIu32, index);
  }
  return library_.Check("cuFuncGetParamInfo", result);
}

Status CudaApi::AllowDynamicLocalMemory(NativeFunction function, uint32_t bytes) {
  const Exemption exempt(library_);  // CUDA may load the code only now
  return HALYARD_CUDA(library_, cuFuncSetAttribute,
                      (Native(function), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)));
}

}  // namespace halyard::cuda
