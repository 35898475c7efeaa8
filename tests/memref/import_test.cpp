// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled functions that call the host's, copy memrefs, and give up.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "functions.h"
#include "import_module.h"

namespace halyard::testing {
namespace {

constexpr const char* kModule = R"(
func.func private @twice(memref<?xf32>, f32) -> f32 attributes {llvm.emit_c_interface}
func.func @apply(%x: memref<?xf32>, %f: f32) -> f32 attributes {llvm.emit_c_interface} {
  %r = call @twice(%x, %f) : (memref<?xf32>, f32) -> f32
  return %r : f32
}
func.func @copy(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32>) attributes {llvm.emit_c_interface} {
  memref.copy %x, %y : memref<?x?xf32, strided<[?, ?], offset: ?>> to memref<?x?xf32>
  return
}
func.func @check(%ok: i1) attributes {llvm.emit_c_interface} {
  cf.assert %ok, "not ok"
  return
}
)";

// The host's `twice`: doubles the elements and the factor.
float Twice(Memref1* x, float factor) {
  for (int64_t i = 0; i < x->size; ++i) x->aligned[i] *= 2;
  return 2 * factor;
}

class ImportTest : public FunctionTest {
 protected:
  hal_status_t LoadModule(const std::vector<hal_function_import_t>& imports, const char* text = kModule) {
    if (!device_) Open("local://sync");
    hal_executable_release(executable_);
    executable_ = nullptr;
    return LoadMlir(device_, folder_, text, imports, &executable_);
  }
  const hal_function_t* Named(const char* name) {
    const hal_function_t* function = nullptr;
    EXPECT_EQ(hal_executable_find_function(executable_, hal_string_view(name), &function), HAL_STATUS_OK);
    return function;
  }
  static hal_function_import_t TwiceImport(const char* name) { return Import(name, Twice); }
  tools::WorkFolder folder_;
};

TEST_F(ImportTest, ExternalFunctionsReachTheHost) {
  ASSERT_EQ(LoadModule({TwiceImport("twice")}), HAL_STATUS_OK) << hal_last_error_message();
  std::vector<float> values = {1, 2, 3};
  hal_memref_t memref = MemrefOf(values, {3});
  const hal_value_t arguments[] = {hal_value_memref(&memref), hal_value_f32(21)};
  hal_value_t result;
  ASSERT_EQ(hal_function_call(Named("apply"), 2, arguments, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(result.as.f32, 42);
  EXPECT_EQ(values, (std::vector<float>{2, 4, 6}));
}

TEST_F(ImportTest, StridedMemrefsAreCopied) {
  ASSERT_EQ(LoadModule({TwiceImport("twice")}), HAL_STATUS_OK) << hal_last_error_message();
  std::vector<float> source = {1, 2, 3, 4, 5, 6};
  std::vector<float> target(6);
  hal_memref_t from = MemrefOf(source, {3, 2});
  hal_memref_strides(&from)[0] = 1;  // column-major
  hal_memref_strides(&from)[1] = 3;
  hal_memref_t to = MemrefOf(target, {3, 2});
  const hal_value_t arguments[] = {hal_value_memref(&from), hal_value_memref(&to)};
  ASSERT_EQ(hal_function_call(Named("copy"), 2, arguments, 0, nullptr), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(target, (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST_F(ImportTest, FailedAssertionFailsTheCall) {
  ASSERT_EQ(LoadModule({TwiceImport("twice")}), HAL_STATUS_OK) << hal_last_error_message();
  hal_value_t ok = {};
  for (int i = 0; i < 4; ++i) {
    ok.as.i8 = static_cast<int8_t>(i & 1);
    const hal_status_t expected = ok.as.i8 ? HAL_STATUS_OK : HAL_STATUS_ABORTED;
    EXPECT_EQ(hal_function_call(Named("check"), 1, &ok, 0, nullptr), expected);
  }
  EXPECT_TRUE(MessageHas("'check' gave up: it called abort(), as a failed cf.assert does"));
}

TEST_F(ImportTest, MissingAndUnknownImportsAreNamed) {
  EXPECT_EQ(LoadModule({}), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("calls '_mlir_ciface_twice', which params->imports does not give"));
  EXPECT_EQ(LoadModule({TwiceImport("thrice")}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("calls no function 'thrice'"));
  EXPECT_EQ(LoadModule({{hal_string_view("twice"), nullptr}}), HAL_STATUS_INVALID_ARGUMENT);
}

// --- What the host's functions return ---

constexpr const char* kResultsModule = R"(
func.func private @make(index, f32) -> memref<?xf32> attributes {llvm.emit_c_interface}
func.func private @tail(memref<*xf32>) -> memref<*xf32> attributes {llvm.emit_c_interface}
func.func private @measure(memref<?xf32>) -> (f32, memref<?xf32>, i64, memref<*xf32>, i1)
    attributes {llvm.emit_c_interface}
func.func @call_make(%n: index, %v: f32) -> (memref<?xf32>, f32) attributes {llvm.emit_c_interface} {
  %m = call @make(%n, %v) : (index, f32) -> memref<?xf32>
  %one = arith.constant 1 : index
  %second = memref.load %m[%one] : memref<?xf32>
  return %m, %second : memref<?xf32>, f32
}
func.func @call_tail(%x: memref<*xf32>) -> (memref<*xf32>, index) attributes {llvm.emit_c_interface} {
  %t = call @tail(%x) : (memref<*xf32>) -> memref<*xf32>
  %rank = memref.rank %t : memref<*xf32>
  return %t, %rank : memref<*xf32>, index
}
func.func @call_measure(%x: memref<?xf32>) -> (i1, memref<*xf32>, i64, memref<?xf32>, f32)
    attributes {llvm.emit_c_interface} {
  %r:5 = call @measure(%x) : (memref<?xf32>) -> (f32, memref<?xf32>, i64, memref<*xf32>, i1)
  return %r#4, %r#3, %r#2, %r#1, %r#0 : i1, memref<*xf32>, i64, memref<?xf32>, f32
}
)";

Memref1 NewMemref(int64_t size) {
  auto* const memory = static_cast<float*>(std::malloc(static_cast<size_t>(size) * sizeof(float)));
  return {memory, memory, 0, size, 1};
}

// The host's `make`: a result that is a memref is written where the first pointer says.
void Make(Memref1* result, int64_t size, float value) {
  *result = NewMemref(size);
  for (int64_t i = 0; i < size; ++i) result->aligned[i] = value + static_cast<float>(i);
}

// The compiled code frees the descriptor.
UnrankedMemref NewUnranked(const Memref1& memref) {
  void* const descriptor = std::malloc(sizeof(memref));
  *static_cast<Memref1*>(descriptor) = memref;
  return {1, descriptor};
}

// The host's `tail`: all but the first element.
void Tail(UnrankedMemref* result, const UnrankedMemref* x) {
  Memref1 memref = *static_cast<const Memref1*>(x->descriptor);
  ++memref.offset;
  --memref.size;
  *result = NewUnranked(memref);
}

struct Measured {
  float sum;
  Memref1 reversed;
  int64_t size;
  UnrankedMemref same;
  bool is_sorted;
};

// The host's `measure`: several results are a struct.
void Measure(Measured* results, const Memref1* x) {
  const float* const end = x->aligned + x->size;
  results->sum = 0;
  for (const float* value = x->aligned; value != end; ++value) results->sum += *value;
  results->reversed = NewMemref(x->size);
  std::reverse_copy(static_cast<const float*>(x->aligned), end, results->reversed.aligned);
  results->size = x->size;
  results->same = NewUnranked(*x);
  results->is_sorted = std::is_sorted(static_cast<const float*>(x->aligned), end);
}

class ImportResultTest : public ImportTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(LoadModule({Import("make", Make), Import("tail", Tail), Import("measure", Measure)}, kResultsModule),
              HAL_STATUS_OK)
        << hal_last_error_message();
  }
  static std::vector<float> ValuesOf(hal_memref_t& memref) {
    const float* const first = static_cast<const float*>(memref.aligned) + memref.offset;
    return {first, first + hal_memref_sizes(&memref)[0]};
  }
};

TEST_F(ImportResultTest, RankedMemrefThatTheHostMadeIsHandedOn) {
  const hal_value_t arguments[] = {hal_value_index(3), hal_value_f32(5)};
  hal_memref_t made;
  hal_value_t results[2] = {hal_value_memref(&made)};
  ASSERT_EQ(hal_function_call(Named("call_make"), 2, arguments, 2, results), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(ValuesOf(made), (std::vector<float>{5, 6, 7}));
  EXPECT_EQ(results[1].as.f32, 6);
  EXPECT_EQ(made.owned, 1u);
  hal_memref_release(&made);
}

TEST_F(ImportResultTest, UnrankedMemrefOfAnArgumentStaysTheArguments) {
  std::vector<float> values = {1, 2, 3};
  hal_memref_t memref = MemrefOf(values, {3});
  const hal_value_t argument = hal_value_memref(&memref);
  hal_memref_t tail;
  hal_value_t results[2] = {hal_value_memref(&tail)};
  ASSERT_EQ(hal_function_call(Named("call_tail"), 1, &argument, 2, results), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(tail.rank, 1u);
  EXPECT_EQ(results[1].as.i64, 1);
  EXPECT_EQ(ValuesOf(tail), (std::vector<float>{2, 3}));
  EXPECT_EQ(tail.aligned, values.data());
  EXPECT_EQ(tail.owned, 0u);
}

TEST_F(ImportResultTest, SeveralResultsOfMixedKindsComeThrough) {
  std::vector<float> values = {1, 4, 2};
  for (const bool sorted : {false, true}) {
    if (sorted) std::sort(values.begin(), values.end());
    hal_memref_t memref = MemrefOf(values, {3});
    const hal_value_t argument = hal_value_memref(&memref);
    hal_memref_t same, reversed;
    hal_value_t results[5] = {{}, hal_value_memref(&same), {}, hal_value_memref(&reversed), {}};
    ASSERT_EQ(hal_function_call(Named("call_measure"), 1, &argument, 5, results), HAL_STATUS_OK)
        << hal_last_error_message();
    EXPECT_EQ(results[0].as.i8, sorted ? 1 : 0);
    EXPECT_EQ(same.aligned, values.data());
    EXPECT_EQ(same.owned, 0u);
    EXPECT_EQ(results[2].as.i64, 3);
    EXPECT_EQ(ValuesOf(reversed), std::vector<float>(values.rbegin(), values.rend()));
    EXPECT_EQ(reversed.owned, 1u);
    EXPECT_EQ(results[4].as.f32, 7);
    hal_memref_release(&reversed);
  }
}

// --- What a failed assertion writes ---

/// Leads this process's standard output to a file while it lives.
class OutputToFile {
 public:
  explicit OutputToFile(const std::string& path) : kept_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    EXPECT_GE(dup2(file, STDOUT_FILENO), 0);
    close(file);
  }
  OutputToFile(const OutputToFile&) = delete;
  OutputToFile& operator=(const OutputToFile&) = delete;
  ~OutputToFile() {
    std::fflush(stdout);
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }

 private:
  int kept_;
};

class ImportOutputTest : public ImportTest {
 protected:
  /// What a failed assertion of a module writes.
  std::string OutputOf(const std::string& text) {
    EXPECT_EQ(LoadModule({}, text.c_str()), HAL_STATUS_OK) << hal_last_error_message();
    const hal_function_t* const check = Named("check");
    const hal_value_t not_ok = {};
    {
      const OutputToFile output(folder_ / "output.txt");
      EXPECT_EQ(hal_function_call(check, 1, &not_ok, 0, nullptr), HAL_STATUS_ABORTED);
    }
    std::stringstream written;
    written << std::ifstream(folder_ / "output.txt").rdbuf();
    return written.str();
  }
};

constexpr const char* kCheck = R"(
func.func @check(%ok: i1) attributes {llvm.emit_c_interface} {
  cf.assert %ok, "not ok"
  return
}
)";
constexpr const char* kQuietPuts = R"(
llvm.func internal @puts(%text: !llvm.ptr) {
  llvm.return
}
)";

// docs/memref.md tells users of this.
TEST_F(ImportOutputTest, TextOfAFailedAssertionIsPutsOfTheModule) {
  if (HALYARD_MLIR_VERSION >= 19) EXPECT_EQ(OutputOf(kCheck), "not ok\n");
  EXPECT_EQ(OutputOf(std::string(kQuietPuts) + kCheck), "");
}

}  // namespace
}  // namespace halyard::testing
