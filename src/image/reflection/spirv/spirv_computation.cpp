// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/spirv/spirv_computation.h"

#include <limits>

#include "image/reflection/spirv/spirv_opcodes.h"

namespace halyard {
namespace {

using enum spirv::Opcode;

int64_t Signed(const SpirvNumber& number) {
  const uint64_t sign = uint64_t{1} << (number.width - 1);
  return static_cast<int64_t>((number.bits ^ sign) - sign);
}

std::optional<uint64_t> ComputeOne(uint32_t opcode, const SpirvNumber& a) {
  switch (opcode) {
    case kOpUConvert:
      return a.bits;
    case kOpSConvert:
      return static_cast<uint64_t>(Signed(a));
    case kOpSNegate:
      return uint64_t{0} - a.bits;
    case kOpNot:
      return ~a.bits;
    case kOpLogicalNot:
      return a.bits == 0 ? 1 : 0;
    default:
      return std::nullopt;
  }
}

// The remainder has the sign of the dividend (SRem) or of the divisor (SMod).
std::optional<uint64_t> Divide(uint32_t opcode, const SpirvNumber& a, const SpirvNumber& b) {
  const int64_t x = Signed(a), y = Signed(b);
  const bool overflows = x == std::numeric_limits<int64_t>::min() && y == -1;
  if (b.bits == 0 || overflows) return std::nullopt;
  switch (opcode) {
    case kOpUDiv:
      return a.bits / b.bits;
    case kOpUMod:
      return a.bits % b.bits;
    case kOpSDiv:
      return static_cast<uint64_t>(x / y);
    case kOpSRem:
      return static_cast<uint64_t>(x % y);
    default: {
      const int64_t rest = x % y;
      return static_cast<uint64_t>(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
    }
  }
}

uint64_t Shift(uint32_t opcode, const SpirvNumber& a, uint64_t count) {
  const bool is_too_far = count >= a.width;
  switch (opcode) {
    case kOpShiftRightLogical:
      return is_too_far ? 0 : a.bits >> count;
    case kOpShiftLeftLogical:
      return is_too_far ? 0 : a.bits << count;
    default:
      return static_cast<uint64_t>(Signed(a) >> (is_too_far ? a.width - 1 : count));
  }
}

std::optional<bool> Compare(uint32_t opcode, const SpirvNumber& a, const SpirvNumber& b) {
  switch (opcode) {
    case kOpLogicalOr:
      return (a.bits | b.bits) != 0;
    case kOpLogicalAnd:
      return (a.bits & b.bits) != 0;
    case kOpLogicalEqual:
    case kOpIEqual:
      return a.bits == b.bits;
    case kOpLogicalNotEqual:
    case kOpINotEqual:
      return a.bits != b.bits;
    case kOpUGreaterThan:
      return a.bits > b.bits;
    case kOpUGreaterThanEqual:
      return a.bits >= b.bits;
    case kOpULessThan:
      return a.bits < b.bits;
    case kOpULessThanEqual:
      return a.bits <= b.bits;
    case kOpSGreaterThan:
      return Signed(a) > Signed(b);
    case kOpSGreaterThanEqual:
      return Signed(a) >= Signed(b);
    case kOpSLessThan:
      return Signed(a) < Signed(b);
    case kOpSLessThanEqual:
      return Signed(a) <= Signed(b);
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> ComputeTwo(uint32_t opcode, const SpirvNumber& a, const SpirvNumber& b) {
  switch (opcode) {
    case kOpIAdd:
      return a.bits + b.bits;
    case kOpISub:
      return a.bits - b.bits;
    case kOpIMul:
      return a.bits * b.bits;
    case kOpUDiv:
    case kOpSDiv:
    case kOpUMod:
    case kOpSRem:
    case kOpSMod:
      return Divide(opcode, a, b);
    case kOpShiftRightLogical:
    case kOpShiftRightArithmetic:
    case kOpShiftLeftLogical:
      return Shift(opcode, a, b.bits);
    case kOpBitwiseOr:
      return a.bits | b.bits;
    case kOpBitwiseXor:
      return a.bits ^ b.bits;
    case kOpBitwiseAnd:
      return a.bits & b.bits;
    default:
      return Compare(opcode, a, b);
  }
}

std::optional<uint64_t> ComputeWide(uint32_t opcode, std::span<const SpirvNumber> operands) {
  if (operands.size() == 1) return ComputeOne(opcode, operands[0]);
  if (operands.size() == 2) return ComputeTwo(opcode, operands[0], operands[1]);
  if (operands.size() != 3 || opcode != kOpSelect) return std::nullopt;
  return operands[operands[0].bits != 0 ? 1 : 2].bits;
}

}  // namespace

std::optional<uint64_t> ComputeSpirv(uint32_t opcode, std::span<const SpirvNumber> operands, uint32_t width) {
  const std::optional<uint64_t> bits = ComputeWide(opcode, operands);
  return bits ? std::optional(SpirvNumber(*bits, width).bits) : std::nullopt;
}

}  // namespace halyard
