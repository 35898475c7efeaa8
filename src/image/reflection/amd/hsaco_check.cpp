// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A look at AMD's machine code before the vendor's loader gets it.
#include <algorithm>
#include <utility>

#include "base/text/printf_number.h"
#include "image/reflection/amd/hsaco_reflection.h"
#include "image/shared_object/elf_check.h"
#include "image/shared_object/elf_reader.h"

namespace halyard {
namespace {

constexpr uint16_t kSharedObject = 3;  // ET_DYN
constexpr uint32_t kLoad = 1;          // PT_LOAD
constexpr uint32_t kExecutable = 1;    // PF_X
constexpr uint8_t kObjectSymbol = 1;   // STT_OBJECT

// Of a kernel descriptor (LLVM's AMDGPU usage guide, "Kernel Descriptor"): where its fields are.
constexpr std::string_view kDescriptorSuffix = ".kd";
constexpr uint64_t kDescriptorSize = 64;
constexpr uint64_t kLocalMemoryAt = 0;   // group_segment_fixed_size, 32 bits
constexpr uint64_t kArgumentsAt = 8;     // kernarg_size, 32 bits; 0 if the compiler left it to the metadata
constexpr uint64_t kEntryOffsetAt = 16;  // kernel_code_entry_byte_offset, from the descriptor, 64 bits

class KernelCheck {
 public:
  KernelCheck(Bytes image, const ElfReader& elf) : image_(image), elf_(elf) {}

  Status Run(const ReflectedImage& reflected) {
    HAL_TRY(elf_.ReadSegments(&loads_));
    std::erase_if(loads_, [](const ElfSegment& segment) { return segment.type != kLoad; });
    HostVector<ElfSymbol> symbols;
    HAL_TRY(elf_.ReadSymbols(ElfReader::kDynamicSymbols, &symbols));
    for (const ElfSymbol& symbol : symbols) {
      if (symbol.name.ends_with(kDescriptorSuffix)) symbols_.try_emplace(symbol.name, symbol);
    }
    for (const ReflectedKernel& kernel : reflected.kernels) HAL_TRY(Check(kernel));
    return kOk;
  }

 private:
  Status Check(const ReflectedKernel& kernel) const {
    const auto found = symbols_.find(HostString(kernel.name).append(kDescriptorSuffix));
    const ElfSymbol* const symbol = found == symbols_.end() ? nullptr : &found->second;
    if (!symbol || symbol->type != kObjectSymbol || symbol->size != kDescriptorSize) {
      return Fail(HAL_STATUS_DATA_LOSS, "the HSACO: the metadata has a kernel '%s', but no symbol has its descriptor",
                  kernel.name.c_str());
    }
    const ElfSegment* const segment = FindLoaded(symbol->address, kDescriptorSize);
    if (!segment) {
      return Fail(HAL_STATUS_DATA_LOSS, "the HSACO: the descriptor of '%s', at address %llu, lies in no segment",
                  kernel.name.c_str(), Number(symbol->address));
    }
    return CheckDescriptor(kernel, symbol->address,
                           image_.subspan(segment->offset + (symbol->address - segment->address), kDescriptorSize));
  }

  Status CheckDescriptor(const ReflectedKernel& kernel, uint64_t address, Bytes descriptor) const {
    const auto local = ReadUint<uint32_t>(descriptor, kLocalMemoryAt);
    const auto arguments = ReadUint<uint32_t>(descriptor, kArgumentsAt);
    if (local != kernel.local_memory_size || (arguments != 0 && arguments != kernel.block_size)) {
      return Fail(
          HAL_STATUS_DATA_LOSS,
          "the HSACO: the descriptor of '%s' has %u bytes of workgroup memory and %u of arguments, the metadata "
          "%u and %u",
          kernel.name.c_str(), local, arguments, kernel.local_memory_size, kernel.block_size);
    }
    const uint64_t entry = address + ReadUint<uint64_t>(descriptor, kEntryOffsetAt);
    const ElfSegment* const code = FindLoaded(entry, sizeof(uint32_t));
    if (code && (code->flags & kExecutable) != 0) return kOk;
    return Fail(HAL_STATUS_DATA_LOSS, "the HSACO: the code of '%s', at address %llu, lies in no executable segment",
                kernel.name.c_str(), Number(entry));
  }

  // The segment that has the bytes in the file; CheckElfSegments() has seen that it lies inside, and their order.
  const ElfSegment* FindLoaded(uint64_t address, uint64_t size) const {
    const ElfSegment* const load = FindSegmentAt(loads_, address);
    const uint64_t from = load ? address - load->address : 0;
    return load && from <= load->file_size && size <= load->file_size - from ? load : nullptr;
  }

  const Bytes image_;
  const ElfReader& elf_;
  HostVector<ElfSegment> loads_;
  HostMap<std::string_view, ElfSymbol> symbols_;  // of descriptors, by name; the first of several
};

// The loader learns the image's length from the section headers, whatever the types of the sections. ElfReader has
// looked at those alone that have contents.
Status CheckLength(Bytes image, const ElfReader& elf) {
  if (elf.Sections().empty()) return FailWith(HAL_STATUS_DATA_LOSS, "the HSACO: the ELF file has no sections");
  for (const ElfSection& section : elf.Sections()) {
    const uint64_t length = section.type == ElfReader::kNobits ? 0 : section.size;
    if (IsInside(image, section.offset, length)) continue;
    return Fail(HAL_STATUS_DATA_LOSS, "the HSACO: section '%.*s': offset %llu + size %llu exceeds its %zu bytes",
                HALYARD_SV(section.name), Number(section.offset), Number(length), image.size());
  }
  return kOk;
}

}  // namespace

Status CheckHsaco(Bytes image, ReflectedImage* out_image) {
  ReflectedImage reflected;
  HAL_TRY(ReflectHsaco(image, &reflected));
  ElfReader elf;
  HAL_TRY(elf.Open(image, "the HSACO"));
  if (elf.Header().type != kSharedObject) {
    return Fail(HAL_STATUS_DATA_LOSS, "the HSACO: the ELF file is of type %u, not a shared object (type %u)",
                elf.Header().type, kSharedObject);
  }
  HAL_TRY(CheckLength(image, elf));
  HAL_TRY(Annotate(CheckElfSegments(image, elf), "the HSACO: "));
  HAL_TRY(KernelCheck(image, elf).Run(reflected));
  *out_image = std::move(reflected);
  return kOk;
}

}  // namespace halyard
