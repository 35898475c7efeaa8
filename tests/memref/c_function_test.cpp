// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain C functions: calls, and dispatches of one workgroup and of grids.
#include <cmath>
#include <cstring>
#include <limits>

#include "dispatch.h"
#include "support/json.h"

namespace halyard::testing {
namespace {

constexpr auto kI64 = [](int64_t number) { return hal_value_index(number); };

hal_value_t Bytes(const void* bytes, size_t size) {
  hal_value_t value = {};
  std::memcpy(&value, bytes, size);
  return value;
}
template <class T>
hal_value_t Value(T number) {
  return Bytes(&number, sizeof(number));
}

class CCallTest : public FunctionTest {
 protected:
  const hal_function_t* FindC(const char* name, const std::string& description) {
    const hal_function_t* function = nullptr;
    EXPECT_EQ(LoadC(name, description), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(hal_executable_find_function(executable_, hal_string_view(name), &function), HAL_STATUS_OK)
        << hal_last_error_message();
    return function;
  }

  /// Passes a number of a type to a function that returns it.
  template <class T>
  void ExpectEchoes(const char* name, const std::string& type, std::initializer_list<T> numbers) {
    const hal_function_t* const function =
        FindC(name, R"({"arguments": [")" + type + R"("], "result": ")" + type + R"("})");
    ASSERT_NE(function, nullptr);
    for (const T number : numbers) {
      // What lies behind a number in its union must not matter.
      hal_value_t given = Value(uint64_t{0xA5A5A5A5A5A5A5A5});
      std::memcpy(&given, &number, sizeof(number));
      hal_value_t result = {};
      ASSERT_EQ(hal_function_call(function, 1, &given, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
      EXPECT_EQ(std::memcmp(&result, &number, sizeof(number)), 0) << name << " of " << +number;
    }
  }
};

TEST_F(CCallTest, NumbersOfEveryTypeComeBack) {
  ExpectEchoes<uint8_t>("echo_bool", "i1", {0, 1});
  ExpectEchoes<int8_t>("echo_i8", "i8", {0, 1, -1, 127, -128});
  ExpectEchoes<uint8_t>("echo_u8", "u8", {0, 1, 128, 255});
  ExpectEchoes<int16_t>("echo_i16", "si16", {0, -1, 32767, -32768});
  ExpectEchoes<uint16_t>("echo_u16", "ui16", {0, 65535});
  ExpectEchoes<int32_t>("echo_i32", "i32", {0, -1, std::numeric_limits<int32_t>::min()});
  ExpectEchoes<uint32_t>("echo_u32", "u32", {0, UINT32_MAX});
  ExpectEchoes<int64_t>("echo_i64", "i64", {0, -1, INT64_MIN});
  ExpectEchoes<uint64_t>("echo_u64", "u64", {0, UINT64_MAX});
  ExpectEchoes<int64_t>("echo_pointer", "index", {0, -1, INT64_MAX});
  ExpectEchoes<float>("echo_f32", "f32", {0, -1.5f, INFINITY});
  ExpectEchoes<double>("echo_f64", "f64", {0, -1.5, 1e300});
  ExpectEchoes<uint16_t>("echo_f16", "f16", {0, 0x3C00, 0xFBFF});
}

TEST_F(CCallTest, NarrowResultsAreExtended) {
  const hal_function_t* const function = FindC("echo_i8", R"({"arguments": ["i8"], "result": "i8"})");
  hal_value_t result = {};
  const hal_value_t given = Value(int8_t{-3});
  ASSERT_EQ(hal_function_call(function, 1, &given, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(result.as.i64, -3);
}

TEST_F(CCallTest, NumbersGoToRegistersAndTheStack) {
  const hal_function_t* const function = FindC("many", R"({"arguments": [
      "i1", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "index", "f32", "f64", "f32", "f64", "f32", "f64",
      "f32", "f64", "f32", "f64"], "result": "f64"})");
  const hal_value_t arguments[] = {Value(true),
                                   Value(int8_t{-2}),
                                   Value(uint8_t{200}),
                                   Value(int16_t{-300}),
                                   Value(uint16_t{60000}),
                                   Value(int32_t{-70000}),
                                   Value(uint32_t{4000000000}),
                                   Value(int64_t{-5}),
                                   Value(uint64_t{6}),
                                   kI64(7),
                                   Value(0.5f),
                                   Value(1.5),
                                   Value(2.5f),
                                   Value(3.5),
                                   Value(4.5f),
                                   Value(5.5),
                                   Value(6.5f),
                                   Value(7.5),
                                   Value(8.5f),
                                   Value(9.5)};
  hal_value_t result = {};
  ASSERT_EQ(hal_function_call(function, 20, arguments, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
  double expected =
      1 - 2.0 * 2 + 3.0 * 200 - 4.0 * 300 + 5.0 * 60000 - 6.0 * 70000 + 7.0 * 4000000000 - 8.0 * 5 + 9.0 * 6 + 10.0 * 7;
  for (int i = 0; i < 10; ++i) expected += (11 + i) * (0.5 + i);
  EXPECT_EQ(result.as.f64, expected);
}

TEST_F(CCallTest, PointersArePassedAsTheyAre) {
  std::vector<float> x = {1, 2, 3};
  std::vector<float> y = {10, 20, 30};
  const hal_function_t* const saxpy = FindC("saxpy", R"({"arguments": ["i64", "f32", "const f32*", "f32*"]})");
  const hal_value_t arguments[] = {kI64(3), hal_value_f32(2), hal_value_pointer(x.data()), hal_value_pointer(y.data())};
  ASSERT_EQ(hal_function_call(saxpy, 4, arguments, 0, nullptr), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(y, (std::vector<float>{12, 24, 36}));
}

TEST_F(CCallTest, PointersMayBeNull) {
  const hal_function_t* const function = FindC("is_null", R"({"arguments": ["const void*"], "result": "i64"})");
  hal_value_t result = {};
  char byte = 0;
  for (void* const pointer : {static_cast<void*>(nullptr), static_cast<void*>(&byte)}) {
    const hal_value_t given = hal_value_pointer(pointer);
    ASSERT_EQ(hal_function_call(function, 1, &given, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(result.as.i64, pointer == nullptr);
  }
}

TEST_F(CCallTest, MisalignedPointersAreRefused) {
  const hal_function_t* const saxpy = FindC("saxpy", R"({"arguments": ["i64", "f32", "const f32*", "f32*"]})");
  alignas(8) char bytes[8] = {};
  const hal_value_t arguments[] = {kI64(1), hal_value_f32(2), hal_value_pointer(bytes), hal_value_pointer(bytes + 1)};
  EXPECT_EQ(hal_function_call(saxpy, 4, arguments, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("'saxpy': argument 3: the address 0x"));
  EXPECT_TRUE(MessageHas("is not aligned to the 4 bytes of f32"));
}

TEST_F(CCallTest, StatusThatIsNotZeroFailsTheCall) {
  const hal_function_t* const function = FindC("status", R"({"arguments": ["i32", "i32*"], "result": "status"})");
  int32_t runs = 0;
  for (const int32_t code : {0, 7, -1}) {
    const hal_value_t arguments[] = {kI64(code), hal_value_pointer(&runs)};
    const hal_status_t status = hal_function_call(function, 2, arguments, 0, nullptr);
    EXPECT_EQ(status, code == 0 ? HAL_STATUS_OK : HAL_STATUS_ABORTED);
    if (code != 0) EXPECT_TRUE(MessageHas("'status' returned the status " + std::to_string(code)));
  }
  EXPECT_EQ(runs, 3);
}

TEST_F(CCallTest, StatusIsAnInt) {
  const hal_function_t* const function = FindC("status_with_junk", R"({"arguments": ["i32"], "result": "status"})");
  hal_value_t code = kI64(0);
  EXPECT_EQ(hal_function_call(function, 1, &code, 0, nullptr), HAL_STATUS_OK) << hal_last_error_message();
  code = kI64(-9);
  EXPECT_EQ(hal_function_call(function, 1, &code, 0, nullptr), HAL_STATUS_ABORTED);
  EXPECT_TRUE(MessageHas("returned the status -9"));
}

TEST_F(CCallTest, HalidesBuffersAreMadeOfMemrefs) {
  const hal_function_t* const function =
      FindC("halide_add", R"({"arguments": ["halide_buffer<?x?xf32>"], "result": "status"})");
  std::vector<float> values(8);
  const int64_t sizes[] = {2, 3};
  const int64_t strides[] = {4, 1};
  const hal_shape_t shape = {HAL_ELEMENT_TYPE_F32, 2, sizes, strides};
  hal_memref_t memref;
  ASSERT_EQ(hal_memref_initialize(&shape, values.data(), 32, &memref), HAL_STATUS_OK);
  const hal_value_t given = hal_value_memref(&memref);
  ASSERT_EQ(hal_function_call(function, 1, &given, 0, nullptr), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(values, (std::vector<float>{0, 1, 2, 0, 100, 101, 102, 0}));
  // The first element of what an offset skips to.
  memref.offset = 1;
  ASSERT_EQ(hal_function_call(function, 1, &given, 0, nullptr), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(values, (std::vector<float>{0, 1, 3, 2, 100, 201, 203, 102}));
}

TEST_F(CCallTest, HalidesBuffersAreChecked) {
  const hal_function_t* const function =
      FindC("halide_add", R"({"arguments": ["halide_buffer<?x3xf32>"], "result": "status"})");
  std::vector<float> values(8);
  hal_memref_t memref = MemrefOf(values, {8});
  const hal_value_t given = hal_value_memref(&memref);
  EXPECT_EQ(hal_function_call(function, 1, &given, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("the function takes halide_buffer<?x3xf32>, given is memref<8xf32>: the ranks differ"));
  memref = MemrefOf(values, {2, 4});
  EXPECT_EQ(hal_function_call(function, 1, &given, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("the sizes differ"));
  memref = MemrefOf(values, {2, 3});
  hal_memref_strides(&memref)[0] = int64_t{1} << 31;
  EXPECT_EQ(hal_function_call(function, 1, &given, 0, nullptr), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas("Halide counts in 32 bits"));
}

TEST_F(CCallTest, WorkgroupKernelsAreNoCFunctions) {
  EXPECT_EQ(LoadC("marked", R"({"arguments": ["void*", "void*"], "result": "status"})"), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas("'marked' is a workgroup kernel, not a plain C function"));
}

TEST_F(CCallTest, MissingSymbolsAreNamed) {
  EXPECT_EQ(LoadC("nothing", R"({"arguments": []})"), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas("has no symbol 'nothing'"));
}

/// What cannot be in a signature of a C function, and what must be said of it.
struct Refusal {
  const char* name;
  const char* description;
  const char* message;
};
const Refusal kRefusals[] = {
    {"Bfloat", R"({"arguments": ["bf16"]})", "arguments[0].element_type: C compilers do not agree how bf16 is passed"},
    {"Complex", R"({"arguments": ["complex<f32>"]})", "do not agree how complex<f32> is passed"},
    {"Wide", R"({"arguments": ["i128"]})", "do not agree how i128 is passed"},
    {"Odd", R"({"arguments": ["i7"]})", "do not agree how i7 is passed"},
    {"Struct", R"({"arguments": ["opaque<64>"]})", "structs are not passed by value; let the function take a pointer"},
    {"RoleOfFloat", R"({"arguments": [{"type": "f32", "workgroup": "id.x"}]})",
     "role: a workgroup number is an index or an integer of 32 or 64 bits, not f32"},
    {"RoleOfNarrow", R"({"arguments": [{"type": "u8", "workgroup": "size.z"}]})", "a workgroup number is an index"},
    {"PointerResult", R"({"arguments": [], "result": "f32*"})", "results[0].kind: a C function returns a number or"},
    {"BfloatResult", R"({"arguments": [], "result": "bf16"})", "results[0].element_type: C compilers do not agree"},
    {"HalideOfComplex", R"({"arguments": ["halide_buffer<?xcomplex<f32>>"]})", "Halide has no such elements"},
    {"HalideOfIndex", R"({"arguments": ["halide_buffer<?xindex>"]})", "Halide has no such elements"},
};
class CRefusalTest : public FunctionTest, public ::testing::WithParamInterface<Refusal> {};

TEST_P(CRefusalTest, NamesTheField) {
  EXPECT_EQ(LoadC("saxpy", GetParam().description), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(Types, CRefusalTest, ::testing::ValuesIn(kRefusals),
                         [](const auto& tested) { return std::string(tested.param.name); });

class CDispatchTest : public DispatchTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { Open(GetParam()); }
};

constexpr const char* kSaxpy = R"({"arguments": ["i64", "f32", "const f32*", "f32*"]})";
struct SaxpyConstants {
  int64_t n;
  float a;
};

TEST_P(CDispatchTest, PointersAreBindingsAndNumbersConstants) {
  ASSERT_EQ(LoadC("saxpy", kSaxpy), HAL_STATUS_OK) << hal_last_error_message();
  const hal_export_info_t* const info = hal_executable_export_info(executable_, 0);
  EXPECT_EQ(info->constants_size, 12u);
  EXPECT_EQ(info->binding_count, 2u);
  EXPECT_EQ(info->parameters[2].access, HAL_BINDING_ACCESS_READ);
  Bind({1, 2, 3});
  Bind({10, 20, 30});
  SaxpyConstants constants = {3, 2};
  hal_dispatch_params_t params = Params(false, constants);
  params.constants_size = 12;
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(1), (std::vector<float>{12, 24, 36}));
  constants.a = -2;
  ASSERT_EQ(RunRecorded(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(1), (std::vector<float>{10, 20, 30}));
}

TEST_P(CDispatchTest, ShapesOfPointersAreCheckedIfGiven) {
  ASSERT_EQ(LoadC("saxpy", kSaxpy), HAL_STATUS_OK) << hal_last_error_message();
  Bind({1, 2, 3}, {3});
  Bind({1, 2, 3}, {3});
  SaxpyConstants constants = {3, 2};
  hal_dispatch_params_t params = Params(true, constants);
  params.constants_size = 12;
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  const int64_t sizes[] = {3};
  hal_shape_t shapes[] = {{HAL_ELEMENT_TYPE_F32, 1, sizes, nullptr}, {HAL_ELEMENT_TYPE_F32, 1, sizes, nullptr}};
  params.binding_shapes = shapes;
  shapes[0].element_type = HAL_ELEMENT_TYPE_I32;
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(
      MessageHas("'saxpy': argument 2 (binding 0): the function takes const f32*, given is memref<3xi32>: the element "
                 "types differ"));
}

TEST_P(CDispatchTest, ResultsGoToABinding) {
  ASSERT_EQ(LoadC("echo_f32", R"({"arguments": ["f32"], "result": "f32"})"), HAL_STATUS_OK) << hal_last_error_message();
  Bind({0, 5});
  const float given = 2.5f;
  ASSERT_EQ(Run(Params(false, given)), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{2.5f, 5}));
}

TEST_P(CDispatchTest, StatusThatIsNotZeroFailsTheSignals) {
  ASSERT_EQ(LoadC("status", R"({"arguments": ["i32", "i32*"], "result": "status"})"), HAL_STATUS_OK);
  Bind({0});
  int32_t code = 0;
  ASSERT_EQ(Run(Params(false, code)), HAL_STATUS_OK) << hal_last_error_message();
  code = 42;
  EXPECT_EQ(Run(Params(false, code)), HAL_STATUS_ABORTED);
  EXPECT_TRUE(MessageHas("'status' returned the status 42"));
}

TEST_P(CDispatchTest, StatusOfOneWorkgroupFailsTheGrid) {
  ASSERT_EQ(LoadC("status_at", R"({"arguments": [{"type": "u32", "workgroup": "id.x"}, "i32"], "result": "status"})"),
            HAL_STATUS_OK);
  int32_t bad = -1;
  hal_dispatch_params_t params = Params(false, bad);
  params.workgroup_count = hal_dim3(500, 1, 1);
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  bad = 499;
  EXPECT_EQ(Run(params), HAL_STATUS_ABORTED);
  EXPECT_TRUE(MessageHas("'status_at' returned the status 7"));
}

struct WorkgroupPlace {
  uint32_t id[3], count[3], size[3], runs;
};

TEST_P(CDispatchTest, RolesTellEachWorkgroupItsPlace) {
  ASSERT_EQ(LoadC("place", R"({"workgroup_size": [8, 4, 2], "arguments": [
      "void*", {"type": "u32", "workgroup": "id.x"}, {"type": "i64", "workgroup": "id.y"},
      {"type": "index", "workgroup": "id.z"}, {"type": "u32", "workgroup": "count.x"},
      {"type": "i32", "workgroup": "count.y"}, {"type": "u64", "workgroup": "count.z"},
      {"type": "u32", "workgroup": "size.x"}, {"type": "i64", "workgroup": "size.y"},
      {"type": "i32", "workgroup": "size.z"}, "null"]})"),
            HAL_STATUS_OK)
      << hal_last_error_message();
  EXPECT_EQ(hal_executable_export_info(executable_, 0)->binding_count, 1u);
  constexpr uint32_t kCounts[] = {7, 5, 3};
  Bind(std::vector<float>(7 * 5 * 3 * sizeof(WorkgroupPlace) / sizeof(float)));
  hal_dispatch_params_t params = Params(false);
  params.workgroup_count = hal_dim3(7, 5, 3);
  for (const uint32_t runs : {1u, 2u}) {
    ASSERT_EQ(runs == 1 ? Run(params) : RunRecorded(params), HAL_STATUS_OK) << hal_last_error_message();
    const std::vector<float> bytes = Read(0);
    for (uint32_t i = 0; i < 7 * 5 * 3; ++i) {
      WorkgroupPlace place;
      std::memcpy(&place, bytes.data() + i * sizeof(WorkgroupPlace) / sizeof(float), sizeof(place));
      const WorkgroupPlace expected = {
          {i % 7, i / 7 % 5, i / 35}, {kCounts[0], kCounts[1], kCounts[2]}, {8, 4, 2}, runs};
      ASSERT_EQ(std::memcmp(&place, &expected, sizeof(place)), 0) << i;
    }
  }
}

TEST_P(CDispatchTest, GridsThatWouldRepeatTheWorkAreRefused) {
  ASSERT_EQ(LoadC("only_x", R"({"arguments": ["f32*", {"type": "u32", "workgroup": "id.x"}]})"), HAL_STATUS_OK);
  Bind({0, 0, 0});
  hal_dispatch_params_t params = Params(false);
  params.workgroup_count = hal_dim3(3, 2, 1);
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("'only_x' takes no workgroup id in y, so 3 x 2 x 1 workgroups would repeat its work 2 times"));
  MakeIndirect(hal_dim3(1, 1, 4), &params);
  EXPECT_EQ(Run(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("takes no workgroup id in z"));
  MakeIndirect(hal_dim3(3, 1, 1), &params);
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{1, 1, 1}));

  ASSERT_EQ(LoadC("saxpy", kSaxpy), HAL_STATUS_OK);
  Bind({0, 0, 0});
  SaxpyConstants constants = {3, 2};
  params = Params(false, constants);
  params.constants_size = 12;
  params.workgroup_count = hal_dim3(2, 1, 1);
  EXPECT_EQ(Submit(params), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("'saxpy' takes no workgroup id: dispatch it with 1 x 1 x 1 workgroups, not 2 x 1 x 1"));
}

TEST_P(CDispatchTest, HalidesBuffersTakeTheShapesOfBindings) {
  ASSERT_EQ(LoadC("halide_add", R"({"arguments": ["halide_buffer<?x?xf32>"], "result": "status"})"), HAL_STATUS_OK);
  Bind(std::vector<float>(8), {2, 3}, {4, 1});
  ASSERT_EQ(Run(Params(true)), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Read(0), (std::vector<float>{0, 1, 2, 0, 100, 101, 102, 0}));
  EXPECT_EQ(Submit(Params(false)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("the function takes halide_buffer<?x?xf32>, so the dispatch has to give the binding's shape"));
}

TEST_P(CDispatchTest, EachWorkgroupHasHalidesBuffersOfItsOwn) {
  constexpr int64_t kRows = 300;
  constexpr int64_t kColumns = 8;
  ASSERT_EQ(LoadC("halide_rows", R"({"arguments": ["const halide_buffer<300x8xu8>", "halide_buffer<?x8xi32>",
      {"type": "i32", "workgroup": "id.x"}], "result": "status"})"),
            HAL_STATUS_OK)
      << hal_last_error_message();
  std::vector<uint8_t> bytes(kRows * kColumns);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  std::vector<float> words(bytes.size() / sizeof(float));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  Bind(words);
  Bind(std::vector<float>(bytes.size()));
  const int64_t sizes[] = {kRows, kColumns};
  const hal_shape_t shapes[] = {{HAL_ELEMENT_TYPE_UI8, 2, sizes, nullptr}, {HAL_ELEMENT_TYPE_I32, 2, sizes, nullptr}};
  hal_dispatch_params_t params = Params(false);
  params.binding_shapes = shapes;
  params.workgroup_count = hal_dim3(kRows, 1, 1);
  ASSERT_EQ(Run(params), HAL_STATUS_OK) << hal_last_error_message();
  const std::vector<float> doubled = Read(1);
  for (size_t i = 0; i < bytes.size(); ++i) {
    uint32_t word = 0;
    std::memcpy(&word, &doubled[i], sizeof(word));
    ASSERT_EQ(word, bytes[i] * 2u) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, CDispatchTest, kLocalDevices, DeviceName);

}  // namespace
}  // namespace halyard::testing
