// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/elf_check.h"

#include "base/host_memory.h"
#include "base/text/printf_number.h"

#if defined(__linux__) && defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HALYARD_CHECKS_ELF 1
#endif

namespace halyard {

#if defined(HALYARD_CHECKS_ELF)
namespace {

// Numbers of the format, as the gABI and its GNU extensions give them.
constexpr unsigned kNoMachine = 0;
#if defined(__x86_64__)
constexpr unsigned kMachine = 62;  // EM_X86_64
#elif defined(__aarch64__)
constexpr unsigned kMachine = 183;  // EM_AARCH64
#else
constexpr unsigned kMachine = kNoMachine;  // not checked
#endif
constexpr unsigned kSharedType = 3;  // ET_DYN

/// PT_LOAD and so on.
struct SegmentType {
  enum : uint32_t {
    kLoadable = 1,
    kDynamic = 2,
    kNote = 4,
    kThreadLocal = 7,
    kRelro = 0x6474e552,     // PT_GNU_RELRO
    kProperty = 0x6474e553,  // PT_GNU_PROPERTY
  };
};

/// DT_NULL and so on.
struct Tag {
  enum : uint64_t {
    kNull = 0,
    kPltGot = 3,
    kHash = 4,
    kStrTab = 5,
    kSymTab = 6,
    kRela = 7,
    kRel = 17,
    kJmpRel = 23,
    kGnuHash = 0x6ffffef5,
    kVerSym = 0x6ffffff0,
    kVerDef = 0x6ffffffc,
    kVerNeed = 0x6ffffffe,
  };
};

Status CheckHeader(const ElfHeader& header) {
  if (header.version != 1) {  // which musl's loader does not look at
    return Fail(HAL_STATUS_DATA_LOSS, "the shared object's e_version is %u, expected 1", header.version);
  }
  if (kMachine != kNoMachine && header.machine != kMachine) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the shared object is for machine %u, this host is machine %u", header.machine,
                kMachine);
  }
  if (header.type == kSharedType) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "the ELF file is of type %u, not a shared object (type %u); link with -shared",
              header.type, kSharedType);
}

Status CheckPlace(Bytes image, const ElfSegment& segment, size_t index) {
  if (segment.alignment > 1 && ((segment.alignment & (segment.alignment - 1)) != 0 ||
                                (segment.address - segment.offset) % segment.alignment != 0)) {
    return Fail(HAL_STATUS_DATA_LOSS, "the shared object's segment %zu cannot be aligned to %llu bytes", index,
                Number(segment.alignment));
  }
  if (!IsInside(image, segment.offset, segment.file_size) || segment.memory_size < segment.file_size) {
    return Fail(HAL_STATUS_DATA_LOSS,
                "the shared object is cut short: segment %zu (%llu bytes at offset %llu) ends past its %zu bytes",
                index, Number(segment.file_size), Number(segment.offset), image.size());
  }
  return kOk;
}

/// What the loader will do with the segments, as far as it believes them.
class SegmentCheck {
 public:
  explicit SegmentCheck(Bytes image) : image_(image) {}

  Status Run(const HostVector<ElfSegment>& segments) {
    for (size_t i = 0; i < segments.size(); ++i) HAL_TRY(Take(segments[i], i));
    if (!has_dynamic_) return FailWith(HAL_STATUS_DATA_LOSS, "the shared object has no dynamic section");
    if (!Loaded(dynamic_.address, dynamic_.file_size)) return NotLoaded("dynamic section", dynamic_.address);
    for (const ElfSegment& segment : read_by_loader_) {
      if (segment.file_size > 0 && !Loaded(segment.address, segment.file_size)) {
        return NotLoaded("notes or thread-local data", segment.address);
      }
    }
    if (relro_.memory_size > 0 && !Loaded(relro_.address, 1)) return NotLoaded("relocated part", relro_.address);
    return CheckDynamicSection();
  }

 private:
  Status Take(const ElfSegment& segment, size_t index) {
    if (segment.type == SegmentType::kLoadable) {
      HAL_TRY(CheckPlace(image_, segment, index));
      return TakeLoad(segment, index);
    }
    if (segment.type == SegmentType::kRelro) relro_ = segment;
    if (segment.type == SegmentType::kNote || segment.type == SegmentType::kThreadLocal ||
        segment.type == SegmentType::kProperty) {
      read_by_loader_.push_back(segment);
    }
    if (segment.type != SegmentType::kDynamic) return kOk;
    if (has_dynamic_) return FailWith(HAL_STATUS_DATA_LOSS, "the shared object has two dynamic sections");
    has_dynamic_ = true;
    dynamic_ = segment;
    return CheckPlace(image_, segment, index);
  }

  Status TakeLoad(const ElfSegment& segment, size_t index) {
    const uint64_t end = loads_.empty() ? 0 : loads_.back().address + loads_.back().memory_size;
    if (segment.address < end || segment.memory_size > kLargestImage || segment.address > kLargestImage) {
      return Fail(
          HAL_STATUS_DATA_LOSS,
          "the shared object's segment %zu (%llu bytes at address %llu) overlaps the one before or is too large", index,
          Number(segment.memory_size), Number(segment.address));
    }
    loads_.push_back(segment);
    return kOk;
  }

  bool Loaded(uint64_t address, uint64_t size) const {
    const ElfSegment* const load = FindSegmentAt(loads_, address);
    return load && address - load->address <= load->memory_size &&
           size <= load->memory_size - (address - load->address);
  }

  Status NotLoaded(const char* what, uint64_t address) const {
    return Fail(HAL_STATUS_DATA_LOSS, "the shared object's %s (address %llu) lies in none of its loaded segments", what,
                Number(address));
  }

  /// The tables that the loader reads before it runs anything.
  Status CheckDynamicSection() const {
    constexpr uint64_t kEntrySize = 16;  // a tag and an address
    for (uint64_t at = 0; at + kEntrySize <= dynamic_.file_size; at += kEntrySize) {
      const Bytes entry = image_.subspan(dynamic_.offset + at, kEntrySize);
      const auto tag = ReadUint<uint64_t>(entry, 0);
      const auto address = ReadUint<uint64_t>(entry, 8);
      if (tag == Tag::kNull) return kOk;
      if (const char* const table = TableName(tag); table && !Loaded(address, 1)) return NotLoaded(table, address);
    }
    return FailWith(HAL_STATUS_DATA_LOSS, "the shared object's dynamic section has no end");
  }

  static const char* TableName(uint64_t tag) {
    switch (tag) {
      case Tag::kHash:
      case Tag::kGnuHash:
        return "hash table";
      case Tag::kStrTab:
        return "string table";
      case Tag::kSymTab:
        return "symbol table";
      case Tag::kRela:
      case Tag::kRel:
      case Tag::kJmpRel:
        return "relocations";
      case Tag::kPltGot:
        return "global offset table";
      case Tag::kVerSym:
      case Tag::kVerNeed:
      case Tag::kVerDef:
        return "symbol versions";
      default:
        return nullptr;
    }
  }

  static constexpr uint64_t kLargestImage = uint64_t{1} << 40;  // so that sums of addresses do not overflow

  const Bytes image_;
  HostVector<ElfSegment> loads_;           // in order of their addresses
  HostVector<ElfSegment> read_by_loader_;  // where they lie in memory
  ElfSegment dynamic_;
  ElfSegment relro_;
  bool has_dynamic_ = false;
};

}  // namespace

Status CheckElfImage(Bytes image) {
  ElfReader elf;
  HAL_TRY(elf.OpenHeader(image, "the shared object"));
  HAL_TRY(CheckHeader(elf.Header()));
  return CheckElfSegments(image, elf);
}

Status CheckElfSegments(Bytes image, const ElfReader& elf) {
  HostVector<ElfSegment> segments;
  HAL_TRY(elf.ReadSegments(&segments));
  return SegmentCheck(image).Run(segments);
}

#else

Status CheckElfImage(Bytes) { return kOk; }
Status CheckElfSegments(Bytes, const ElfReader&) { return kOk; }

#endif

}  // namespace halyard
