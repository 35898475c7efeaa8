// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels that ask for more than a grid: clusters, cooperative launches, programmatic dependent launches.
#include <array>

#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

using stream::NativeLaunchRules;

/// More workgroups in a cluster are not portable between devices.
constexpr uint32_t kPortableCluster = 8;

/// The attributes of one launch.
class LaunchAttributes {
 public:
  explicit LaunchAttributes(const NativeLaunchRules& rules) {
    if (rules.cluster_size.x > 0) {
      const hal_dim3_t& size = rules.cluster_size;
      Add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {size.x, size.y, size.z};
    }
    if (rules.cooperative) Add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  }

  /// For streams. In a graph the edges say when a kernel may begin.
  void AddProgrammatic() {
    Add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  }

  std::span<CUlaunchAttribute> list() { return {attributes_.data(), count_}; }

 private:
  CUlaunchAttributeValue& Add(CUlaunchAttributeID id) {
    CUlaunchAttribute& attribute = attributes_[count_++];
    attribute = {};
    attribute.id = id;
    return attribute.value;
  }

  std::array<CUlaunchAttribute, 3> attributes_;
  size_t count_ = 0;
};

}  // namespace

Status CudaApi::Launch(NativeStream stream, const NativeLaunch& launch) {
  if (!launch.rules.any()) return VendorApi::Launch(stream, launch);
  LaunchAttributes attributes(launch.rules);
  if (launch.rules.programmatic) attributes.AddProgrammatic();
  const hal_dim3_t& count = launch.workgroup_count;
  const hal_dim3_t& size = launch.workgroup_size;
  const CUlaunchConfig config = {count.x,
                                 count.y,
                                 count.z,
                                 size.x,
                                 size.y,
                                 size.z,
                                 launch.dynamic_local_memory,
                                 reinterpret_cast<CUstream>(stream),
                                 attributes.list().data(),
                                 static_cast<unsigned>(attributes.list().size())};
  return HALYARD_CUDA(library_, cuLaunchKernelEx, (&config, Native(launch.function), launch.parameters, nullptr));
}

Status CudaApi::AddLaunch(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeLaunch& launch,
                          NativeGraphNode* out_node) {
  HAL_TRY(VendorApi::AddLaunch(graph, after, launch, out_node));
  LaunchAttributes attributes(launch.rules);
  for (const CUlaunchAttribute& attribute : attributes.list()) {
    HAL_TRY(HALYARD_CUDA(library_, cuGraphKernelNodeSetAttribute,
                         (reinterpret_cast<CUgraphNode>(*out_node), attribute.id, &attribute.value)));
  }
  return kOk;
}

Status CudaApi::AllowClusters(NativeFunction function, uint32_t workgroups) {
  if (workgroups <= kPortableCluster) return kOk;
  return HALYARD_CUDA(library_, cuFuncSetAttribute,
                      (Native(function), CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
}

// By the numbers of hal_tensor_map_t, which were checked.
constexpr CUtensorMapDataType kTensorTypes[] = {
    CU_TENSOR_MAP_DATA_TYPE_UINT8,       CU_TENSOR_MAP_DATA_TYPE_UINT16,      CU_TENSOR_MAP_DATA_TYPE_UINT32,
    CU_TENSOR_MAP_DATA_TYPE_INT32,       CU_TENSOR_MAP_DATA_TYPE_UINT64,      CU_TENSOR_MAP_DATA_TYPE_INT64,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16,     CU_TENSOR_MAP_DATA_TYPE_FLOAT32,     CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,    CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ};
constexpr CUtensorMapSwizzle kTensorSwizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                                  CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
constexpr CUtensorMapL2promotion kTensorPromotions[] = {
    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B};
constexpr CUtensorMapFloatOOBfill kTensorFills[] = {CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
                                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA};

// CUDA's first dimension is the contiguous one, whose stride it knows.
Status CudaApi::EncodeTensorMap(const hal_tensor_map_t& map, const TensorShape& shape, NativeAddress address,
                                NativeTensorMap* out_map) {
  std::array<uint64_t, HAL_TENSOR_MAP_MAX_RANK> sizes = {};
  std::array<uint64_t, HAL_TENSOR_MAP_MAX_RANK> strides = {};
  std::array<uint32_t, HAL_TENSOR_MAP_MAX_RANK> box = {};
  std::array<uint32_t, HAL_TENSOR_MAP_MAX_RANK> steps = {};
  for (uint32_t i = 0; i < map.rank; ++i) {
    const uint32_t own = map.rank - 1 - i;
    sizes[i] = shape.sizes[own];
    box[i] = map.box[own];
    steps[i] = 1;
    if (i > 0) strides[i - 1] = shape.strides[own];
  }
  static_assert(sizeof(CUtensorMap) == sizeof(*out_map) && alignof(CUtensorMap) == alignof(NativeTensorMap));
  return HALYARD_CUDA(
      library_, cuTensorMapEncodeTiled,
      (reinterpret_cast<CUtensorMap*>(out_map), kTensorTypes[map.data_type], map.rank, reinterpret_cast<void*>(address),
       sizes.data(), strides.data(), box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
       kTensorSwizzles[map.swizzle], kTensorPromotions[map.l2_promotion], kTensorFills[map.fill]));
}

}  // namespace halyard::cuda
