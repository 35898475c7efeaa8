// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel nodes whose grid the device sets, for CudaApi: each comes after a node with the kernel of
// device/count_reader.cu, which reads the counts and names the node by the handle that CUDA gave it.
#include "cuda/builtin/count_reader_image.h"
#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

constexpr int kFirstDriverVersion = 12040;  // with such nodes

CUgraphNode Native(NativeGraphNode handle) { return reinterpret_cast<CUgraphNode>(handle); }

/// A launch of the kernel, with the parameters that it points to.
class ReaderLaunch {
 public:
  ReaderLaunch(NativeFunction reader, const hal_dim3_t& most, uint64_t handle, const NativeIndirectLaunch& indirect)
      : handle_(handle), counts_(indirect.counts), rejection_(indirect.rejection), most_(most) {
    launch_.function = reader;
    launch_.workgroup_count = launch_.workgroup_size = hal_dim3(1, 1, 1);
    launch_.parameters = parameters_;
  }
  ReaderLaunch(const ReaderLaunch&) = delete;
  ReaderLaunch& operator=(const ReaderLaunch&) = delete;

  const NativeLaunch& native() const { return launch_; }

 private:
  uint64_t handle_;
  NativeAddress counts_;
  NativeAddress rejection_;
  hal_dim3_t most_;
  void* parameters_[6] = {&handle_, &counts_, &rejection_, &most_.x, &most_.y, &most_.z};
  NativeLaunch launch_;
};

}  // namespace

void CudaApi::SetIndirectTraits(int version) {
  traits_.no_indirect_launches = nullptr;
  if (kCountReaderImage.empty()) {
    traits_.no_indirect_launches = "this library was built without nvcc";
  } else if (version < kFirstDriverVersion) {
    traits_.no_indirect_launches = "it takes a driver for CUDA 12.4 or newer";
  }
}

Status CudaApi::PrepareIndirectLaunches() {
  const std::lock_guard lock(count_reader_mutex_);
  if (count_reader_) return kOk;
  NativeModule module = nullptr;
  HAL_TRY(LoadImage(kCountReaderImage.data(), &module));
  NativeFunction function = nullptr;
  if (Status status = FindFunction(module, "halyard_read_counts", &function); status != kOk) {
    UnloadModule(module);
    return status;
  }
  count_reader_module_ = module;
  count_reader_ = function;
  return kOk;
}

void CudaApi::UnloadCountReader() noexcept {
  NativeCurrent before;
  if (!count_reader_module_ || !Succeeds(stream::TryTwice([&] { return Enter(&before); }))) return;
  UnloadModule(count_reader_module_);
  Leave(before);
}

// The node that reads is made last, since it has the other's handle for a parameter.
Status CudaApi::AddIndirectLaunch(NativeGraph graph, std::span<const NativeGraphNode> after,
                                  const NativeIndirectLaunch& launch, NativeIndirectNode* out_node) {
  HAL_TRY(AddLaunch(graph, {}, launch.launch, &out_node->launch));
  HAL_TRY(MakeUpdatable(out_node->launch, &out_node->handle));
  const ReaderLaunch reader(count_reader_, traits_.max_workgroup_count, out_node->handle, launch);
  HAL_TRY(AddLaunch(graph, after, reader.native(), &out_node->reader));
  const CUgraphNode from = Native(out_node->reader);
  const CUgraphNode to = Native(out_node->launch);
  return HALYARD_CUDA(library_, cuGraphAddDependencies, (reinterpret_cast<CUgraph>(graph), &from, &to, 1));
}

Status CudaApi::MakeUpdatable(NativeGraphNode node, uint64_t* out_handle) {
  constexpr auto kAttribute = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
  CUlaunchAttributeValue value{};
  value.deviceUpdatableKernelNode.deviceUpdatable = 1;
  Status status = HALYARD_CUDA(library_, cuGraphKernelNodeSetAttribute, (Native(node), kAttribute, &value));
  if (status == kOk) status = HALYARD_CUDA(library_, cuGraphKernelNodeGetAttribute, (Native(node), kAttribute, &value));
  if (status != kOk) return status;
  *out_handle = reinterpret_cast<uintptr_t>(value.deviceUpdatableKernelNode.devNode);
  if (*out_handle != 0) return kOk;
  return FailWith(HAL_STATUS_INTERNAL, "cuGraphKernelNodeGetAttribute: no handle of a node that is device-updatable");
}

Status CudaApi::PatchIndirectLaunch(NativeGraphExec exec, const NativeIndirectNode& node,
                                    const NativeIndirectLaunch& launch) {
  HAL_TRY(PatchLaunch(exec, node.launch, launch.launch));
  const ReaderLaunch reader(count_reader_, traits_.max_workgroup_count, node.handle, launch);
  return PatchLaunch(exec, node.reader, reader.native());
}

Status CudaApi::UploadGraph(NativeGraphExec exec, NativeStream stream) {
  return HALYARD_CUDA(library_, cuGraphUpload,
                      (reinterpret_cast<CUgraphExec>(exec), reinterpret_cast<CUstream>(stream)));
}

}  // namespace halyard::cuda
