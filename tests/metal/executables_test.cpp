// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images that are no kernels for Metal, and kernels that are not what the export list says.
#include "halyard/executable_targets.h"
#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Semaphore;
using testing::HasSubstr;

constexpr const char* kScale = R"(#include <metal_stdlib>
using namespace metal;
struct Arguments {
  const device uint* source [[id(0)]];
  device uint* target [[id(1)]];
};
struct Constants { uint factor; uint addend; };
kernel void scale(constant Arguments& arguments [[buffer(0)]], constant Constants& constants [[buffer(8)]],
                  uint i [[thread_position_in_grid]]) {
  arguments.target[i] = arguments.source[i] * constants.factor + constants.addend;
}
)";

constexpr const char* kSpecialized = R"(#include <metal_stdlib>
using namespace metal;
constant uint kValue [[function_constant(3)]];
struct Arguments { device uint* target [[id(0)]]; };
kernel void store(constant Arguments& arguments [[buffer(0)]]) { arguments.target[0] = kValue; }
)";

const hal_parameter_t kIn = hal_parameter_binding(0, HAL_BINDING_ACCESS_READ);
const hal_parameter_t kOut = hal_parameter_binding(1, HAL_BINDING_ACCESS_WRITE);
const hal_parameter_t kOnlyOut = hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE);

hal_parameter_t InSet(uint32_t set, hal_parameter_t parameter) {
  parameter.set = set;
  return parameter;
}

class ExecutablesTest : public MetalTest {
 protected:
  /// Fails with `status`, and with a message that says `words`.
  void ExpectRefused(const MetalSource& source, hal_status_t status, const std::vector<std::string>& words) const {
    EXPECT_STATUS(status, source.Create(device_));
    for (const std::string& word : words) EXPECT_THAT(hal_last_error_message(), HasSubstr(word));
  }
  /// One uint that the kernel leaves in its only buffer.
  uint32_t Run(const Executable& kernel, Dispatch dispatch = {}) const {
    const Buffer target = device_.CreateBufferOf(std::vector<uint32_t>{0});
    const Semaphore done = device_.CreateSemaphore();
    EXPECT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, kernel, "store", dispatch.Bind(target)));
    EXPECT_OK(done.Wait(1));
    return device_.Download<uint32_t>(target)[0];
  }

  const Device device_ = Open();
};

TEST_F(ExecutablesTest, TheExportListMayAgree) {
  MetalSource source(kScale);
  source.Export("scale", {kIn, kOut, hal_parameter_constant(0, 4), hal_parameter_constant(4, 4)}, 8);
  Executable kernel;
  ASSERT_OK(source.Create(device_, &kernel));
  const Buffer input = device_.CreateBufferOf(std::vector<uint32_t>{1, 2, 3});
  const Buffer output = device_.CreateBuffer(12);
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueDispatch(
      kNoWaits, {{done, 1}}, kernel, "scale",
      Dispatch().Workgroups(3).Constant(uint32_t{10}).Constant(uint32_t{7}).Bind(input).Bind(output)));
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(device_.Download<uint32_t>(output), testing::ElementsAre(17u, 27u, 37u));
}

TEST_F(ExecutablesTest, TheCompilersLinesAreInTheMessage) {
  MetalSource source("kernel void broken()\n{ missing = 1; }\n");
  ExpectRefused(source.Export("broken", {}), HAL_STATUS_ABORTED, {":2:", "error", "missing"});
}

// The driver's own kernels count as well, which a fill of another alignment waits for.
TEST_F(ExecutablesTest, SourceIsCompiledWithoutFastMathematics) {
  sim().Reset();
  const Device device = Open();
  const Buffer buffer = device.CreateBuffer(16);
  const Semaphore done = device.CreateSemaphore();
  ASSERT_OK(device.QueueFill(kNoWaits, {{done, 1}}, cts::Ref(buffer, 1, 3), uint8_t{1}));
  ASSERT_OK(done.Wait(1));
  MetalSource source(kScale);
  source.Export("scale", {kIn, kOut, hal_parameter_constant(0, 8)}, 8);
  ASSERT_OK(source.Create(device));
  EXPECT_GE(sim().Calls("newLibraryWithSource:options:error:"), 2u);
  EXPECT_EQ(sim().FastLibraries(), 0u);
}

// The simulation makes none of the three before all of them have been asked for.
TEST_F(ExecutablesTest, PipelinesAreMadeSideBySide) {
  MetalSource source("kernel void a() {}\nkernel void b() {}\nkernel void c() {}\n");
  source.Export("a", {}).Export("b", {}).Export("c", {});
  sim().HoldPipelines(3, 60'000);
  EXPECT_OK(source.Create(device_));
  sim().HoldPipelines(0, 0);
}

TEST_F(ExecutablesTest, SourceIsUtf8) {
  MetalSource source("kernel void f() {} // \xff\xfe");
  ExpectRefused(source.Export("f", {}), HAL_STATUS_DATA_LOSS, {"UTF-8"});
}

TEST_F(ExecutablesTest, AMissingFunctionIsNamed) {
  MetalSource source(kScale);
  source.Export("scale", {kIn, kOut, hal_parameter_constant(0, 8)}, 8).Export("shrink", {});
  ExpectRefused(source, HAL_STATUS_NOT_FOUND, {"export 1 (\"shrink\")", "no function 'shrink'"});
}

TEST_F(ExecutablesTest, AFileThatIsMissingIsNamed) {
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view("f");
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view("metallib");
  params.path = hal_string_view("/nonexistent.metallib");
  params.exports = &info;
  params.export_count = 1;
  Executable kernel;
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, hal_executable_create(device_, &params, kernel.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("/nonexistent.metallib"));
}

TEST_F(ExecutablesTest, AnEmptyImageIsRefused) {
  for (const char* format : {"msl", "metallib"}) {
    MetalSource source("", format);
    ExpectRefused(source.Export("f", {}), HAL_STATUS_INVALID_ARGUMENT, {"data_size is 0"});
  }
}

TEST_F(ExecutablesTest, ADamagedLibraryIsRefused) {
  for (const std::string& bytes : {std::string("M"), std::string("MTLB"), std::string("MTLB") + std::string(60, '\x11'),
                                   std::string("this is no library of Metal's compiler")}) {
    MetalSource source(bytes, "metallib");
    ExpectRefused(source.Export("f", {}), HAL_STATUS_DATA_LOSS, {"newLibraryWithData"});
  }
}

TEST_F(ExecutablesTest, AnotherFormatIsRefused) {
  MetalSource source(kScale, "ptx");
  ExpectRefused(source.Export("scale", {}), HAL_STATUS_INCOMPATIBLE, {"msl", "metallib", "ptx"});
}

// Of an executable file with both, the library was compiled already.
TEST_F(ExecutablesTest, LibrariesComeBeforeSource) {
  const void* table = nullptr;
  ASSERT_OK(hal_device_query_interface(device_.get(), hal_string_view(HAL_EXECUTABLE_TARGETS_INTERFACE), 1, &table));
  const auto& targets = *static_cast<const hal_executable_targets_interface_t*>(table);
  const hal_string_view_t any = {nullptr, 0};
  uint32_t library = 0;
  uint32_t source = 0;
  ASSERT_OK(targets.rank(device_.get(), hal_string_view("metallib"), any, &library));
  ASSERT_OK(targets.rank(device_.get(), hal_string_view("msl"), any, &source));
  EXPECT_LT(library, source);
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE,
                targets.rank(device_.get(), hal_string_view("msl"), hal_string_view("apple9"), &source));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("is for every Metal device, not for 'apple9'"));
}

TEST_F(ExecutablesTest, NeedsAnExportList) {
  ExpectRefused(MetalSource(kScale), HAL_STATUS_INVALID_ARGUMENT, {"msl", "exports"});
}

TEST_F(ExecutablesTest, ABindingThatTheListLacksIsNamed) {
  MetalSource source(kScale);
  source.Export("scale", {kIn, hal_parameter_constant(0, 8)}, 8);
  ExpectRefused(source, HAL_STATUS_INCOMPATIBLE, {"\"scale\"", "binding 1 of set 0"});
}

TEST_F(ExecutablesTest, ABindingOfAnotherSetIsNotMeant) {
  MetalSource source(kScale);
  source.Export("scale", {kIn, InSet(1, kOut), hal_parameter_constant(0, 8)}, 8);
  ExpectRefused(source, HAL_STATUS_INCOMPATIBLE, {"binding 1 of set 0"});
}

// There is no buffer index 9 for a set, so both are numbered in their order.
TEST_F(ExecutablesTest, SetsAboveSevenAreNumberedInTheirOrder) {
  MetalSource source(R"(struct First { const device uint* source [[id(0)]]; };
struct Second { device uint* target [[id(4)]]; };
kernel void store(constant First& first [[buffer(0)]], constant Second& second [[buffer(1)]]) {
  second.target[0] = first.source[0];
})");
  source.Export("store", {InSet(2, kIn), InSet(9, hal_parameter_binding(4, HAL_BINDING_ACCESS_WRITE))});
  Executable kernel;
  ASSERT_OK(source.Create(device_, &kernel));
  EXPECT_EQ(Run(kernel, Dispatch().Bind(device_.CreateBufferOf(std::vector<uint32_t>{77}))), 77u);
}

TEST_F(ExecutablesTest, AKernelHasNoMoreThanEightSets) {
  std::vector<hal_parameter_t> parameters;
  for (uint32_t set = 0; set < 9; ++set) parameters.push_back(InSet(set, kOnlyOut));
  MetalSource source(kSpecialized);
  source.Export("store", parameters).Specialize(3, 4, 42);
  ExpectRefused(source, HAL_STATUS_OUT_OF_RANGE, {"\"store\"", "9 sets", "at most 8"});
  MetalSource high(kSpecialized);
  high.Export("store", {InSet(16, kOnlyOut)}).Specialize(3, 4, 42);
  ExpectRefused(high, HAL_STATUS_OUT_OF_RANGE, {"set 16", "at most 16 sets"});
}

TEST_F(ExecutablesTest, ABufferBesideArgumentBuffersIsRefused) {
  MetalSource source(R"(struct Arguments { device uint* target [[id(0)]]; };
kernel void store(constant Arguments& arguments [[buffer(0)]], device uint* other [[buffer(1)]]) {
  arguments.target[0] = other[0];
})");
  ExpectRefused(source.Export("store", {kIn, kOut}), HAL_STATUS_INCOMPATIBLE,
                {"takes argument buffers, and another buffer at buffer index 1 beside them"});
}

TEST_F(ExecutablesTest, ThreadgroupMemoryIsAtIndexZero) {
  MetalSource source("kernel void store(device uint* out [[buffer(0)]], threadgroup uint* a [[threadgroup(1)]]) {}");
  ExpectRefused(source.Export("store", {kOnlyOut}), HAL_STATUS_INCOMPATIBLE,
                {"the kernel takes 'a' at threadgroup index 1; a dispatch gives memory at 0"});
}

TEST_F(ExecutablesTest, ABufferBeyondSetsAndConstantsIsRefused) {
  MetalSource source(R"(struct Arguments { device uint* target [[id(0)]]; };
kernel void store(constant Arguments& arguments [[buffer(9)]]) { arguments.target[0] = 1; })");
  ExpectRefused(source.Export("store", {kOnlyOut}), HAL_STATUS_INCOMPATIBLE, {"'arguments'", "index 9"});
}

TEST_F(ExecutablesTest, AMemberThatIsNoBufferIsRefused) {
  MetalSource source(R"(struct Arguments { device uint* target [[id(0)]]; uint value [[id(1)]]; };
kernel void store(constant Arguments& arguments [[buffer(0)]]) { arguments.target[0] = arguments.value; })");
  source.Export("store", {kOnlyOut, kOut});
  ExpectRefused(source, HAL_STATUS_INCOMPATIBLE, {"binding 1 of set 0", "no buffer"});
}

TEST_F(ExecutablesTest, ConstantsHaveToFit) {
  MetalSource few(R"(struct Arguments { device uint* target [[id(0)]]; };
struct Constants { uint values[5]; };
kernel void store(constant Arguments& arguments [[buffer(0)]], constant Constants& constants [[buffer(8)]]) {
  arguments.target[0] = constants.values[4];
})");
  few.Export("store", {kOnlyOut, hal_parameter_constant(0, 4)}, 4);
  ExpectRefused(few, HAL_STATUS_INCOMPATIBLE, {"20 bytes of constants", "4"});
  MetalSource none(kScale);
  ExpectRefused(none.Export("scale", {kIn, kOut}), HAL_STATUS_INCOMPATIBLE, {"8 bytes of constants", "0"});
}

// The struct has 24 bytes, of which the last four are none of the export's.
TEST_F(ExecutablesTest, TheEndOfTheConstantsIsPadded) {
  MetalSource source(R"(#include <metal_stdlib>
using namespace metal;
struct Arguments { device uint* target [[id(0)]]; };
struct Constants { uint first; ulong second; uint third; };
kernel void store(constant Arguments& arguments [[buffer(0)]], constant Constants& constants [[buffer(8)]]) {
  arguments.target[0] = constants.first + uint(constants.second) + constants.third;
})");
  source.Export("store",
                {kOnlyOut, hal_parameter_constant(0, 4), hal_parameter_constant(8, 8), hal_parameter_constant(16, 4)},
                20);
  Executable kernel;
  ASSERT_OK(source.Create(device_, &kernel));
  EXPECT_EQ(Run(kernel, Dispatch().Constant(uint32_t{1}).Constant(uint64_t{20}).Constant(uint32_t{300})), 321u);
}

TEST_F(ExecutablesTest, ADispatchGivesNoMoreConstantsThanTheDeviceTakes) {
  MetalSource source(kScale);
  const uint32_t many = device_.limits().max_constants_size + 4;
  source.Export("scale", {kIn, kOut, hal_parameter_constant(0, 8)}, many);
  ExpectRefused(source, HAL_STATUS_OUT_OF_RANGE, {std::to_string(many)});
}

TEST_F(ExecutablesTest, SpecialisationConstantsAreFunctionConstants) {
  MetalSource source(kSpecialized);
  source.Export("store", {kOnlyOut}).Specialize(7, 8, 1).Specialize(3, 4, 42);
  Executable kernel;
  ASSERT_OK(source.Create(device_, &kernel));
  EXPECT_EQ(Run(kernel), 42u);
}

TEST_F(ExecutablesTest, ASpecialisationConstantHasTheSizeOfItsType) {
  MetalSource source(kSpecialized);
  source.Export("store", {kOnlyOut}).Specialize(3, 8, 42);
  ExpectRefused(source, HAL_STATUS_INVALID_ARGUMENT, {"specialisation constant 3 has 8 bytes, not 4"});
}

TEST_F(ExecutablesTest, AFunctionConstantNeedsAValue) {
  MetalSource source(kSpecialized);
  ExpectRefused(source.Export("store", {kOnlyOut}), HAL_STATUS_ABORTED, {"\"store\"", "newFunctionWithName"});
}

}  // namespace
}  // namespace halyard::metal
