// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/amd/hsaco_reflection.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "image/halx/container_contents.h"
#include "image/reflection/amd/amd_target.h"
#include "image/reflection/amd/msgpack_reader.h"
#include "image/reflection/names/element_names.h"
#include "image/reflection/names/parameter_rules.h"
#include "image/reflection/reading_budget.h"
#include "image/shared_object/elf_reader.h"

namespace halyard {
namespace {

constexpr uint16_t kMachineAmdgpu = 224;  // EM_AMDGPU
constexpr uint32_t kMetadataNote = 32;    // NT_AMDGPU_METADATA
constexpr uint64_t kMost32 = UINT32_MAX;

/// One argument of a kernel, as `.args` has it.
struct Argument {
  uint64_t offset = 0;  // bytes, in the kernel's argument block
  uint64_t size = 0;
  std::string_view kind;
  std::string_view access;  // empty if not known
  std::string_view name;    // the same
  std::string_view type;    // in OpenCL C; empty if not known
  bool is_const = false;

  bool IsHidden() const { return kind.starts_with("hidden_"); }
};

/// Reads a map whose keys are texts: `take` is called with each key, in front of its value.
template <class Take>
Status ReadMap(MsgpackReader* reader, const char* what, Take&& take) {
  uint32_t count = 0;
  HAL_TRY(reader->ReadCount(MsgpackKind::kMap, what, &count));
  for (uint32_t i = 0; i < count; ++i) {
    std::string_view key;
    HAL_TRY(reader->ReadText("a key", &key));
    HAL_TRY(take(key));
  }
  return kOk;
}

/// Puts the kernel and the argument before the message of a failure.
Status AtIndex(Status status, const char* list, size_t index) {
  if (status == kOk) return status;
  char prefix[48];
  std::snprintf(prefix, sizeof(prefix), "%s[%zu]: ", list, index);
  return Annotate(status, prefix);
}

/// Reads one element of amdhsa.kernels.
class HsacoKernelReader {
 public:
  HsacoKernelReader(MsgpackReader* reader, ReadingBudget* budget) : reader_(*reader), budget_(*budget) {}

  Status Read(ReflectedKernel* out_kernel) {
    HAL_TRY(budget_.Take(ReadingBudget::kKernel));
    Status status = ReadMap(&reader_, "amdhsa.kernels", [&](std::string_view key) { return TakeKey(key); });
    if (status == kOk) status = CheckKernelName(kernel_.name);
    if (status == kOk) status = CheckArguments();
    if (status == kOk) status = AddArguments();
    if (status != kOk) return status;
    AddMangledTypes(&kernel_);
    kernel_.block_size = static_cast<uint32_t>(block_size_);
    *out_kernel = std::move(kernel_);
    return kOk;
  }

 private:
  Status TakeKey(std::string_view key) {
    if (key == ".name") return TakeText(".name", &kernel_.name);
    if (key == ".args") return ReadArguments();
    if (key == ".reqd_workgroup_size") return ReadWorkgroupSize();
    if (key == ".kernarg_segment_size") return reader_.ReadNumber(".kernarg_segment_size", kMost32, &block_size_);
    if (key == ".max_flat_workgroup_size") return Take32(".max_flat_workgroup_size", &kernel_.max_workgroup_volume);
    if (key == ".wavefront_size") return Take32(".wavefront_size", &kernel_.subgroup_size);
    if (key == ".group_segment_fixed_size") return TakeLocalMemory();
    return reader_.Skip();
  }

  Status TakeText(const char* what, HostString* out_text) {
    std::string_view text;
    HAL_TRY(reader_.ReadText(what, &text));
    *out_text = text;
    return kOk;
  }

  Status Take32(const char* what, uint32_t* out_number) {
    uint64_t number = 0;
    HAL_TRY(reader_.ReadNumber(what, kMost32, &number));
    *out_number = static_cast<uint32_t>(number);
    return kOk;
  }

  Status TakeLocalMemory() {
    uint64_t size = 0;
    Status status = reader_.ReadNumber(".group_segment_fixed_size", ContainerLimits::kLocalMemorySize, &size);
    if (status == kOk) kernel_.local_memory_size = static_cast<uint32_t>(size);
    return status;
  }

  Status ReadWorkgroupSize() {
    constexpr const char* kKey = ".reqd_workgroup_size";
    uint32_t count = 0;
    HAL_TRY(reader_.ReadCount(MsgpackKind::kArray, kKey, &count));
    if (count != 3) return Fail(HAL_STATUS_DATA_LOSS, "%s: it has %u numbers, not 3", kKey, count);
    std::array<uint32_t, 3> sizes = {};
    for (uint32_t& size : sizes) {
      HAL_TRY(Take32(kKey, &size));
      if (size == 0) return Fail(HAL_STATUS_DATA_LOSS, "%s: a size is 0", kKey);
    }
    kernel_.is_workgroup_size_known = kernel_.is_workgroup_size_exact = true;
    kernel_.workgroup_size = hal_dim3(sizes[0], sizes[1], sizes[2]);
    return kOk;
  }

  Status ReadArguments() {
    uint32_t count = 0;
    HAL_TRY(reader_.ReadCount(MsgpackKind::kArray, ".args", &count));
    if (count > ContainerLimits::kParameters) {
      return Fail(HAL_STATUS_DATA_LOSS, ".args: there are %u; at most %zu are possible", count,
                  ContainerLimits::kParameters);
    }
    HAL_TRY(budget_.Take(ReadingBudget::kParameter * count));
    arguments_.clear();
    for (uint32_t i = 0; i < count; ++i) {
      Argument& argument = arguments_.emplace_back();
      const Status status =
          ReadMap(&reader_, "an argument", [&](std::string_view key) { return TakeArgumentKey(key, &argument); });
      if (status != kOk) return AtIndex(status, ".args", i);
    }
    return kOk;
  }

  Status TakeArgumentKey(std::string_view key, Argument* argument) {
    if (key == ".offset") return reader_.ReadNumber(".offset", kMost32, &argument->offset);
    if (key == ".size") return reader_.ReadNumber(".size", kMost32, &argument->size);
    if (key == ".value_kind") return reader_.ReadText(".value_kind", &argument->kind);
    if (key == ".is_const") return reader_.ReadFlag(".is_const", &argument->is_const);
    if (key == ".name") return reader_.ReadText(".name", &argument->name);
    if (key == ".type_name") return reader_.ReadText(".type_name", &argument->type);
    if (key == ".actual_access") return reader_.ReadText(".actual_access", &argument->access);
    return reader_.Skip();
  }

  // Arguments lie one after the other in the kernel's block, which is how the runtime of HIP copies them.
  Status CheckArguments() const {
    uint64_t end = 0;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const Argument& argument = arguments_[i];
      if (argument.offset < end || argument.offset + argument.size > block_size_) {
        return Fail(HAL_STATUS_DATA_LOSS,
                    ".args[%zu]: .offset %llu + .size %llu overlaps the one before or exceeds .kernarg_segment_size, "
                    "which is %llu",
                    i, static_cast<unsigned long long>(argument.offset), static_cast<unsigned long long>(argument.size),
                    static_cast<unsigned long long>(block_size_));
      }
      end = argument.offset + argument.size;
    }
    return kOk;
  }

  Status AddArguments() {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (Status status = AddArgument(arguments_[i], i); status != kOk) return AtIndex(status, ".args", i);
    }
    return kOk;
  }

  Status AddArgument(const Argument& argument, size_t index) {
    if (argument.kind == "hidden_dynamic_lds_size") kernel_.uses_dynamic_local_memory = true;
    if (argument.IsHidden()) return kOk;
    if (argument.kind == "by_value" || argument.kind == "global_buffer") return AddParameter(argument);
    if (argument.kind.empty()) return FailWith(HAL_STATUS_DATA_LOSS, ".value_kind is missing");
    if (kernel_.obstacle.empty()) {
      char text[96];
      std::snprintf(text, sizeof(text), "argument %zu is of the kind '%.*s'", index,
                    HALYARD_SV(argument.kind.substr(0, 40)));
      kernel_.obstacle = text;
    }
    return kOk;
  }

  Status AddParameter(const Argument& argument) {
    HAL_TRY(argument.kind == "by_value" ? AddConstant(&kernel_, argument.size, MayHoldAddresses(argument.size))
                                        : AddBuffer(argument));
    ReflectedParameter& parameter = kernel_.parameters.back();
    parameter.name = ToName(argument.name);
    // "float4", "float*"
    const size_t star = argument.type.find_first_of("* ");
    const bool is_pointer = star != std::string_view::npos && argument.type.find('*') == argument.type.size() - 1;
    const bool is_known = is_pointer == (argument.kind == "global_buffer");
    if (is_known) parameter.element_type = ElementTypeOfName(argument.type.substr(0, star));
    return kOk;
  }

  Status AddBuffer(const Argument& argument) {
    if (argument.size != 8)
      return Fail(HAL_STATUS_DATA_LOSS, ".size: an address of %llu bytes; expected 8",
                  static_cast<unsigned long long>(argument.size));
    const bool reads = argument.is_const || argument.access == "read_only";
    const bool writes = argument.access == "write_only";
    const hal_binding_access_t access = reads    ? HAL_BINDING_ACCESS_READ
                                        : writes ? HAL_BINDING_ACCESS_WRITE
                                                 : HAL_BINDING_ACCESS_READ_WRITE;
    AddBinding(&kernel_, access, reads || writes || argument.access == "read_write", false);
    return kOk;
  }

  MsgpackReader& reader_;
  ReadingBudget& budget_;
  ReflectedKernel kernel_;
  HostVector<Argument> arguments_;
  uint64_t block_size_ = 0;  // bytes of all arguments
};

/// Reads the outermost map.
class MetadataReader {
 public:
  MetadataReader(Bytes metadata, ReflectedImage* image) : reader_(metadata), budget_(metadata.size()), image_(*image) {}

  Status Read() {
    Status status = ReadMap(&reader_, "the metadata", [&](std::string_view key) { return TakeKey(key); });
    if (status != kOk) return status;
    return CheckKernelNames(image_);
  }

 private:
  Status TakeKey(std::string_view key) {
    if (key == "amdhsa.target") return ReadTarget();
    if (key == "amdhsa.version") return ReadVersion();
    if (key == "amdhsa.kernels") return ReadKernels();
    return reader_.Skip();
  }

  Status ReadTarget() {
    std::string_view target;
    HAL_TRY(reader_.ReadText("amdhsa.target", &target));
    const std::string_view name = AmdProcessorOf(target);
    if (name.empty() || !target.starts_with("amdg") || name.size() > ContainerLimits::kTokenSize) {
      return Fail(HAL_STATUS_DATA_LOSS,
                  "amdhsa.target: '%.*s' does not name a processor as amdgcn-amd-amdhsa--gfx90a or "
                  "amdgpu9.0a-amd-amdhsa-unknown-gfx90a do",
                  HALYARD_SV(target.substr(0, ContainerLimits::kTokenSize)));
    }
    image_.target = name;
    return kOk;
  }

  // Of the metadata, [1, n]: code objects of version n + 3, except version 6, which kept 2.
  Status ReadVersion() {
    uint32_t count = 0;
    HAL_TRY(reader_.ReadCount(MsgpackKind::kArray, "amdhsa.version", &count));
    if (count != 2) return Fail(HAL_STATUS_DATA_LOSS, "amdhsa.version: it has %u numbers, not 2", count);
    std::array<uint64_t, 2> version = {};
    for (uint64_t& number : version) HAL_TRY(reader_.ReadNumber("amdhsa.version", kMost32, &number));
    if (version[0] != 1) {
      return Fail(HAL_STATUS_INCOMPATIBLE, "amdhsa.version: it is %llu.%llu; this library reads 1.x",
                  static_cast<unsigned long long>(version[0]), static_cast<unsigned long long>(version[1]));
    }
    char text[48];
    std::snprintf(text, sizeof(text), "HSACO, metadata %llu.%llu", static_cast<unsigned long long>(version[0]),
                  static_cast<unsigned long long>(version[1]));
    image_.producer = text;
    return kOk;
  }

  Status ReadKernels() {
    uint32_t count = 0;
    HAL_TRY(reader_.ReadCount(MsgpackKind::kArray, "amdhsa.kernels", &count));
    if (count > ContainerLimits::kExports || !image_.kernels.empty()) {
      return Fail(HAL_STATUS_DATA_LOSS, "amdhsa.kernels: there are %u; at most %zu are possible, in one list", count,
                  ContainerLimits::kExports);
    }
    for (uint32_t i = 0; i < count; ++i) {
      ReflectedKernel& kernel = image_.kernels.emplace_back();
      if (Status status = HsacoKernelReader(&reader_, &budget_).Read(&kernel); status != kOk) {
        return AtIndex(status, "amdhsa.kernels", i);
      }
    }
    return kOk;
  }

  MsgpackReader reader_;
  ReadingBudget budget_;
  ReflectedImage& image_;
};

Status FindMetadata(const ElfReader& elf, Bytes* out_metadata) {
  HostVector<ElfNote> notes;
  HAL_TRY(elf.ReadNotes(&notes));
  const auto found = std::find_if(notes.begin(), notes.end(), [](const ElfNote& note) {
    return note.owner == "AMDGPU" && note.type == kMetadataNote;
  });
  if (found != notes.end()) {
    *out_metadata = found->description;
    return kOk;
  }
  const bool is_old = std::any_of(notes.begin(), notes.end(), [](const ElfNote& note) { return note.owner == "AMD"; });
  if (is_old) {
    return FailWith(HAL_STATUS_INCOMPATIBLE,
                    "the HSACO: it is a code object of version 2; compile with -mcode-object-version=4 or later");
  }
  return Fail(HAL_STATUS_DATA_LOSS, "the HSACO: none of its %zu notes has the metadata (owner AMDGPU, type %u)",
              notes.size(), kMetadataNote);
}

}  // namespace

Status ReflectHsacoMetadata(Bytes metadata, ReflectedImage* out_image) {
  ReflectedImage image;
  HAL_TRY(MetadataReader(metadata, &image).Read());
  *out_image = std::move(image);
  return kOk;
}

Status ReflectHsaco(Bytes image, ReflectedImage* out_image) {
  ElfReader elf;
  HAL_TRY(elf.Open(image, "the HSACO"));
  if (elf.Header().machine != kMachineAmdgpu) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the HSACO: it is for machine %u, not for AMD GPUs (%u)", elf.Header().machine,
                kMachineAmdgpu);
  }
  Bytes metadata;
  HAL_TRY(FindMetadata(elf, &metadata));
  if (Status status = ReflectHsacoMetadata(metadata, out_image); status != kOk) return Annotate(status, "the HSACO: ");
  // e_ident[EI_ABIVERSION] counts from version 2 on.
  char producer[32];
  std::snprintf(producer, sizeof(producer), "code object version %u", elf.Header().abi_version + 2u);
  out_image->producer = producer;
  // Since version 6 the uppermost byte of the flags has the version of a generic target.
  constexpr uint8_t kVersion6 = 4;
  if (elf.Header().abi_version >= kVersion6) out_image->generic_version = elf.Header().flags >> 24;
  return kOk;
}

}  // namespace halyard
