// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/nvidia/cubin_reflection.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "function/parameter_checks.h"
#include "image/halx/container_contents.h"
#include "image/reflection/names/parameter_rules.h"
#include "image/shared_object/elf_reader.h"

namespace halyard {
namespace {

constexpr uint16_t kMachineCuda = 190;      // EM_CUDA
constexpr uint8_t kFunctionSymbol = 2;      // STT_FUNC
constexpr uint8_t kEntrySymbol = 0x10;      // in st_other: a kernel, not a function of the device
constexpr uint32_t kReservedShared = 1024;  // bytes that the driver takes of each workgroup's, from sm_90 on

// Attributes of .nv.info, each {format, attribute, 16 bits of value, or of the length of what follows}.
enum class Format : uint8_t { kNone = 1, kByte = 2, kHalf = 3, kSized = 4 };
constexpr uint8_t kMaxThreads = 0x05;       // 3 numbers
constexpr uint8_t kRequiredThreads = 0x10;  // 3 numbers
constexpr uint8_t kParameterInfo = 0x17;    // see ParameterInfo
constexpr uint8_t kParametersSize = 0x19;   // bytes of all parameters, as the value
constexpr uint8_t kClusterSize = 0x3d;      // 3 numbers
constexpr uint8_t kParameterInfoSize = 12;

struct Attribute {
  uint8_t number;
  uint16_t value;
  Bytes contents;  // of sized ones
};

struct ParameterInfo {
  uint16_t ordinal;
  uint16_t offset;
  uint32_t size;    // bytes
  bool is_pointer;  // known for those that had .ptr: what they point to is aligned, or in a known state space
};

ParameterInfo ReadParameterInfo(Bytes contents) {
  const auto bits = ReadUint<uint32_t>(contents, 8);
  return {ReadUint<uint16_t>(contents, 4), ReadUint<uint16_t>(contents, 6), bits >> 18, (bits & 0xfff) != 0};
}

// What is marked as constant memory looks like global memory here.
bool PointsToShared(Bytes contents) {
  constexpr uint32_t kSharedSpace = 2;
  return (ReadUint<uint32_t>(contents, 8) >> 8 & 0xf) == kSharedSpace;
}

/// Goes through the attributes of one section.
class AttributeReader {
 public:
  explicit AttributeReader(Bytes section) : section_(section) {}

  bool IsAtEnd() const { return at_ == section_.size(); }

  Status Next(Attribute* out_attribute) {
    if (!IsInside(section_, at_, 4)) return Malformed("is cut short");
    const auto format = ReadUint<uint8_t>(section_, at_);
    *out_attribute = {ReadUint<uint8_t>(section_, at_ + 1), ReadUint<uint16_t>(section_, at_ + 2), {}};
    if (format < static_cast<uint8_t>(Format::kNone) || format > static_cast<uint8_t>(Format::kSized)) {
      return Malformed("has an unknown format");
    }
    at_ += 4;
    if (format != static_cast<uint8_t>(Format::kSized)) return kOk;
    if (!IsInside(section_, at_, out_attribute->value)) return Malformed("exceeds the section");
    out_attribute->contents = section_.subspan(at_, out_attribute->value);
    at_ += out_attribute->value;
    return kOk;
  }

 private:
  Status Malformed(const char* what) const {
    return Fail(HAL_STATUS_DATA_LOSS, ".nv.info: the attribute before byte %zu of %zu %s", at_ + 4, section_.size(),
                what);
  }

  Bytes section_;
  size_t at_ = 0;
};

Status CheckSize(const Attribute& attribute, size_t size, const char* name) {
  if (attribute.contents.size() == size) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, ".nv.info: %s (attribute 0x%02x) has %zu bytes, not %zu", name, attribute.number,
              attribute.contents.size(), size);
}

Status ReadSize(const Attribute& attribute, const char* name, const char* what, hal_dim3_t* out_size) {
  HAL_TRY(CheckSize(attribute, 12, name));
  const auto x = ReadUint<uint32_t>(attribute.contents, 0);
  const auto y = ReadUint<uint32_t>(attribute.contents, 4);
  const auto z = ReadUint<uint32_t>(attribute.contents, 8);
  constexpr uint32_t kMost = 1u << 20;
  if (x == 0 || y == 0 || z == 0 || x > kMost || y > kMost || z > kMost) {
    return Fail(HAL_STATUS_DATA_LOSS, ".nv.info: %s is %u x %u x %u, which is no size of a %s", name, x, y, z, what);
  }
  *out_size = hal_dim3(x, y, z);
  return kOk;
}

/// Puts one kernel together.
class CubinKernelReader {
 public:
  explicit CubinKernelReader(std::string_view name) { kernel_.name = name; }

  Status ReadAttributes(Bytes section) {
    AttributeReader reader(section);
    while (!reader.IsAtEnd()) {
      Attribute attribute = {};
      HAL_TRY(reader.Next(&attribute));
      HAL_TRY(Take(attribute));
    }
    return CheckParameters();
  }

  /// Whether any parameter is marked as an address.
  bool Marks() const {
    return std::any_of(parameters_.begin(), parameters_.end(),
                       [](const ParameterInfo& parameter) { return parameter.is_pointer; });
  }

  Status SetShared(uint64_t size, uint32_t architecture) {
    if (size > ContainerLimits::kLocalMemorySize) {
      return Fail(HAL_STATUS_DATA_LOSS, ".nv.shared: %llu bytes; at most 1 GiB is possible",
                  static_cast<unsigned long long>(size));
    }
    const bool reserves = architecture >= 90 && size >= kReservedShared;
    kernel_.local_memory_size = static_cast<uint32_t>(size - (reserves ? kReservedShared : 0));
    return kOk;
  }

  /// @param module_marks  whether Marks() of any kernel
  Status Finish(bool module_marks, ReflectedKernel* out_kernel) {
    HostVector<DeclaredParameter> declared;
    for (const ParameterInfo& info : parameters_) {
      declared.push_back({.size = info.size,
                          .may_be_address = info.size == kAddressSize,
                          .is_marked = info.is_pointer,
                          .may_hold_addresses = MayHoldAddresses(info.size)});
    }
    HAL_TRY(AddDeclaredParameters(declared, module_marks, &kernel_));
    *out_kernel = std::move(kernel_);
    return kOk;
  }

 private:
  Status Take(const Attribute& attribute) {
    switch (attribute.number) {
      case kParameterInfo:
        return TakeParameter(attribute);
      case kParametersSize:
        parameters_size_ = attribute.value;
        return kOk;
      case kRequiredThreads:
        kernel_.is_workgroup_size_known = kernel_.is_workgroup_size_exact = true;
        return ReadSize(attribute, "REQNTID", "workgroup", &kernel_.workgroup_size);
      case kClusterSize:
        return ReadSize(attribute, "CTA_PER_CLUSTER", "cluster", &kernel_.cluster_size);
      case kMaxThreads: {
        hal_dim3_t most = {1, 1, 1};
        HAL_TRY(ReadSize(attribute, "MAX_THREADS", "workgroup", &most));
        const uint64_t volume = uint64_t{most.x} * most.y * most.z;
        kernel_.max_workgroup_volume = static_cast<uint32_t>(std::min<uint64_t>(volume, UINT32_MAX));
        return kOk;
      }
      default:
        return kOk;
    }
  }

  Status TakeParameter(const Attribute& attribute) {
    HAL_TRY(CheckSize(attribute, kParameterInfoSize, "KPARAM_INFO"));
    const ParameterInfo info = ReadParameterInfo(attribute.contents);
    if (PointsToShared(attribute.contents) && kernel_.obstacle.empty()) {
      char text[64];
      std::snprintf(text, sizeof(text), "parameter %u points to workgroup memory", info.ordinal);
      kernel_.obstacle = text;
    }
    parameters_.push_back(info);
    return kOk;
  }

  Status CheckParameters() {
    if (parameters_.size() > ContainerLimits::kParameters) {
      return Fail(HAL_STATUS_DATA_LOSS, ".nv.info: there are %zu parameters; at most %zu are possible",
                  parameters_.size(), ContainerLimits::kParameters);
    }
    std::sort(parameters_.begin(), parameters_.end(),
              [](const ParameterInfo& a, const ParameterInfo& b) { return a.ordinal < b.ordinal; });
    uint32_t end = 0;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const ParameterInfo& info = parameters_[i];
      if (info.ordinal != i) {
        return Fail(HAL_STATUS_DATA_LOSS, ".nv.info: KPARAM_INFO: ordinal %u is at place %zu of %zu", info.ordinal, i,
                    parameters_.size());
      }
      if (info.offset < end || uint32_t{info.offset} + info.size > parameters_size_) {
        return Fail(HAL_STATUS_DATA_LOSS,
                    ".nv.info: KPARAM_INFO: parameter %zu (%u bytes at %u) overlaps the one before or exceeds the %u "
                    "bytes of CBANK_PARAM_SIZE",
                    i, info.size, info.offset, parameters_size_);
      }
      end = info.offset + info.size;
    }
    if (parameters_.empty() && parameters_size_ > 0) {
      kernel_.obstacle = "the cubin does not tell what its parameters are (no KPARAM_INFO)";
    }
    return kOk;
  }

  ReflectedKernel kernel_;
  HostVector<ParameterInfo> parameters_;
  uint32_t parameters_size_ = 0;
};

uint32_t ArchitectureOf(const ElfHeader& header) {
  // ABI 8 (CUDA 13) moved it up by a byte.
  return header.abi_version >= 8 ? header.flags >> 8 & 0xff : header.flags & 0xff;
}

// Whether code is for one architecture alone (sm_90a). ABI 7 has a bit for it, ABI 8 an attribute of the whole image.
// What cannot be read of that section says nothing: CUDA itself checks.
bool IsSpecific(const ElfReader& elf) {
  constexpr uint8_t kSpecific = 0x09;
  if (elf.Header().abi_version <= 7) return elf.Header().abi_version == 7 && (elf.Header().flags & 0x800) != 0;
  const ElfSection* const compatibility = elf.FindSection(".nv.compat");
  if (!compatibility) return false;
  AttributeReader reader(compatibility->contents);
  Attribute attribute = {};
  while (!reader.IsAtEnd() && Succeeds(reader.Next(&attribute))) {
    if (attribute.number == kSpecific) return (attribute.value & 0xff) == 1;
  }
  return false;
}

// "sm_90".
HostString TargetOf(const ElfReader& elf) {
  char text[16];
  std::snprintf(text, sizeof(text), "sm_%u%s", ArchitectureOf(elf.Header()), IsSpecific(elf) ? "a" : "");
  return text;
}

/// @param info_left  bytes that sections .nv.info may still have, as no two of them share any
Status ReadKernel(const ElfReader& elf, std::string_view name, uint64_t* info_left, CubinKernelReader* reader) {
  const ElfSection* const info = elf.FindSection(HostString(".nv.info.").append(name));
  if (!info) return FailWith(HAL_STATUS_DATA_LOSS, "there is no section .nv.info for it");
  if (info->contents.size() > *info_left) {
    return Fail(HAL_STATUS_DATA_LOSS, ".nv.info: its %zu bytes overlap another section", info->contents.size());
  }
  *info_left -= info->contents.size();
  HAL_TRY(reader->ReadAttributes(info->contents));
  const ElfSection* const shared = elf.FindSection(HostString(".nv.shared.").append(name));
  return shared ? reader->SetShared(shared->size, ArchitectureOf(elf.Header())) : kOk;
}

Status ReadKernels(const ElfReader& elf, uint64_t info_left, HostVector<ReflectedKernel>* kernels) {
  HostVector<CubinKernelReader> readers;
  const auto name_it = [](Status status, const HostString& name) { return Annotate(status, "kernel '", name, "': "); };
  bool marks = false;
  for (const ReflectedKernel& kernel : *kernels) {
    CubinKernelReader& reader = readers.emplace_back(kernel.name);
    const Status status = ReadKernel(elf, kernel.name, &info_left, &reader);
    if (status != kOk) return name_it(status, kernel.name);
    marks |= reader.Marks();
  }
  for (size_t i = 0; i < readers.size(); ++i) {
    const HostString name = (*kernels)[i].name;
    const Status status = readers[i].Finish(marks, &(*kernels)[i]);
    if (status != kOk) return name_it(status, name);
  }
  return kOk;
}

}  // namespace

Status ReflectCubin(Bytes image, ReflectedImage* out_image) {
  ElfReader elf;
  HAL_TRY(elf.Open(image, "the cubin"));
  if (elf.Header().machine != kMachineCuda) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the cubin: it is for machine %u, not for CUDA (%u)", elf.Header().machine,
                kMachineCuda);
  }
  HostVector<ElfSymbol> symbols;
  HAL_TRY(elf.ReadSymbols(ElfReader::kSymbolTable, &symbols));
  ReflectedImage result;
  result.target = TargetOf(elf);
  char producer[32];
  std::snprintf(producer, sizeof(producer), "cubin, ABI %u", elf.Header().abi_version);
  result.producer = producer;
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.type != kFunctionSymbol || (symbol.other & kEntrySymbol) == 0 || symbol.section == 0) continue;
    result.kernels.emplace_back().name = symbol.name;
  }
  if (Status status = CheckKernelNames(result); status != kOk) return Annotate(status, "the cubin: ");
  HAL_TRY(ReadKernels(elf, image.size(), &result.kernels));
  *out_image = std::move(result);
  return kOk;
}

}  // namespace halyard
