// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled functions that are named like functions of the C library: calls of them reach the module's own.
#include <memory>
#include <string>

#include "functions.h"
#include "import_module.h"
#include "support/failure.h"

namespace halyard::testing {
namespace {

// Of libc, libm, libstdc++ and the compiler's builtins: what a module might call a function of its own, what MLIR's
// lowering calls, and what LLVM knows by name.
constexpr const char* kNames[] = {"step",          "select",       "index",   "gamma",       "time",
                                  "remove",        "exp",          "abs",     "write",       "read",
                                  "open",          "close",        "send",    "connect",     "accept",
                                  "bind",          "listen",       "link",    "rename",      "signal",
                                  "kill",          "wait",         "sleep",   "clock",       "random",
                                  "rand",          "exit",         "printf",  "puts",        "system",
                                  "getenv",        "malloc",       "free",    "calloc",      "realloc",
                                  "memcpy",        "memset",       "memmove", "strlen",      "qsort",
                                  "div",           "floor",        "ceil",    "round",       "sin",
                                  "cos",           "tanf",         "expf",    "log",         "pow",
                                  "sqrt",          "y0",           "j1",      "fmin",        "fmaxf",
                                  "erf",           "trunc",        "ldexp",   "memrefCopy",  "abort",
                                  "main",          "_init",        "bsearch", "swab",        "update",
                                  "aligned_alloc", "__truncsfbf2", "_Znwm",   "__cxa_throw", "halyard_import_table"};

// Each function writes its number, by itself and through a call of the next one that has another convention.
std::string Module() {
  std::string text = R"(
func.func private @record(%out: memref<?xf32>, %at: index, %value: f32) {
  memref.store %value, %out[%at] : memref<?xf32>
  return
}
)";
  const size_t count = std::size(kNames);
  for (size_t i = 0; i < count; ++i) {
    const std::string name = kNames[i];
    const std::string number = std::to_string(i);
    const std::string next = kNames[(i + 1) % count];
    text += tools::Concat("func.func @", name, "(%out: memref<?xf32>, %depth: index) -> f32 ",
                          i % 2 == 0 ? "attributes {llvm.emit_c_interface}" : "", R"( {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %at = arith.constant )",
                          number, R"( : index
  %value = arith.constant )",
                          number, R"(.0 : f32
  func.call @record(%out, %at, %value) : (memref<?xf32>, index, f32) -> ()
  %again = arith.cmpi sgt, %depth, %zero : index
  %sum = scf.if %again -> f32 {
    %less = arith.subi %depth, %one : index
    %rest = func.call @)",
                          next, R"((%out, %less) : (memref<?xf32>, index) -> f32
    %both = arith.addf %rest, %value : f32
    scf.yield %both : f32
  } else {
    scf.yield %value : f32
  }
  return %sum : f32
}
)");
  }
  // Functions that the lowering of these operations calls, beside functions of the same names.
  return text + R"(
func.func @lowered(%x: f64, %n: index) -> (f64, f64) attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : index
  %e = math.exp %x : f64
  %t = math.tan %x : f64
  %memory = memref.alloc(%n) : memref<?xf64>
  %copy = memref.alloc(%n) : memref<?xf64>
  memref.store %t, %memory[%zero] : memref<?xf64>
  memref.copy %memory, %copy : memref<?xf64> to memref<?xf64>
  %u = memref.load %copy[%zero] : memref<?xf64>
  memref.dealloc %copy : memref<?xf64>
  memref.dealloc %memory : memref<?xf64>
  return %e, %u : f64, f64
}
func.func @cosf(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %y = arith.mulf %x, %two : f32
  return %y : f32
}
func.func @labs(%x: i64) -> i64 {
  %two = arith.constant 2 : i64
  %y = arith.muli %x, %two : i64
  return %y : i64
}
func.func @folded() -> (f32, f32, i64) attributes {llvm.emit_c_interface} {
  %x = arith.constant 0.0 : f32
  %minus = arith.constant -3 : i64
  %own = func.call @cosf(%x) : (f32) -> f32
  %real = math.cos %x : f32
  %doubled = func.call @labs(%minus) : (i64) -> i64
  return %own, %real, %doubled : f32, f32, i64
}
)";
}

class SymbolTest : public FunctionTest {
 protected:
  // One file for all tests, as compiling takes long.
  static void SetUpTestSuite() {
    s_folder = std::make_unique<tools::WorkFolder>();
    s_path = PackMlir(*s_folder, Module());
  }
  static void TearDownTestSuite() { s_folder.reset(); }
  void SetUp() override {
    Open("local://sync");
    ASSERT_EQ(LoadPacked(device_, s_path, {}, &executable_), HAL_STATUS_OK) << hal_last_error_message();
  }
  const hal_function_t* Named(const char* name) const {
    const hal_function_t* function = nullptr;
    EXPECT_EQ(hal_executable_find_function(executable_, hal_string_view(name), &function), HAL_STATUS_OK)
        << hal_last_error_message();
    return function;
  }

  static std::unique_ptr<tools::WorkFolder> s_folder;
  static std::string s_path;
};
std::unique_ptr<tools::WorkFolder> SymbolTest::s_folder;
std::string SymbolTest::s_path;

TEST_F(SymbolTest, TheModulesOwnFunctionsAreCalled) {
  const size_t count = std::size(kNames);
  for (size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(kNames[i]);
    std::vector<float> written(count, -1);
    hal_memref_t memref = MemrefOf(written, {static_cast<int64_t>(count)});
    const hal_value_t arguments[] = {hal_value_memref(&memref), hal_value_index(3)};
    hal_value_t result;
    ASSERT_EQ(hal_function_call(Named(kNames[i]), 2, arguments, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
    std::vector<float> expected(count, -1);
    float sum = 0;
    for (size_t nested = i; nested <= i + 3; ++nested) {
      expected[nested % count] = static_cast<float>(nested % count);
      sum += expected[nested % count];
    }
    EXPECT_EQ(written, expected);
    EXPECT_EQ(result.as.f32, sum);
  }
}

TEST_F(SymbolTest, OperationsCallTheLibraryAllTheSame) {
  const hal_value_t arguments[] = {{{.f64 = 0.5}}, hal_value_index(4)};
  hal_value_t results[2];
  ASSERT_EQ(hal_function_call(Named("lowered"), 2, arguments, 2, results), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_DOUBLE_EQ(results[0].as.f64, 1.6487212707001282);
  EXPECT_DOUBLE_EQ(results[1].as.f64, 0.5463024898437905);
}

TEST_F(SymbolTest, TheOptimiserKnowsNoneOfThemByName) {
  hal_value_t results[3];
  ASSERT_EQ(hal_function_call(Named("folded"), 0, nullptr, 3, results), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(results[0].as.f32, 0);
  EXPECT_EQ(results[1].as.f32, 1);
  EXPECT_EQ(results[2].as.i64, -6);
}

}  // namespace
}  // namespace halyard::testing
