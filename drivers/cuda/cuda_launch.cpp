// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels that ask for more than a grid: clusters, cooperative launches, programmatic dependent launches.
#include <array>

#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

using stream::NativeLaunchRules;

/// More workgroups in a cluster are not portable between devices.
constexpr uint32_t kPortableCluster = 8;

CUfunction Native(NativeFunction handle) { return reinterpret_cast<CUfunction>(handle); }

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

}  // namespace halyard::cuda
