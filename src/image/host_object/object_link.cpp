// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/host_object/object_link.h"

#include <algorithm>
#include <cstring>

#include "base/round_up.h"
#include "base/text/printf_number.h"
#include "image/shared_object/elf_symbols.h"

namespace halyard {
namespace {

constexpr uint64_t kPageMask = ~uint64_t{0xfff};
constexpr std::string_view kTableName = "_GLOBAL_OFFSET_TABLE_";
constexpr size_t kSlotSize = 8;  // bytes

/// How far from its stub a function may be for calls to reach it directly: less than the ABI's reach by what an object
/// may take.
constexpr uint64_t kX86Reach = (uint64_t{1} << 31) - 3 * CodeArena::kMaxPart;
constexpr uint64_t kArmReach = uint64_t{1} << 25;

uint64_t Distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

bool HasAbsoluteAddressOf32Bits(uint16_t machine, const RelocationForm& form) {
  return machine == ObjectFile::kX86_64 && form.value == RelocationValue::kNearby &&
         form.origin == RelocationOrigin::kNothing;
}

/// Appends `count` things of a size to a part; the first one's offset.
uint64_t Append(CodeSize* part, size_t count, size_t size) {
  if (count == 0) return part->size;
  const uint64_t offset = RoundUp(part->size, size);
  part->size = offset + count * size;
  part->alignment = std::max<uint64_t>(part->alignment, size);
  return offset;
}

}  // namespace

Status ObjectLink::Plan() {
  extras_.resize(file_.Symbols().size());
  HAL_TRY(file_.ForEachRelocation(
      [this](uint32_t section, const ObjectRelocation& relocation) { return PlanRelocation(section, relocation); }));
  if (!missing_.empty()) {
    const UnresolvedImports missing = {{}, std::move(missing_)};
    return Fail(HAL_STATUS_NOT_FOUND, "the object %s: neither params->imports nor libm, libc and libgcc_s",
                UnresolvedText(missing).c_str());
  }
  sizes_ = file_.Sizes();
  table_offset_ = Append(&sizes_[static_cast<size_t>(CodePart::kConstants)], slots_.size(), kSlotSize);
  stubs_offset_ = Append(&sizes_[static_cast<size_t>(CodePart::kCode)], stubs_.size(), kStubSize);
  return kOk;
}

Status ObjectLink::PlanRelocation(uint32_t section, const ObjectRelocation& relocation) {
  if (relocation.type == 0) return kOk;  // R_…_NONE
  const ElfSection& changed = file_.Sections()[section];
  const RelocationForm* const form = FindRelocationForm(file_.Machine(), relocation.type);
  if (!form) {
    const bool is_tls = IsThreadLocalRelocation(file_.Machine(), relocation.type);
    return Fail(HAL_STATUS_INCOMPATIBLE, "the object: section '%.*s' at %llu has a relocation of type %u, which is %s",
                HALYARD_SV(changed.name), Number(relocation.offset), relocation.type,
                is_tls ? "for thread-local data; link it to a shared object (cc -shared)" : "not known");
  }
  if (!IsInside(changed.contents, relocation.offset, RelocatedSize(*form))) {
    return Fail(HAL_STATUS_DATA_LOSS, "the object: section '%.*s' of %zu bytes has a relocation at %llu",
                HALYARD_SV(changed.name), changed.contents.size(), Number(relocation.offset));
  }
  if (form->value == RelocationValue::kSlot && file_.Machine() == ObjectFile::kAarch64 && relocation.addend != 0) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the object: section '%.*s' at %llu adds to the address of a symbol's address",
                HALYARD_SV(changed.name), Number(relocation.offset));
  }
  needs_low_memory_ = needs_low_memory_ || HasAbsoluteAddressOf32Bits(file_.Machine(), *form);
  return PlanSymbol(relocation.symbol, form->value);
}

Status ObjectLink::PlanSymbol(uint32_t index, RelocationValue value) {
  const ElfSymbol& symbol = file_.Symbols()[index];
  const bool is_undefined = symbol.section == ObjectFile::kUndefined;
  if (value == RelocationValue::kTable || value == RelocationValue::kSize) return kOk;
  if (!is_undefined && symbol.section != ObjectFile::kAbsolute && !file_.SymbolPlace(symbol)) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the object: it uses '%.*s' of section '%.*s', which is not loaded",
                HALYARD_SV(symbol.name), HALYARD_SV(file_.Sections()[symbol.section].name));
  }
  if (is_undefined) FindExternal(index);
  const bool is_call = value == RelocationValue::kNearby || value == RelocationValue::kCall;
  if (value == RelocationValue::kSlot || (is_undefined && is_call)) AddSlot(index);
  if (!is_undefined || !is_call || extras_[index].stub != kNone) return kOk;
  extras_[index].stub = static_cast<uint32_t>(stubs_.size());
  stubs_.push_back(index);
  return kOk;
}

void ObjectLink::AddSlot(uint32_t index) {
  if (extras_[index].slot != kNone) return;
  extras_[index].slot = static_cast<uint32_t>(slots_.size());
  slots_.push_back(index);
}

void ObjectLink::FindExternal(uint32_t index) {
  const ElfSymbol& symbol = file_.Symbols()[index];
  Extra& extra = extras_[index];
  if (extra.is_looked_up || symbol.name.empty() || symbol.name == kTableName) return;
  extra.is_looked_up = true;
  extra.external = externals_.Find(symbol.name);
  if (extra.external != 0 || symbol.binding == ObjectFile::kWeak) return;
  if (missing_.size() < UnresolvedImports::kMost) missing_.emplace_back(symbol.name);
}

Status ObjectLink::Build(const LinkTarget& target) {
  target_ = &target;
  for (size_t i = 0; i < file_.Sections().size(); ++i) {
    const auto& place = file_.SectionPlace(i);
    const Bytes contents = file_.Sections()[i].contents;
    if (!place || contents.empty()) continue;
    std::memcpy(target.bytes[static_cast<size_t>(place->part)].data() + place->offset, contents.data(),
                contents.size());
  }
  FillTables();
  return file_.ForEachRelocation([this](uint32_t section, const ObjectRelocation& relocation) {
    return relocation.type == 0 ? kOk : Apply(section, relocation);
  });
}

void ObjectLink::FillTables() {
  const std::span<std::byte> constants = target_->bytes[static_cast<size_t>(CodePart::kConstants)];
  for (size_t i = 0; i < slots_.size(); ++i) {
    const uint64_t address = SymbolAddress(slots_[i]);
    std::memcpy(constants.data() + table_offset_ + i * kSlotSize, &address, kSlotSize);
  }
  const std::span<std::byte> code = target_->bytes[static_cast<size_t>(CodePart::kCode)];
  for (size_t i = 0; i < stubs_.size(); ++i) {
    const uint64_t offset = stubs_offset_ + i * kStubSize;
    const uint64_t slot = AddressOf({CodePart::kConstants, table_offset_ + extras_[stubs_[i]].slot * kSlotSize});
    WriteStub(file_.Machine(), AddressOf({CodePart::kCode, offset}), slot, code.subspan(offset, kStubSize));
  }
}

Status ObjectLink::Apply(uint32_t section, const ObjectRelocation& relocation) {
  const RelocationForm& form = *FindRelocationForm(file_.Machine(), relocation.type);
  ObjectPlace place = *file_.SectionPlace(section);
  place.offset += relocation.offset;
  const uint64_t number = NumberOf(form, relocation, AddressOf(place));
  if (!CanStore(form, number)) return FailToStore(section, relocation);
  Store(form, number, target_->bytes[static_cast<size_t>(place.part)].subspan(place.offset, RelocatedSize(form)));
  return kOk;
}

Status ObjectLink::FailToStore(uint32_t section, const ObjectRelocation& relocation) const {
  const ElfSymbol& symbol = file_.Symbols()[relocation.symbol];
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "the object: section '%.*s' at %llu: '%.*s' is too far away for a relocation of type %u; compile with "
              "-fPIC",
              HALYARD_SV(file_.Sections()[section].name), Number(relocation.offset), HALYARD_SV(symbol.name),
              relocation.type);
}

uint64_t ObjectLink::SymbolAddress(uint32_t index) const {
  const ElfSymbol& symbol = file_.Symbols()[index];
  if (const auto place = file_.SymbolPlace(symbol)) return AddressOf(*place);
  if (symbol.section == ObjectFile::kAbsolute) return symbol.address;
  if (symbol.name == kTableName) return TableAddress();
  return extras_[index].external;
}

// A table without entries is named all the same by code that finds its variables beside the table.
uint64_t ObjectLink::TableAddress() const {
  return slots_.empty() ? target_->addresses[static_cast<size_t>(CodePart::kCode)]
                        : AddressOf({CodePart::kConstants, table_offset_});
}

bool ObjectLink::IsNear(uint64_t address) const {
  const uint64_t code = target_->addresses[static_cast<size_t>(CodePart::kCode)];
  if (file_.Machine() == ObjectFile::kAarch64) return Distance(address, code) < kArmReach;
  return needs_low_memory_ ? address < uint64_t{1} << 31 : Distance(address, code) < kX86Reach;
}

uint64_t ObjectLink::NearbyAddress(uint32_t index, RelocationValue value) const {
  const uint64_t address = SymbolAddress(index);
  const uint32_t stub = extras_[index].stub;
  if (stub == kNone || IsNear(address)) return address;
  if (value == RelocationValue::kNearby && !externals_.IsFunction(address)) return address;
  return AddressOf({CodePart::kCode, stubs_offset_ + stub * kStubSize});
}

uint64_t ObjectLink::ValueOf(const RelocationForm& form, const ObjectRelocation& relocation) const {
  switch (form.value) {
    case RelocationValue::kNearby:
    case RelocationValue::kCall:
      return NearbyAddress(relocation.symbol, form.value);
    case RelocationValue::kSlot:
      return AddressOf({CodePart::kConstants, table_offset_ + extras_[relocation.symbol].slot * kSlotSize});
    case RelocationValue::kTable:
      return TableAddress();
    case RelocationValue::kSize:
      return file_.Symbols()[relocation.symbol].size;
    default:
      return SymbolAddress(relocation.symbol);
  }
}

uint64_t ObjectLink::NumberOf(const RelocationForm& form, const ObjectRelocation& relocation, uint64_t place) const {
  const uint64_t table = TableAddress();
  const uint64_t value = ValueOf(form, relocation) + static_cast<uint64_t>(relocation.addend);
  switch (form.origin) {
    case RelocationOrigin::kPlace:
      return value - place;
    case RelocationOrigin::kTable:
      return value - table;
    case RelocationOrigin::kPage:
      return (value & kPageMask) - (place & kPageMask);
    case RelocationOrigin::kTablePage:
      return value - (table & kPageMask);
    default:
      return value;
  }
}

}  // namespace halyard
