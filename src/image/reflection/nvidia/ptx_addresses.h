// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which parameters of a kernel its code takes for addresses, where their declarations do not tell.
#ifndef HALYARD_IMAGE_REFLECTION_PTX_ADDRESSES_H_
#define HALYARD_IMAGE_REFLECTION_PTX_ADDRESSES_H_

#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "image/reflection/nvidia/ptx_lexer.h"

namespace halyard {

/// What the code of a kernel does with a parameter. The last that applies counts.
enum class PtxUse {
  kNone,      // it is not looked at, or handed on to a function
  kNumber,    // it is computed with
  kAddress,   // it is turned into an address of a state space, or something is read or written there
  kShared,    // the same, in workgroup memory
  kConstant,  // the same, in constant memory
  kHandle,    // it is a texture, surface or sampler
};

/// Follows values from where they are loaded, in one pass from top to bottom: enough for what compilers write, as they
/// load parameters first. An address plus a number is an address; a variable's address plus a parameter has that as a
/// number.
class PtxAddresses {
 public:
  /// Adds a parameter whose use is to be found.
  void Watch(std::string_view parameter);
  /// Takes one statement, without its semicolon.
  void Take(std::span<const PtxToken> statement);
  PtxUse UseOf(std::string_view parameter) const;

 private:
  using Statement = std::span<const PtxToken>;

  void TakeLoad(Statement operands);
  void TakeOther(std::string_view opcode, Statement operands);
  void TakeHandles(Statement operands);
  std::string_view OriginOfResult(Statement operands, size_t first_kept);
  void Mark(std::string_view name, PtxUse use);
  std::string_view OriginOf(std::string_view name) const;
  void SetOrigin(std::string_view name, std::string_view parameter);

  HostMap<std::string_view, PtxUse> uses_;                  // of the watched parameters
  HostMap<std::string_view, std::string_view> parameters_;  // register -> the parameter that it comes from
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_PTX_ADDRESSES_H_
