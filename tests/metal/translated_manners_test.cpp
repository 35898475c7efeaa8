// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels in the manner of other compilers (tests/corpus/sources/manners), which halyard-pack translated: y[i] is three
// times x[i], or what the kernel's own lines say.
#include <numeric>
#include <ostream>

#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Semaphore;

constexpr size_t kCount = 96;

float Threefold(size_t i) { return 3 * static_cast<float>(i + 1); }
float WithTable(size_t i) { return Threefold(i) + (i % 2 == 0 ? 100.0f : 200.0f); }

// A number that is no float, in a list of these.
float Bits(uint32_t number) {
  float bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

struct TranslatedManner {
  const char* name;
  const char* kernel;
  uint32_t size;                    // of a workgroup; three of them run
  std::vector<float> constants;     // push constants
  std::vector<float> uniform = {};  // binding 2
  float (*value)(size_t i) = Threefold;
};

void PrintTo(const TranslatedManner& manner, std::ostream* out) { *out << manner.name; }

class TranslatedMannersTest : public MetalTest, public testing::WithParamInterface<TranslatedManner> {};

TEST_P(TranslatedMannersTest, ComputeWhatTheyShould) {
  const Device device = Open();
  const std::string path = std::string(HALYARD_METAL_TEST_KERNELS "/") + GetParam().name + ".halx";
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.path = cts::View(path);
  Executable kernel;
  ASSERT_OK(hal_executable_create(device, &params, kernel.out()));
  std::vector<float> numbers(kCount);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  const Buffer x = device.CreateBufferOf(numbers);
  const Buffer y = device.CreateBufferOf(std::vector<float>(kCount));
  const Buffer block = device.CreateBufferOf(GetParam().uniform.empty() ? numbers : GetParam().uniform);
  Dispatch dispatch;
  dispatch.Workgroups(3).WorkgroupSize(GetParam().size).Bind(x).Bind(y);
  if (!GetParam().uniform.empty()) dispatch.Bind(block);
  for (const float constant : GetParam().constants) dispatch.Constant(constant);
  const Semaphore done = device.CreateSemaphore();
  ASSERT_OK(device.QueueDispatch(kNoWaits, {{done, 1}}, kernel, GetParam().kernel, dispatch));
  ASSERT_OK(done.Wait(1));
  const std::vector<float> result = device.Download<float>(y);
  for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(result[i], GetParam().value(i)) << "element " << i;
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, TranslatedMannersTest,
    testing::Values(
        TranslatedManner{"slang", "scale", 32, {3, Bits(kCount)}},
        TranslatedManner{
            "slang_cbuffer", "main", 32, {}, {3, Bits(kCount), 0, 0, 0, 100, 0, 0, 0, 200, 0, 0}, WithTable},
        TranslatedManner{"zig", "kernel.scale", 32, {3, Bits(kCount)}},
        TranslatedManner{"taichi", "main", 128, {}, {Bits(kCount), 0, 3, 0}},
        TranslatedManner{"iree_specialised", "scale$async_dispatch_0_elementwise_96_f32", 32, {0, 0}}),
    [](const auto& manner) { return std::string(manner.param.name); });

}  // namespace
}  // namespace halyard::metal
