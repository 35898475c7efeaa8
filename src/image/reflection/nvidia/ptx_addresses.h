// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which parameters of a kernel its code takes for addresses, where their declarations do not tell. A structure that is
// passed by value may hold some.
#ifndef HALYARD_IMAGE_REFLECTION_PTX_ADDRESSES_H_
#define HALYARD_IMAGE_REFLECTION_PTX_ADDRESSES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/host_memory.h"
#include "image/reflection/nvidia/ptx_lexer.h"
#include "image/reflection/reflected_image.h"

namespace halyard {

/// What the code of a kernel does with 8 bytes of a parameter. The last that applies counts.
enum class PtxUse {
  kNone,         // it is not looked at, or handed on to a function
  kNumber,       // it is computed with
  kPartAddress,  // the sum of it and of another parameter is an address, and either may be the number
  kAddress,      // it is turned into an address of a state space, or something is read or written there
  kShared,       // the same, in workgroup memory
  kConstant,     // the same, in constant memory
  kHandle,       // it is a texture, surface or sampler
};

/// How a parameter is declared.
enum class PtxShape {
  kNumber,     // of 8 bytes
  kStructure,  // whose addresses are aligned
  kPacked,     // whose addresses are loaded in pieces, as they may lie anywhere
};

/// Where a value lies at first: bytes of a parameter, or of a variable in constant memory.
struct PtxPlace {
  std::string_view owner;
  uint32_t offset = 0;  // kAnyOffset if the code computes it

  bool operator<(const PtxPlace& other) const {
    return std::pair(owner, offset) < std::pair(other.owner, other.offset);
  }
  bool operator==(const PtxPlace& other) const { return owner == other.owner && offset == other.offset; }
};

/// Follows values from where they are loaded, in one pass from top to bottom: enough for what compilers write, as they
/// load parameters first. An address plus a number is an address; a variable's address plus a parameter has that as a
/// number.
class PtxAddresses {
 public:
  /// Adds a parameter whose use is to be found.
  /// @param is_marked  as an address
  void Watch(std::string_view parameter, PtxShape shape, bool is_marked);
  /// Takes one statement, without its semicolon.
  void Take(std::span<const PtxToken> statement);
  /// Decides what is left open. To be called once, after the last statement.
  void Finish();

  /// Of the first 8 bytes of a parameter.
  PtxUse UseOf(std::string_view parameter) const;
  /// Whether any 8 bytes of a parameter are used so.
  bool HasUse(std::string_view parameter, PtxUse use) const;
  /// Where in a parameter the code finds addresses of memory: sorted offsets, kAnyOffset last.
  HostVector<uint32_t> AddressesIn(std::string_view parameter) const;
  /// Whether a structure, or a part of it, is handed on to a function.
  bool IsHandedOn(std::string_view parameter) const { return handed_on_.find(parameter) != handed_on_.end(); }
  /// The same as AddressesIn() for variables in constant memory.
  HostVector<AddressesInVariable> AddressesInVariables() const;

 private:
  using Statement = std::span<const PtxToken>;

  /// What a register holds.
  struct Value {
    enum class Kind {
      kOther,
      kContents,  // what lies at a place, maybe with a number added; the sum of two, or one of two
      kPlace,     // the address of a place, which is no parameter's contents
      kPiece,     // less than 8 bytes of a structure, which code may put together
    };
    Kind kind = Kind::kOther;
    PtxPlace place;
    PtxPlace other = {};  // kContents: the second of two
    bool is_sum = false;
    bool is_joined = false;  // kContents: made of pieces
  };

  void TakeLoad(std::string_view opcode, Statement operands);
  void TakeLocalStore(Statement operands);
  void TakeOther(std::string_view opcode, Statement operands);
  void TakeHandles(Statement operands);
  Value BaseOf(std::string_view opcode, const PtxToken& token) const;
  Value Loaded(std::string_view opcode, const Value& base, uint32_t offset, uint32_t size) const;
  Value ResultOf(std::string_view opcode, Statement operands, size_t first_kept);
  Value PiecesOf(std::string_view opcode, Statement operands) const;
  Value ValueOf(const PtxToken& token) const;
  void Mark(const PtxToken& token, PtxUse use);
  void Mark(const PtxPlace& place, PtxUse use);
  bool IsStructure(const PtxPlace& place) const;
  void SetValue(std::string_view name, const Value& value);

  HostMap<std::string_view, PtxShape> watched_;     // parameters
  HostMap<PtxPlace, PtxUse> uses_;                  // of their parts
  HostMap<std::string_view, Value> values_;         // of registers
  HostVector<std::pair<PtxPlace, PtxPlace>> sums_;  // of two parts, where something is read or written
  HostMap<std::string_view, bool> handed_on_;       // structures; all true
  std::string_view stored_;  // the structure that was copied to private memory; empty if none was
  bool are_several_stored_ = false;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_PTX_ADDRESSES_H_
