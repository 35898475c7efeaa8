// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of random signatures: their MLIR, what to call them with, and what has to come of it.
//
// Each function writes what it sees of its arguments to a last argument, the probe: the bits of every scalar, the sizes
// and the last element of every memref. What it returns is made of constants and arguments.
#ifndef HALYARD_TESTS_MEMREF_GENERATED_FUNCTION_H_
#define HALYARD_TESTS_MEMREF_GENERATED_FUNCTION_H_

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "halyard/memref.h"

namespace halyard::testing {

/// A scalar type, as MLIR names it.
struct ScalarType {
  const char* name;
  hal_element_type_t type;
  const char* part;  ///< type of one part
  const char* bits;  ///< signless integer type of the same width
  int width;         ///< bits of one part
  size_t size;       ///< bytes of one part in memory
  size_t parts;      ///< 2 if complex
  int since = 16;    ///< the first version of MLIR that was seen to lower it

  /// Those of 8 bits and less are treated as the integers that they are to LLVM.
  bool IsFloat() const { return IsAnyFloat() && width > 8; }
  bool IsSmallFloat() const { return IsAnyFloat() && width <= 8; }
  bool IsBfloat() const { return part[0] == 'b'; }
  bool IsWideInteger() const { return !IsFloat() && width > 64; }
  /// Bytes of a part in memory that mean something.
  size_t UsedBytes() const { return (static_cast<size_t>(width) + 7) / 8; }

 private:
  bool IsAnyFloat() const { return part[0] == 'f' || part[0] == 'b'; }
};

/// 128 bits.
struct WideBits {
  uint64_t low = 0;
  uint64_t high = 0;
};

/// Numbers, which narrow types have the low bits of.
struct ScalarValue {
  std::array<int, 2> numbers;

  /// The bits of a part; above an integer's own there are copies of its sign, or zeroes.
  WideBits Bits(const ScalarType& type, size_t part) const;

  /// Integers are extended in values, and have zeroes above their bits as elements.
  enum class Form { kValue, kElement };
  /// Writes `size * parts` bytes.
  void Store(const ScalarType& type, Form form, void* memory) const;
};

/// A memref type with the array that it is called with.
struct MemrefCase {
  const ScalarType* element = nullptr;
  bool is_unranked = false;
  std::vector<int64_t> sizes;
  std::vector<bool> is_static;  ///< [dimension]
  enum class Layout { kIdentity, kDynamic, kStatic } layout = Layout::kIdentity;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  ScalarValue last;  ///< its last element

  std::string TypeText() const;
  int64_t LastIndex() const;  ///< elements from `aligned`
  std::string RankedText() const;
};

struct ArgumentCase {
  const ScalarType* scalar = nullptr;  ///< NULL for memrefs
  ScalarValue value;
  MemrefCase memref;
};

/// What a result is made of.
struct ResultCase {
  enum class Source { kConstant, kArgument, kAllocation, kGlobal } source = Source::kConstant;
  const ScalarType* scalar = nullptr;  ///< NULL for memrefs
  size_t argument = 0;                 ///< ARGUMENT: which
  ScalarValue value;                   ///< CONSTANT, ALLOCATION: the number, or the last element
  MemrefCase memref;                   ///< its type
};

/// What shapes the random choices take.
struct CaseOptions {
  bool bare_pointers = false;  ///< only static shapes without unranked memrefs
  int mlir_version = 16;       ///< which has to lower the types
};

class GeneratedFunction {
 public:
  /// Numbers of type i64 that the probe holds, which none writes more of.
  static constexpr size_t kProbeSize = 128;

  GeneratedFunction(uint64_t seed, const CaseOptions& options);

  /// The function in MLIR; `attributes` follow its type.
  std::string Text(const std::string& name, const std::string& attributes) const;
  /// What has to be in the probe afterwards.
  std::vector<int64_t> Probe() const;
  const std::vector<ArgumentCase>& Arguments() const { return arguments_; }
  const std::vector<ResultCase>& Results() const { return results_; }

 private:
  size_t Below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }
  ScalarValue RandomValue();
  const ScalarType& RandomScalar(const CaseOptions& options);
  MemrefCase RandomMemref(const CaseOptions& options);
  ResultCase RandomResult(const CaseOptions& options);

  std::mt19937_64 random_;
  std::vector<ArgumentCase> arguments_;
  std::vector<ResultCase> results_;
};

/// What all generated modules begin with.
std::string ModuleHead();

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_MEMREF_GENERATED_FUNCTION_H_
