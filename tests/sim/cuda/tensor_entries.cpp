// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps. A simulated one begins with the address, 5 sizes in elements and 4 strides in bytes, 64 bits each.
#include <cstring>

#include "cuda/call.h"
#include "cuda/entry_points.h"

namespace halyard::cuda::abi {
namespace {

constexpr uint32_t kMostRank = 5;
constexpr uint32_t kElementSizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

struct SimulatedMap {
  uint64_t address;
  uint64_t sizes[kMostRank];
  uint64_t strides[kMostRank - 1];
  uint32_t box[kMostRank];
  uint8_t rank;
  uint8_t type;
  uint8_t swizzle;
  uint8_t promotion;
};
static_assert(sizeof(SimulatedMap) <= sizeof(CUtensorMap));

// As the documentation of the function asks for it.
bool IsRight(const SimulatedMap& map) {
  if (map.address == 0 || map.address % 16 != 0) return false;
  for (uint32_t i = 0; i < map.rank; ++i) {
    if (map.sizes[i] == 0 || map.sizes[i] > uint64_t{1} << 32) return false;
    if (map.box[i] == 0 || map.box[i] > 256) return false;
    if (i > 0 && (map.strides[i - 1] % 16 != 0 || map.strides[i - 1] >= uint64_t{1} << 40)) return false;
  }
  const uint32_t row = map.box[0] * kElementSizes[map.type];
  return row % 16 == 0 && (map.swizzle == 0 || row <= uint32_t{16} << map.swizzle);
}

}  // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, uint32_t rank, void* address,
                                const uint64_t* sizes, const uint64_t* strides, const uint32_t* box,
                                const uint32_t* element_strides, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill) {
  return Call(__func__, Requires::kNothing, [&] {
    if (map == nullptr || reinterpret_cast<uintptr_t>(map) % alignof(CUtensorMap) != 0) return Error::kInvalidValue;
    if (type > CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ || rank == 0 || rank > kMostRank) return Error::kInvalidValue;
    SimulatedMap made = {};
    made.address = reinterpret_cast<uintptr_t>(address);
    made.rank = static_cast<uint8_t>(rank);
    made.type = static_cast<uint8_t>(type);
    made.swizzle = static_cast<uint8_t>(swizzle);
    made.promotion = static_cast<uint8_t>(promotion);
    for (uint32_t i = 0; i < rank; ++i) {
      if (element_strides[i] != 1) return Error::kInvalidValue;
      made.sizes[i] = sizes[i];
      made.box[i] = box[i];
      if (i > 0) made.strides[i - 1] = strides[i - 1];
    }
    if (!IsRight(made)) return Error::kInvalidValue;
    std::memset(map, 0, sizeof(*map));
    std::memcpy(map, &made, sizeof(made));
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
