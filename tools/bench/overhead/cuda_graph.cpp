// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers as graphs that a program would make with the CUDA driver API.
#include <array>
#include <utility>
#include <vector>

#include "bench/comparison/turns.h"
#include "cuda_calls.h"

namespace halyard::tools {
namespace {

// A stream, the kernel in it, and two buffers of which it uses one.
class CudaKernel {
 public:
  CudaKernel(const cuda::CudaLibrary& library, cuda::CUmodule module, const RecordedWork& work)
      : cuda_(library), threads_(work.threads), steps_(work.steps.value_or(0)) {
    Must(HALYARD_CUDA(cuda_, cuModuleGetFunction, (&function_, module, work.kernel)));
    Must(HALYARD_CUDA(cuda_, cuStreamCreate, (&stream_, cuda::CU_STREAM_NON_BLOCKING)));
    Must(HALYARD_CUDA(cuda_, cuEventCreate, (&end_, cuda::CU_EVENT_BLOCKING_SYNC | cuda::CU_EVENT_DISABLE_TIMING)));
    for (cuda::CUdeviceptr& buffer : buffers_) Must(HALYARD_CUDA(cuda_, cuMemAlloc_v2, (&buffer, kBufferLength)));
    size_t count = 0;
    if (work.steps) arguments_[count++] = &steps_;
    if (work.has_buffer) arguments_[count] = &address_;
    address_ = buffers_[0];
  }
  ~CudaKernel() {
    for (cuda::CUdeviceptr buffer : buffers_) static_cast<void>(cuda_.cuMemFree_v2(buffer));
    static_cast<void>(cuda_.cuEventDestroy_v2(end_));
    static_cast<void>(cuda_.cuStreamDestroy_v2(stream_));
  }
  CudaKernel(const CudaKernel&) = delete;
  CudaKernel& operator=(const CudaKernel&) = delete;

  /// Valid until the next call. The kernel's buffer begins `offset` bytes further on.
  cuda::CUDA_KERNEL_NODE_PARAMS NodeParams(uint64_t offset) {
    address_ = buffers_[0] + offset;
    cuda::CUDA_KERNEL_NODE_PARAMS params{};
    params.func = function_;
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = threads_;
    params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments_.data();
    return params;
  }
  void SwapBuffers() { std::swap(buffers_[0], buffers_[1]); }
  void Launch() {
    Must(HALYARD_CUDA(cuda_, cuLaunchKernel,
                      (function_, 1, 1, 1, threads_, 1, 1, 0, stream_, arguments_.data(), nullptr)));
  }
  cuda::CUstream stream() const { return stream_; }
  void Wait() const { Must(HALYARD_CUDA(cuda_, cuStreamSynchronize, (stream_))); }
  void Sleep() const {
    Must(HALYARD_CUDA(cuda_, cuEventRecord, (end_, stream_)));
    Must(HALYARD_CUDA(cuda_, cuEventSynchronize, (end_)));
  }

 private:
  const cuda::CudaLibrary& cuda_;
  const uint32_t threads_;
  uint32_t steps_;
  cuda::CUfunction function_ = nullptr;
  cuda::CUstream stream_ = nullptr;
  cuda::CUevent end_ = nullptr;  // for threads that sleep
  std::array<cuda::CUdeviceptr, 2> buffers_{};
  cuda::CUdeviceptr address_ = 0;
  std::array<void*, 2> arguments_{};
};

class CudaGraph final : public CounterpartGraph {
 public:
  CudaGraph(const cuda::CudaLibrary& library, cuda::CUmodule module, const RecordedWork& work)
      : cuda_(library), work_(work), kernel_(library, module, work) {
    Must(HALYARD_CUDA(cuda_, cuGraphCreate, (&graph_, 0)));
    nodes_.reserve(static_cast<size_t>(work.dispatches));
    for (int i = 0; i < work.dispatches; ++i) {
      const bool after = work.chained && i >= work.lanes;
      const cuda::CUgraphNode* const before = after ? &nodes_[static_cast<size_t>(i - work.lanes)] : nullptr;
      const cuda::CUDA_KERNEL_NODE_PARAMS params = NodeParams(i);
      cuda::CUgraphNode node = nullptr;
      Must(HALYARD_CUDA(cuda_, cuGraphAddKernelNode_v2, (&node, graph_, before, after ? 1 : 0, &params)));
      nodes_.push_back(node);
    }
    Must(HALYARD_CUDA(cuda_, cuGraphInstantiateWithFlags, (&exec_, graph_, 0)));
  }
  ~CudaGraph() override {
    static_cast<void>(cuda_.cuStreamSynchronize(kernel_.stream()));
    static_cast<void>(cuda_.cuGraphExecDestroy(exec_));
    static_cast<void>(cuda_.cuGraphDestroy(graph_));
  }

  void Patch() override {
    kernel_.SwapBuffers();
    for (int i = 0; i < work_.dispatches; ++i) {
      const cuda::CUDA_KERNEL_NODE_PARAMS params = NodeParams(i);
      Must(HALYARD_CUDA(cuda_, cuGraphExecKernelNodeSetParams_v2, (exec_, nodes_[static_cast<size_t>(i)], &params)));
    }
  }
  void Launch() override { Must(HALYARD_CUDA(cuda_, cuGraphLaunch, (exec_, kernel_.stream()))); }
  void Wait() override { kernel_.Wait(); }
  void Sleep() override { kernel_.Sleep(); }

 private:
  cuda::CUDA_KERNEL_NODE_PARAMS NodeParams(int dispatch) {
    return kernel_.NodeParams(static_cast<uint64_t>(work_.lane(dispatch)) * work_.lane_length());
  }

  const cuda::CudaLibrary& cuda_;
  const RecordedWork work_;
  CudaKernel kernel_;
  cuda::CUgraph graph_ = nullptr;
  cuda::CUgraphExec exec_ = nullptr;
  std::vector<cuda::CUgraphNode> nodes_;
};

class CudaTransfer final : public CounterpartGraph {
 public:
  CudaTransfer(const cuda::CudaLibrary& library, const RecordedTransfer& transfer)
      : cuda_(library), transfer_(transfer) {
    Must(HALYARD_CUDA(cuda_, cuStreamCreate, (&stream_, cuda::CU_STREAM_NON_BLOCKING)));
    for (cuda::CUdeviceptr& buffer : buffers_) {
      Must(HALYARD_CUDA(cuda_, cuMemAlloc_v2, (&buffer, transfer.length + 16)));
    }
  }
  ~CudaTransfer() override {
    static_cast<void>(cuda_.cuStreamSynchronize(stream_));
    for (cuda::CUdeviceptr buffer : buffers_) static_cast<void>(cuda_.cuMemFree_v2(buffer));
    static_cast<void>(cuda_.cuStreamDestroy_v2(stream_));
  }

  void Patch() override {}
  void Launch() override {
    using Kind = RecordedTransfer::Kind;
    switch (transfer_.kind) {
      case Kind::kFill:
        Must(HALYARD_CUDA(cuda_, cuMemsetD32Async, (buffers_[1], 0x01010101, transfer_.length / 4, stream_)));
        return;
      case Kind::kCopy:
        Must(HALYARD_CUDA(
            cuda_, cuMemcpyDtoDAsync_v2,
            (buffers_[1] + transfer_.target_offset, buffers_[0] + transfer_.source_offset, transfer_.length, stream_)));
        return;
      case Kind::kRows:
        CopyRows();
        return;
    }
  }
  void Wait() override { Must(HALYARD_CUDA(cuda_, cuStreamSynchronize, (stream_))); }

 private:
  void CopyRows() {
    cuda::CUDA_MEMCPY3D params{};
    params.srcMemoryType = cuda::CU_MEMORYTYPE_DEVICE;
    params.srcDevice = buffers_[0];
    params.srcPitch = 2 * transfer_.row;
    params.dstMemoryType = cuda::CU_MEMORYTYPE_DEVICE;
    params.dstDevice = buffers_[1];
    params.dstPitch = 2 * transfer_.row;
    params.WidthInBytes = transfer_.row;
    params.Height = transfer_.rows();
    params.Depth = 1;
    Must(HALYARD_CUDA(cuda_, cuMemcpy3DAsync_v2, (&params, stream_)));
  }

  const cuda::CudaLibrary& cuda_;
  const RecordedTransfer transfer_;
  cuda::CUstream stream_ = nullptr;
  std::array<cuda::CUdeviceptr, 2> buffers_{};
};

}  // namespace

std::unique_ptr<CounterpartGraph> MakeCudaTransfer(const cuda::CudaLibrary& library, const RecordedTransfer& transfer) {
  return std::make_unique<CudaTransfer>(library, transfer);
}

std::unique_ptr<CounterpartGraph> MakeCudaGraph(const cuda::CudaLibrary& library, cuda::CUmodule module,
                                                const RecordedWork& work) {
  return std::make_unique<CudaGraph>(library, module, work);
}

double CudaKernelTime(const cuda::CudaLibrary& library, cuda::CUmodule module, const RecordedWork& work) {
  constexpr int kLaunches = 51;
  CudaKernel kernel(library, module, work);
  std::vector<double> times(kLaunches);
  for (double& time : times) {
    time = bench::Time([&] {
      kernel.Launch();
      kernel.Wait();
    });
  }
  return bench::Median(times);
}

}  // namespace halyard::tools
