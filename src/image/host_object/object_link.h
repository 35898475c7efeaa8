// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links one relocatable object: finds what it needs of others, and puts its bytes together for the addresses it gets.
#ifndef HALYARD_IMAGE_HOST_OBJECT_OBJECT_LINK_H_
#define HALYARD_IMAGE_HOST_OBJECT_OBJECT_LINK_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "image/host_object/object_file.h"
#include "image/host_object/relocation_form.h"

namespace halyard {

/// What an object may take from others.
class Externals {
 public:
  virtual ~Externals() = default;
  /// The address of a symbol; 0 if there is none.
  virtual uint64_t Find(std::string_view name) = 0;
  /// Whether an address that it gave is that of a function.
  virtual bool IsFunction(uint64_t address) = 0;
};

/// The memory of an object: where it will be called and read, and the bytes that go there.
struct LinkTarget {
  std::array<uint64_t, kCodeParts> addresses = {};          // [CodePart]
  std::array<std::span<std::byte>, kCodeParts> bytes = {};  // [CodePart]: as many as Sizes() says; all 0
};

/// Beside what sections take, an object gets a table with the addresses that it loads, and stubs that jump to functions
/// which may be too far away. It is used on one thread.
class ObjectLink {
 public:
  /// `file` and `externals` must outlive it.
  ObjectLink(const ObjectFile& file, Externals& externals) : file_(file), externals_(externals) {}

  /// Looks at all relocations. NOT_FOUND with the names of symbols that are missing; INCOMPATIBLE for relocations that
  /// are not known; DATA_LOSS for those that lie outside of their section.
  Status Plan();
  const CodeSizes& Sizes() const { return sizes_; }
  /// The object has addresses of 32 bits: it must be below the address 2^31.
  bool NeedsLowMemory() const { return needs_low_memory_; }

  /// Puts the bytes together. INCOMPATIBLE if a number does not fit the place of a relocation.
  Status Build(const LinkTarget& target);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// What the link adds for a symbol.
  struct Extra {
    uint32_t slot = kNone;  // number in the table
    uint32_t stub = kNone;
    uint64_t external = 0;  // its address in others
    bool is_looked_up = false;
  };

  Status PlanRelocation(uint32_t section, const ObjectRelocation& relocation);
  Status PlanSymbol(uint32_t index, RelocationValue value);
  void FindExternal(uint32_t index);
  void AddSlot(uint32_t index);
  Status Apply(uint32_t section, const ObjectRelocation& relocation);
  void FillTables();

  uint64_t AddressOf(const ObjectPlace& place) const {
    return target_->addresses[static_cast<size_t>(place.part)] + place.offset;
  }
  uint64_t SymbolAddress(uint32_t index) const;
  uint64_t TableAddress() const;
  bool IsNear(uint64_t address) const;
  uint64_t NearbyAddress(uint32_t index, RelocationValue value) const;
  uint64_t ValueOf(const RelocationForm& form, const ObjectRelocation& relocation) const;
  uint64_t NumberOf(const RelocationForm& form, const ObjectRelocation& relocation, uint64_t place) const;
  Status FailToStore(uint32_t section, const ObjectRelocation& relocation) const;

  const ObjectFile& file_;
  Externals& externals_;
  HostVector<Extra> extras_;    // [symbol]
  HostVector<uint32_t> slots_;  // [slot]: its symbol
  HostVector<uint32_t> stubs_;  // [stub]: its symbol
  HostVector<HostString> missing_;
  CodeSizes sizes_;
  uint64_t table_offset_ = 0;  // bytes, in the constants
  uint64_t stubs_offset_ = 0;  // bytes, in the code
  bool needs_low_memory_ = false;
  const LinkTarget* target_ = nullptr;  // while Build() runs
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_HOST_OBJECT_OBJECT_LINK_H_
