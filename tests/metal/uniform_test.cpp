// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uniform buffers of a kernel that was made of SPIR-V: pointers to constant memory in an argument buffer.
#include <vector>

#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;
using testing::ElementsAre;

/// As the layout std140 has it: a vector, a count, and an array with a stride of 16 bytes.
struct Scale {
  float factor[3];
  uint32_t count;
  float table[2][4];
};

class UniformTest : public MetalTest {};

TEST_F(UniformTest, GiveTheirValues) {
  const Device device = Open();
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.path = cts::View(HALYARD_METAL_TEST_KERNELS "/blocks.halx");
  Executable kernels;
  ASSERT_OK(hal_executable_create(device, &params, kernels.out()));
  const hal_export_info_t& info = *hal_executable_export_info(kernels, 0);
  ASSERT_EQ(info.binding_count, 3u);
  EXPECT_EQ(info.parameters[0].access, HAL_BINDING_ACCESS_READ);
  EXPECT_EQ(info.parameters[2].access, HAL_BINDING_ACCESS_READ);
  const Buffer blocks = device.CreateBuffer(512);
  device.Upload(blocks, std::vector<Scale>{{{2, 3, 5}, 8, {{100}, {200}}}});
  device.Upload(blocks, std::vector<float>{1000}, 256);
  const Buffer out = device.CreateBufferOf(std::vector<float>(8, -1));
  const Semaphore done = device.CreateSemaphore();
  const Dispatch dispatch =
      Dispatch().Workgroups(2).Bind(Ref(blocks, 0, sizeof(Scale))).Bind(out).Bind(Ref(blocks, 256, 4));
  ASSERT_OK(device.QueueDispatch(kNoWaits, {{done, 1}}, kernels, "blocks", dispatch));
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(device.Download<float>(out), ElementsAre(1100, 1203, 1110, 1206, 1112, 1225, 1112, 1221));
}

}  // namespace
}  // namespace halyard::metal
