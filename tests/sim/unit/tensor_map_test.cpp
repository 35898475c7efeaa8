// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps, as drivers ask for them.
#include <functional>

#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

struct Asked {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  uint32_t rank = 2;
  uint64_t address = 0x10000;
  uint64_t sizes[2] = {100, 50};
  uint64_t strides[1] = {256};
  uint32_t box[2] = {64, 8};
  uint32_t steps[2] = {1, 1};
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
};

class TensorMapSimTest : public CudaSimTest {
 protected:
  CUresult Make(const Asked& asked, CUtensorMap* map) const {
    return api_.cuTensorMapEncodeTiled(map, asked.type, asked.rank, reinterpret_cast<void*>(asked.address), asked.sizes,
                                       asked.strides, asked.box, asked.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                       asked.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
  void ExpectRefused(const std::function<void(Asked*)>& change) const {
    Asked asked;
    change(&asked);
    CUtensorMap map;
    EXPECT_EQ(Make(asked, &map), CUDA_ERROR_INVALID_VALUE);
  }
};

TEST_F(TensorMapSimTest, HoldsWhatAKernelNeeds) {
  CUtensorMap map;
  ASSERT_CU(Make({}, &map));
  EXPECT_EQ(map.opaque[0], 0x10000U);
  EXPECT_EQ(map.opaque[1], 100U);
  EXPECT_EQ(map.opaque[2], 50U);
  EXPECT_EQ(map.opaque[6], 256U);
}

TEST_F(TensorMapSimTest, RulesOfTheHardwareHold) {
  ExpectRefused([](Asked* asked) { asked->rank = 0; });
  ExpectRefused([](Asked* asked) { asked->address += 8; });
  ExpectRefused([](Asked* asked) { asked->sizes[1] = 0; });
  ExpectRefused([](Asked* asked) { asked->sizes[0] = (uint64_t{1} << 32) + 1; });
  ExpectRefused([](Asked* asked) { asked->strides[0] = 264; });
  ExpectRefused([](Asked* asked) { asked->strides[0] = uint64_t{1} << 40; });
  ExpectRefused([](Asked* asked) { asked->box[1] = 257; });
  ExpectRefused([](Asked* asked) { asked->box[0] = 60; });
  ExpectRefused([](Asked* asked) { asked->box[0] = 128; });
  ExpectRefused([](Asked* asked) { asked->steps[0] = 2; });
  alignas(128) char bytes[256];
  EXPECT_EQ(Make({}, reinterpret_cast<CUtensorMap*>(bytes + 32)), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace halyard::sim
