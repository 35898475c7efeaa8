// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels see of their bindings: their exact lengths, nothing of an empty one, and uniform buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "cbuffer.h"
#include "lengths.h"
#include "simulation.h"
#include "taichi.h"
#include "tint.h"
#include "uniforms.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Check;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHidden = "HALYARD_SIM_VULKAN_HIDE";
constexpr const char* kLimits = "HALYARD_SIM_VULKAN_LIMITS";
constexpr const char* kUpdates = "HALYARD_SIM_VULKAN_UPDATE_AFTER_BIND";
constexpr uint8_t kUntouched = 0x11;
constexpr uint64_t kSize = 1024;  // bytes of the buffer that all bindings lie in

Executable Load(const Device& device, std::span<const uint32_t> words) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = cts::View("spirv");
  params.data = words.data();
  params.data_size = words.size_bytes();
  Executable executable;
  Check(hal_executable_create(device, &params, executable.out()), "hal_executable_create");
  return executable;
}

/// How a device is opened: with what hidden, and with which parameters.
struct Setup {
  const char* name;
  const char* hidden;
  const char* updates;
  const char* parameters;
};

class BindingsTest : public testing::TestWithParam<Setup> {
 protected:
  BindingsTest() {
    setenv(kHidden, GetParam().hidden, 1);
    setenv(kUpdates, GetParam().updates, 1);
    device_ = OpenAnew(GetParam().parameters);
  }
  ~BindingsTest() override {
    for (const char* const name : {kHidden, kLimits, kUpdates}) unsetenv(name);
  }
  void TearDown() override { EXPECT_EQ(simulation_.Reports(), 0u); }

  /// Whether an empty binding names no buffer at all.
  static bool HasNullDescriptors() { return std::string_view(GetParam().hidden).find("null") == std::string::npos; }

  Ref Lengths() const { return Ref(lengths_, 0, 16); }
  void ExpectLengths(uint32_t words, uint32_t halves, uint32_t bytes, uint32_t behind) const {
    EXPECT_THAT(device_.Download<uint32_t>(lengths_), ElementsAre(words, halves, bytes, behind));
  }
  /// Nothing but these ranges was written, each whole.
  void ExpectWritten(const std::vector<std::pair<size_t, size_t>>& ranges) const {
    std::vector<uint8_t> expected(kSize, kUntouched);
    for (const auto& [begin, length] : ranges) std::memset(&expected[begin], 0x4d, length);
    EXPECT_EQ(device_.Download<uint8_t>(data_), expected);
  }
  void Reset() const { device_.Upload(data_, std::vector<uint8_t>(kSize, kUntouched)); }

  const Simulation simulation_;
  Device device_;
  Buffer data_;
  Buffer lengths_;
};

class LengthsTest : public BindingsTest {
 protected:
  LengthsTest() {
    kernels_ = Load(device_, kLengths);
    data_ = device_.CreateBufferOf(std::vector<uint8_t>(kSize, kUntouched));
    lengths_ = device_.CreateBufferOf(std::vector<uint32_t>(4, 77));
  }
  void Run(const Dispatch& dispatch) const {
    const Semaphore done = device_.CreateSemaphore();
    ASSERT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, kernels_, "main", dispatch));
    ASSERT_OK(done.Wait(1));
  }
  void Execute(const CommandBuffer& commands, const std::vector<Ref>& table) const {
    const Semaphore done = device_.CreateSemaphore();
    ASSERT_OK(device_.QueueExecute(kNoWaits, {{done, 1}}, commands, table));
    ASSERT_OK(done.Wait(1));
  }
  Dispatch Bound(uint64_t words, uint64_t halves, uint64_t bytes, uint64_t behind) const {
    Dispatch dispatch;
    dispatch.Workgroups(1).Bind(Lengths()).Bind(Ref(data_, 0, words)).Bind(Ref(data_, 256, halves));
    dispatch.Bind(Ref(data_, 512, bytes)).Bind(Ref(data_, 768, behind));
    return dispatch;
  }
  /// Of an empty binding without null descriptors, the driver's own buffer has one byte.
  static uint32_t EmptyBytes() { return HasNullDescriptors() ? 0 : 1; }

  Executable kernels_;
};

TEST_P(LengthsTest, AreExact) {
  Run(Bound(64, 64, 64, 64));
  ExpectLengths(16, 32, 64, 12);
  ExpectWritten({{0, 64}, {256, 64}, {512, 64}, {768 + 16, 48}});
}

// A kernel gets whole elements only: bytes behind the last one are not its.
TEST_P(LengthsTest, AreExactWhereTheyAreOdd) {
  for (const uint64_t length : {5, 6, 7, 9, 21, 31}) {
    SCOPED_TRACE(length);
    Reset();
    const auto elements = [&](uint64_t size) { return static_cast<uint32_t>(length / size); };
    Run(Bound(length, length, length, 16 + length));
    ExpectLengths(elements(4), elements(2), elements(1), elements(4));
    ExpectWritten({{0, length / 4 * 4}, {256, length / 2 * 2}, {512, length}, {768 + 16, length / 4 * 4}});
  }
}

TEST_P(LengthsTest, AnEmptyBindingHasNoElements) {
  Run(Bound(0, 0, 0, 0));
  ExpectLengths(0, 0, EmptyBytes(), 0);
  ExpectWritten({});
}

TEST_P(LengthsTest, TheRestOfABufferMayBeEmpty) {
  Dispatch dispatch;
  const Ref rest(data_, kSize);
  Run(dispatch.Workgroups(1).Bind(Lengths()).Bind(rest).Bind(rest).Bind(rest).Bind(rest));
  ExpectLengths(0, 0, EmptyBytes(), 0);
  ExpectWritten({});
}

// The application's bytes around an imported range are its own.
TEST_P(LengthsTest, AnEmptyBindingOfImportedMemoryHasNoElements) {
  alignas(4096) static uint8_t bytes[4096];
  std::memset(bytes, kUntouched, sizeof(bytes));
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(bytes);
  memory.length = sizeof(bytes);
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage = HAL_BUFFER_USAGE_STORAGE;
  Buffer imported;
  const hal_status_t status =
      hal_allocator_import(device_.allocator(), &params, &memory, nullptr, nullptr, imported.out());
  if (status == HAL_STATUS_UNIMPLEMENTED || status == HAL_STATUS_INCOMPATIBLE) {
    GTEST_SKIP() << "the device imports no such memory: " << hal_last_error_message();
  }
  ASSERT_OK(status);
  const Ref empty(imported, 1024, 0);
  Run(Dispatch().Workgroups(1).Bind(Lengths()).Bind(empty).Bind(empty).Bind(empty).Bind(empty));
  ExpectLengths(0, 0, EmptyBytes(), 0);
  EXPECT_THAT(bytes, testing::Each(kUntouched));
}

// Of a table, one recording after another, so that its sets are written again where the device allows it.
TEST_P(LengthsTest, AnEmptySlotHasNoElements) {
  const auto record = [&](const CommandBuffer& recording) {
    Dispatch dispatch;
    dispatch.Workgroups(1).Bind(Lengths());
    for (uint32_t slot = 0; slot < 4; ++slot) dispatch.Bind(cts::Slot(slot));
    Check(recording.Dispatch(kernels_, "main", dispatch), "dispatch");
  };
  const CommandBuffer commands = device_.Record(record, 0, 4);
  const auto table = [&](uint64_t length) {
    return std::vector<Ref>{Ref(data_, 0, length), Ref(data_, 256, length), Ref(data_, 512, length),
                            Ref(data_, 768, length)};
  };
  for (int round = 0; round < 2; ++round) {
    Execute(commands, table(0));
    ExpectLengths(0, 0, EmptyBytes(), 0);
    ExpectWritten({});
    Execute(commands, table(22));
    ExpectLengths(5, 11, 22, 1);
    ExpectWritten({{0, 20}, {256, 22}, {512, 22}, {768 + 16, 4}});
    Reset();
  }
}

TEST_P(LengthsTest, AnIndirectDispatchSeesTheSame) {
  const Buffer counts = device_.CreateBufferOf(std::vector<uint32_t>{1, 1, 1},
                                               cts::DeviceLocal(HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_MAPPING));
  Dispatch dispatch = Bound(0, 7, 0, 21);
  Run(dispatch.Indirect(Ref(counts, 0, 12)));
  ExpectLengths(0, 3, EmptyBytes(), 1);
  ExpectWritten({{256, 6}, {768 + 16, 4}});
}

constexpr Setup kSetups[] = {{"AsTheDeviceIs", "", "0", ""},
                             {"WithoutNullDescriptors", "nullDescriptor", "0", ""},
                             {"WithoutRobustness2", "VK_EXT_robustness2,nullDescriptor", "0", ""},
                             {"SetsWrittenAgain", "", "1", ""},
                             {"SetsWrittenAgainWithoutNullDescriptors", "nullDescriptor", "1", ""},
                             {"Robust", "", "0", "?robust=on"},
                             {"RobustWithoutNullDescriptors", "nullDescriptor", "0", "?robust=on"}};

std::string NameOf(const testing::TestParamInfo<Setup>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Devices, LengthsTest, testing::ValuesIn(kSetups), NameOf);

// --- Uniform buffers -------------------------------------------------------------------------------------------------

/// As the layout std140 has it.
struct Scale {
  float factor[3];
  uint32_t count;
  struct {
    float value;
    float padding[3];
  } table[2];
};
static_assert(sizeof(Scale) == 48);

/// A number as the float with the same bits.
float Bits(uint32_t number) {
  float same = 0;
  std::memcpy(&same, &number, sizeof(same));
  return same;
}

class UniformTest : public BindingsTest {
 protected:
  static constexpr uint64_t kAlignment = 256;  // bytes; what every device takes

  UniformTest() {
    kernels_ = Load(device_, kUniforms);
    data_ = device_.CreateBuffer(kSize);
    Put(0, {{2, 3, 5}, 8, {{100, {}}, {200, {}}}}, 1000);
    Put(512, {{1, 1, 1}, 4, {{0, {}}, {0, {}}}}, 7);
    out_ = device_.CreateBufferOf(std::vector<float>(8, -1));
  }
  /// One block at an offset, the other one behind.
  void Put(uint64_t at, const Scale& scale, float offset) const {
    device_.Upload(data_, std::vector<Scale>{scale}, at);
    device_.Upload(data_, std::vector<float>{offset}, at + kAlignment);
  }
  Dispatch Bound(const Ref& scale, const Ref& offset) const {
    return Dispatch().Workgroups(2).Bind(scale).Bind(out_).Bind(offset);
  }
  void ExpectFirst() const {
    EXPECT_THAT(device_.Download<float>(out_), ElementsAre(1100, 1203, 1110, 1206, 1112, 1225, 1112, 1221));
  }
  hal_status_t Run(const Dispatch& dispatch) const {
    const Semaphore done = device_.CreateSemaphore();
    const hal_status_t status = device_.QueueDispatch(kNoWaits, {{done, 1}}, kernels_, "main", dispatch);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }

  Executable kernels_;
  Buffer out_;
};

TEST_P(UniformTest, AreReadOnlyBindings) {
  const hal_export_info_t* const info = hal_executable_export_info(kernels_, 0);
  ASSERT_EQ(info->binding_count, 3u);
  EXPECT_EQ(info->parameters[0].access, HAL_BINDING_ACCESS_READ);
  EXPECT_EQ(info->parameters[1].access, HAL_BINDING_ACCESS_WRITE);
  EXPECT_EQ(info->parameters[2].access, HAL_BINDING_ACCESS_READ);
  EXPECT_EQ(info->parameters[2].set, 1u);
  EXPECT_EQ(info->parameters[2].binding, 3u);
}

TEST_P(UniformTest, GiveTheirValues) {
  ASSERT_OK(Run(Bound(Ref(data_, 0, sizeof(Scale)), Ref(data_, kAlignment, 4))));
  ExpectFirst();
}

// More may be bound than the block has, even more than a uniform buffer of the device has.
TEST_P(UniformTest, MayLieInLongerRanges) {
  const Buffer large = device_.CreateBuffer(1 << 20);
  device_.Upload(large, device_.Download<uint8_t>(data_));
  ASSERT_OK(Run(Bound(Ref(large), Ref(large, kAlignment))));
  ExpectFirst();
}

TEST_P(UniformTest, ComeFromTables) {
  const auto record = [&](const CommandBuffer& recording) {
    Check(recording.Dispatch(kernels_, "main", Bound(cts::Slot(0), cts::Slot(1))), "dispatch");
  };
  const CommandBuffer commands = device_.Record(record, 0, 2);
  const auto execute = [&](uint64_t at) {
    const Semaphore done = device_.CreateSemaphore();
    const std::vector<Ref> table = {Ref(data_, at, sizeof(Scale)), Ref(data_, at + kAlignment, 4)};
    const hal_status_t status = device_.QueueExecute(kNoWaits, {{done, 1}}, commands, table);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  };
  for (int round = 0; round < 2; ++round) {
    ASSERT_OK(execute(0));
    ExpectFirst();
    ASSERT_OK(execute(512));
    EXPECT_THAT(device_.Download<float>(out_), ElementsAre(7, 8, 9, 10, 1112, 1225, 1112, 1221));
  }
}

// Many, so that one pool of descriptors is not enough.
TEST_P(UniformTest, ComeInAnyNumber) {
  const auto record = [&](const CommandBuffer& recording) {
    for (int i = 0; i < 200; ++i) {
      const uint64_t at = i % 2 == 0 ? 512 : 0;
      Check(recording.Dispatch(kernels_, "main", Bound(Ref(data_, at, sizeof(Scale)), Ref(data_, at + kAlignment, 4))),
            "dispatch");
      Check(recording.Barrier(), "barrier");
    }
  };
  const CommandBuffer commands = device_.Record(record, 0);
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueExecute(kNoWaits, {{done, 1}}, commands));
  ASSERT_OK(done.Wait(1));
  ExpectFirst();
}

TEST_P(UniformTest, AreRefusedWhereTheyAreTooShort) {
  for (const uint64_t length : {uint64_t{0}, uint64_t{4}, sizeof(Scale) - 13}) {
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(Bound(Ref(data_, 0, length), Ref(data_, kAlignment, 4))));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("bindings.refs[0] has " + std::to_string(length) +
                                                    " bytes; the kernel's uniform buffer has"));
  }
}

// A recording tells it of a buffer, an execution of a slot.
TEST_P(UniformTest, AreRefusedWhereTheyAreTooShortInARecording) {
  EXPECT_ANY_THROW(device_.Record([&](const CommandBuffer& recording) {
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE,
                  recording.Dispatch(kernels_, "main", Bound(Ref(data_, 0, 8), Ref(data_, kAlignment, 4))));
  }));
  const auto record = [&](const CommandBuffer& recording) {
    Check(recording.Dispatch(kernels_, "main", Bound(cts::Slot(0), Ref(data_, kAlignment, 4))), "dispatch");
  };
  const CommandBuffer commands = device_.Record(record, 0, 1);
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueExecute(kNoWaits, {{done, 1}}, commands, {Ref(data_, 0, 8)}));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the kernel's uniform buffer has"));
}

TEST_P(UniformTest, AreRefusedWhereTheyBeginElsewhere) {
  setenv(kLimits, "minUniformBufferOffsetAlignment=64", 1);
  device_ = OpenAnew(GetParam().parameters);
  kernels_ = Load(device_, kUniforms);
  data_ = device_.CreateBuffer(kSize);
  out_ = device_.CreateBuffer(64);
  EXPECT_OK(Run(Bound(Ref(data_, 192, sizeof(Scale)), Ref(data_, kAlignment, 4))));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Run(Bound(Ref(data_, 32, sizeof(Scale)), Ref(data_, kAlignment, 4))));
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("begins at byte 32 of its allocation; the device asks for a multiple of 64"));
}

TEST_P(UniformTest, AreRefusedWhereTheDeviceTakesFewerOrSmallerOnes) {
  for (const auto& [limit, words] :
       {std::pair{"maxUniformBufferRange=32", "has 48 bytes; the device takes at most 32"},
        {"maxPerStageDescriptorUniformBuffers=1", "has 2 uniform buffers; the device takes"}}) {
    setenv(kLimits, limit, 1);
    device_ = OpenAnew(GetParam().parameters);
    EXPECT_ANY_THROW(Load(device_, kUniforms));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
  }
}

// The kernels of other compilers: what each one's block has, and what it makes of that.
TEST_P(UniformTest, AreThoseOfHlslWgslAndTaichi) {
  struct Tint {
    float scale[3], bias;
    uint32_t count;
  };
  struct Taichi {
    int32_t shape[2];
    float factor;
    int32_t begin;
  };
  const auto run = [&](std::span<const uint32_t> words, const auto& block) {
    const Executable kernel = Load(device_, words);
    const Buffer params = device_.CreateBufferOf(std::vector{block});
    const Buffer result = device_.CreateBufferOf(std::vector<float>(8, -1));
    const Semaphore done = device_.CreateSemaphore();
    EXPECT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, kernel, "main",
                                    Dispatch().Workgroups(1).Bind(params).Bind(result)));
    EXPECT_OK(done.Wait(1));
    return device_.Download<float>(result);
  };
  EXPECT_THAT(run(kCbuffer, std::array<float, 10>{1, 2, 3, 0, 4, 5, 6, 0, 0.5F, Bits(6)}),
              ElementsAre(1.5, 2.5, 3.5, 4.5, 5.5, 6.5, -1, -1));
  EXPECT_THAT(run(kTint, Tint{{1, 2, 3}, 10, 7}), ElementsAre(11, 12, 13, 11, 12, 13, 11, -1));
  EXPECT_THAT(run(kTaichi, Taichi{{2, 3}, 2, 4}), ElementsAre(8, 10, 12, 14, 16, 18, -1, -1));
}

constexpr Setup kUniformSetups[] = {
    {"AsTheDeviceIs", "", "0", ""},
    {"SetsWrittenAgain", "", "1", ""},
    {"OnlyStorageWrittenAgain", "descriptorBindingUniformBufferUpdateAfterBind", "1", ""},
    {"Robust", "", "0", "?robust=on"}};

INSTANTIATE_TEST_SUITE_P(Devices, UniformTest, testing::ValuesIn(kUniformSetups), NameOf);

// --- What the device says of its memory ------------------------------------------------------------------------------

class BudgetTest : public testing::Test {
 protected:
  ~BudgetTest() override { unsetenv(kBudget); }
  static constexpr const char* kBudget = "HALYARD_SIM_VULKAN_BUDGET";

  static std::vector<hal_memory_heap_t> Heaps(const Device& device) {
    size_t count = 0;
    Check(hal_allocator_query_heaps(device.allocator(), &count, nullptr), "hal_allocator_query_heaps");
    std::vector<hal_memory_heap_t> heaps(count, HAL_INIT(hal_memory_heap_t));
    Check(hal_allocator_query_heaps(device.allocator(), &count, heaps.data()), "hal_allocator_query_heaps");
    return heaps;
  }
};

TEST_F(BudgetTest, AvailableIsWhatTheDeviceLeaves) {
  constexpr uint64_t kMost = uint64_t{256} << 20;
  setenv(kBudget, std::to_string(kMost).c_str(), 1);
  const Device device = OpenAnew();
  const uint64_t before = Heaps(device).front().available;
  EXPECT_LE(before, kMost);
  constexpr uint64_t kTaken = uint64_t{100} << 20;
  const Buffer large = device.CreateBuffer(kTaken);
  const uint64_t after = Heaps(device).front().available;
  EXPECT_LE(after, before - kTaken);
  EXPECT_GE(after + (uint64_t{8} << 20), before - kTaken);
  setenv(kBudget, "1", 1);
  EXPECT_EQ(Heaps(OpenAnew()).front().available, 0u) << "others have taken more than the budget";
}

TEST_F(BudgetTest, MemoryThatCannotBeMappedIsExhausted) {
  const Simulation simulation;
  const Device device = OpenAnew();
  Buffer buffer;
  const hal_buffer_params_t params = cts::Mappable();
  simulation.FailCalls("vkMapMemory", VK_ERROR_MEMORY_MAP_FAILED);
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED,
                hal_allocator_allocate(device.allocator(), &params, uint64_t{80} << 20, buffer.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("as many mappings as the system allows"));
  simulation.FailCalls("vkMapMemory", 0);
  simulation.FailCalls("vkAllocateMemory", VK_ERROR_TOO_MANY_OBJECTS);
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED,
                hal_allocator_allocate(device.allocator(), &params, uint64_t{80} << 20, buffer.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("maxMemoryAllocationCount"));
  simulation.FailCalls("vkAllocateMemory", 0);
  EXPECT_OK(hal_allocator_allocate(device.allocator(), &params, uint64_t{80} << 20, buffer.out()));
}

}  // namespace
}  // namespace halyard::vulkan
