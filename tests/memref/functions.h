// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables of functions.c and c_functions.c, with signatures written as MLIR and as descriptions write them.
#ifndef HALYARD_TESTS_MEMREF_FUNCTIONS_H_
#define HALYARD_TESTS_MEMREF_FUNCTIONS_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "halyard/halyard.h"
#include "support/functions/mlir_functions.h"

namespace halyard::testing {

/// A complex number of the machine's `long double`.
#if defined(__x86_64__)
#define HALYARD_LONG_COMPLEX "complex<f80>"
#else
#define HALYARD_LONG_COMPLEX "complex<f128>"
#endif
inline constexpr const char* kComplexLongDouble = HALYARD_LONG_COMPLEX;
/// The type of `turned`.
inline constexpr const char* kTurned = "(" HALYARD_LONG_COMPLEX ", f8E5M2) -> " HALYARD_LONG_COMPLEX;

/// A function of functions.c.
struct FunctionSpec {
  const char* name;
  const char* type;  ///< "(memref<?xf32>, index) -> f32"
  hal_calling_convention_t convention = HAL_CALLING_CONVENTION_WRAPPER;
};

/// The workgroup roles that arguments may be given before an executable is made.
using Roles = std::vector<std::pair<size_t, hal_argument_role_t>>;

/// A device with an executable of one function.
class FunctionTest : public ::testing::Test {
 protected:
  ~FunctionTest() override;
  void Open(const char* uri);
  hal_status_t Load(const FunctionSpec& spec, const Roles& roles = {});
  /// Loads a function of c_functions.c. `description` is the JSON of its export without name and convention.
  hal_status_t LoadC(const char* name, const std::string& description);
  /// Loads and finds a function, which must be there.
  const hal_function_t* Find(const FunctionSpec& spec);

  hal_status_t Create(const hal_export_info_t& info);

  hal_device_t* device_ = nullptr;
  hal_executable_t* executable_ = nullptr;
};

/// A dense memref over a vector.
hal_memref_t MemrefOf(std::vector<float>& values, std::vector<int64_t> sizes);

/// The last message contains a text.
::testing::AssertionResult MessageHas(const std::string& text);

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_MEMREF_FUNCTIONS_H_
