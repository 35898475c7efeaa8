// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable graphs: instantiating, patching, launching. Two threads may not use one graph at the same time, which is
// checked outside the runtime's lock.
#include <utility>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "cuda/graph_params.h"

namespace halyard::cuda::abi {
namespace {

std::shared_ptr<sim::GraphExec> FindExec(CUgraphExec handle) { return Runtime::Get().execs.Find(handle); }

sim::ExclusiveUse Use(CUgraphExec handle) {
  std::shared_ptr<sim::GraphExec> exec;
  if (!sim::InHostFunction()) {
    const Lock lock(Runtime::Get().mutex);
    exec = Runtime::Get().execs.Peek(handle);
  }
  return sim::ExclusiveUse(std::move(exec));
}

// The step of an executable graph that a node became, if it is of that kind. Null with an error otherwise.
sim::GraphExec::Step* FindStep(CUgraphExec exec, CUgraphNode node) {
  const auto found = FindExec(exec);
  const auto original = Runtime::Get().nodes.Find(node);
  return found == nullptr || original == nullptr ? nullptr : found->Find(original.get());
}

template <typename Params>
Error Patch(CUgraphExec exec, CUgraphNode node, sim::NodeKind kind, const Params* params) {
  sim::GraphExec::Step* step = FindStep(exec, node);
  if (step == nullptr || step->kind != kind) return Error::kInvalidValue;
  sim::Work work;
  const Error error = MakeWork(params, &work);
  if (error != Error::kSuccess) return error;
  step->work = std::make_shared<const sim::Work>(std::move(work));
  FindExec(exec)->Patched(*step);
  return Error::kSuccess;
}

bool CanBeDisabled(sim::NodeKind kind) {
  return kind == sim::NodeKind::kKernel || kind == sim::NodeKind::kCopy || kind == sim::NodeKind::kFill;
}

}  // namespace

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = Runtime::Get().graphs.Find(graph);
    if (exec == nullptr || found == nullptr) return Error::kInvalidValue;
    if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) return Error::kNotSupported;
    if (found->instantiated && IsUpdatable(*found)) return Error::kNotSupported;
    auto made = sim::GraphExec::Make(*found);
    if (made == nullptr) return Error::kInvalidValue;
    found->instantiated = true;
    *exec = ToHandle<CUgraphExec>(Runtime::Get().execs.Add(std::move(made)));
    return Error::kSuccess;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  const sim::ExclusiveUse use = Use(exec);
  return Call(__func__, Requires::kInit, [&] {
    Runtime& runtime = Runtime::Get();
    const auto found = FindExec(exec);
    if (found == nullptr) return Error::kInvalidValue;
    if (found->pending != 0) {
      runtime.reports.Add(sim::Rule::kDestroyInUse, "an executable graph was destroyed before its launches were done");
    }
    runtime.execs.Remove(found.get());
    return Error::kSuccess;
  });
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  const sim::ExclusiveUse use = Use(exec);
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindStream(stream);
    const auto uploaded = FindExec(exec);
    if (found == nullptr || uploaded == nullptr) return Error::kInvalidValue;
    uploaded->Upload(*found, uploaded);
    return Error::kSuccess;
  });
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  const sim::ExclusiveUse use = Use(exec);
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindStream(stream);
    const auto launched = FindExec(exec);
    if (found == nullptr || launched == nullptr) return Error::kInvalidValue;
    if (!launched->uploaded()) {
      Runtime::Get().reports.Add(sim::Rule::kGraphUpload,
                                 "a graph with device-updatable nodes was launched that was not uploaded as it is");
    }
    launched->Launch(*found, launched);
    return Error::kSuccess;
  });
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  const sim::ExclusiveUse use = Use(exec);
  return Call(__func__, Requires::kContext, [&] { return Patch(exec, node, sim::NodeKind::kKernel, params); });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* params, CUcontext) {
  const sim::ExclusiveUse use = Use(exec);
  return Call(__func__, Requires::kInit, [&] { return Patch(exec, node, sim::NodeKind::kCopy, params); });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params,
                                        CUcontext) {
  const sim::ExclusiveUse use = Use(exec);
  return Call(__func__, Requires::kInit, [&] { return Patch(exec, node, sim::NodeKind::kFill, params); });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params) {
  const sim::ExclusiveUse use = Use(exec);
  return Call(__func__, Requires::kInit, [&] { return Patch(exec, node, sim::NodeKind::kHostFunction, params); });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled) {
  const sim::ExclusiveUse use = Use(exec);
  return Call(__func__, Requires::kInit, [&] {
    sim::GraphExec::Step* step = FindStep(exec, node);
    if (step == nullptr || !CanBeDisabled(step->kind)) return Error::kInvalidValue;
    step->enabled = enabled != 0;
    FindExec(exec)->Patched(*step);
    return Error::kSuccess;
  });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int* enabled) {
  const sim::ExclusiveUse use = Use(exec);
  return Call(__func__, Requires::kInit, [&] {
    const sim::GraphExec::Step* step = FindStep(exec, node);
    if (step == nullptr || enabled == nullptr) return Error::kInvalidValue;
    *enabled = step->enabled ? 1 : 0;
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
