// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recordings as the graphs that one would make with the CUDA driver API.
#include <array>
#include <utility>
#include <vector>

#include "bench/comparison/turns.h"
#include "cuda_calls.h"

namespace halyard::tools {
namespace {

constexpr size_t kBufferLength = 4096;  // bytes

// A stream, the kernel in it, and two buffers of which it uses one.
class CudaKernel {
 public:
  CudaKernel(const cuda::CudaLibrary& library, abi::Module module, const RecordedWork& work)
      : cuda_(library), threads_(work.threads), steps_(work.steps.value_or(0)) {
    Must(HALYARD_CUDA(cuda_, ModuleGetFunction, (&function_, module, work.kernel)));
    Must(HALYARD_CUDA(cuda_, StreamCreate, (&stream_, Bits(abi::StreamFlags::kNonBlocking))));
    for (abi::DevicePtr& buffer : buffers_) Must(HALYARD_CUDA(cuda_, MemAlloc, (&buffer, kBufferLength)));
    size_t count = 0;
    if (work.steps) arguments_[count++] = &steps_;
    if (work.has_buffer) arguments_[count] = &buffers_[0];
  }
  ~CudaKernel() {
    for (abi::DevicePtr buffer : buffers_) static_cast<void>(cuda_.MemFree(buffer));
    static_cast<void>(cuda_.StreamDestroy(stream_));
  }
  CudaKernel(const CudaKernel&) = delete;
  CudaKernel& operator=(const CudaKernel&) = delete;

  abi::KernelNodeParams NodeParams() {
    abi::KernelNodeParams params{};
    params.function = function_;
    params.grid_dim_x = params.grid_dim_y = params.grid_dim_z = 1;
    params.block_dim_x = threads_;
    params.block_dim_y = params.block_dim_z = 1;
    params.kernel_params = arguments_.data();
    return params;
  }
  void SwapBuffers() { std::swap(buffers_[0], buffers_[1]); }
  void Launch() {
    Must(HALYARD_CUDA(cuda_, LaunchKernel,
                      (function_, 1, 1, 1, threads_, 1, 1, 0, stream_, arguments_.data(), nullptr)));
  }
  abi::Stream stream() const { return stream_; }
  void Wait() const { Must(HALYARD_CUDA(cuda_, StreamSynchronize, (stream_))); }

 private:
  const cuda::CudaLibrary& cuda_;
  const uint32_t threads_;
  uint32_t steps_;
  abi::Function function_ = nullptr;
  abi::Stream stream_ = nullptr;
  std::array<abi::DevicePtr, 2> buffers_{};
  std::array<void*, 2> arguments_{};
};

class CudaGraph final : public CounterpartGraph {
 public:
  CudaGraph(const cuda::CudaLibrary& library, abi::Module module, const RecordedWork& work)
      : cuda_(library), kernel_(library, module, work) {
    Must(HALYARD_CUDA(cuda_, GraphCreate, (&graph_, 0)));
    const abi::KernelNodeParams params = kernel_.NodeParams();
    nodes_.reserve(kDispatchesOfARecording);
    for (int i = 0; i < kDispatchesOfARecording; ++i) {
      const bool after = work.chained && i > 0;
      abi::GraphNode node = nullptr;
      Must(HALYARD_CUDA(cuda_, GraphAddKernelNode,
                        (&node, graph_, after ? &nodes_.back() : nullptr, after ? 1 : 0, &params)));
      nodes_.push_back(node);
    }
    Must(HALYARD_CUDA(cuda_, GraphInstantiate, (&exec_, graph_, 0)));
  }
  ~CudaGraph() override {
    static_cast<void>(cuda_.StreamSynchronize(kernel_.stream()));
    static_cast<void>(cuda_.GraphExecDestroy(exec_));
    static_cast<void>(cuda_.GraphDestroy(graph_));
  }

  void Patch() override {
    kernel_.SwapBuffers();
    const abi::KernelNodeParams params = kernel_.NodeParams();
    for (abi::GraphNode node : nodes_) Must(HALYARD_CUDA(cuda_, GraphExecKernelNodeSetParams, (exec_, node, &params)));
  }
  void Launch() override { Must(HALYARD_CUDA(cuda_, GraphLaunch, (exec_, kernel_.stream()))); }
  void Wait() override { kernel_.Wait(); }

 private:
  const cuda::CudaLibrary& cuda_;
  CudaKernel kernel_;
  abi::Graph graph_ = nullptr;
  abi::GraphExec exec_ = nullptr;
  std::vector<abi::GraphNode> nodes_;
};

}  // namespace

std::unique_ptr<CounterpartGraph> MakeCudaGraph(const cuda::CudaLibrary& library, abi::Module module,
                                                const RecordedWork& work) {
  return std::make_unique<CudaGraph>(library, module, work);
}

double CudaKernelTime(const cuda::CudaLibrary& library, abi::Module module, const RecordedWork& work) {
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
