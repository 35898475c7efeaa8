// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work beside the capture of a stream in CUDA's default mode, which watches every thread of the process.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cuda/hardware/cuda_test.h"
#include "cuda/hardware/last_word.h"
#include "sim/cuda/unsafe_calls.h"
#include "submission/exit_drain.h"

namespace halyard::cuda {
namespace {

using abi::Result;

constexpr size_t kBytes = 1 << 16;
constexpr std::string_view kSpare = R"(
.version 6.0
.target sm_60
.address_size 64
.visible .global .align 4 .b8 word[1048576];
.visible .entry spare() { ret; }
)";

/// What the calls are made on; all of it is there before a capture begins. It goes with the process.
struct Objects {
  explicit Objects(const CudaLibrary& library) : cuda(library) {
    const auto flags = static_cast<unsigned int>(abi::StreamFlags::kNonBlocking);
    for (abi::Stream* stream : {&captured, &beside, &doomed_stream}) Check(cuda.StreamCreate(stream, flags));
    for (abi::Event* event : {&begin, &end, &doomed_event}) Check(cuda.EventCreate(event, 0));
    for (abi::Event event : {begin, end}) Check(cuda.EventRecord(event, beside));
    for (abi::DevicePtr* address : {&memory, &doomed_memory}) Check(cuda.MemAlloc(address, kBytes));
    Check(cuda.MemAllocManaged(&managed, kBytes, static_cast<unsigned int>(abi::MemAttachFlags::kGlobal)));
    for (void** host : {&pinned, &doomed_pinned}) Check(cuda.MemHostAlloc(host, kBytes, abi::kMemHostAllocDeviceMap));
    Check(cuda.MemHostRegister(registered.data(), registered.size(), 0));
    props.alloc_type = abi::MemAllocationType::kPinned;
    props.location = {abi::MemLocationType::kDevice, 0};
    Check(cuda.CtxGetDevice(&props.location.id));
    for (abi::MemPool* made : {&pool, &doomed_pool}) Check(cuda.MemPoolCreate(made, &props));
    Check(cuda.MemAllocFromPoolAsync(&pooled, kBytes, pool, beside));
    Check(cuda.LinkCreate(0, nullptr, nullptr, &link));
    text = kSpare;
    Check(cuda.LinkAddData(link, abi::JitInputType::kPtx, text.data(), text.size() + 1, "spare", 0, nullptr, nullptr));
    Check(cuda.ModuleLoadDataEx(&module, kSpare.data(), 0, nullptr, nullptr));
    Check(cuda.ModuleLoadDataEx(&doomed_module, kSpare.data(), 0, nullptr, nullptr));
    Check(cuda.ModuleGetFunction(&function, module, "spare"));
    params.function = function;
    params.grid_dim_x = params.grid_dim_y = params.grid_dim_z = 1;
    params.block_dim_x = params.block_dim_y = params.block_dim_z = 1;
    for (abi::Graph* made : {&graph, &doomed_graph}) Check(cuda.GraphCreate(made, 0));
    Check(cuda.GraphAddKernelNode(&node, graph, nullptr, 0, &params));
    for (abi::GraphExec* made : {&exec, &doomed_exec}) Check(cuda.GraphInstantiate(made, graph, 0));
    Check(cuda.StreamSynchronize(beside));
  }
  static void Check(Result result) {
    if (result != Result::kSuccess) std::fprintf(stderr, "preparation: CUDA's error %d\n", static_cast<int>(result));
    EXPECT_EQ(result, Result::kSuccess);
  }

  const CudaLibrary& cuda;
  abi::Stream captured = nullptr, beside = nullptr, doomed_stream = nullptr;
  abi::Event begin = nullptr, end = nullptr, doomed_event = nullptr;
  abi::DevicePtr memory = 0, doomed_memory = 0, managed = 0, pooled = 0;
  void *pinned = nullptr, *doomed_pinned = nullptr;
  alignas(4096) std::array<char, 4096> registered{};
  alignas(4096) std::array<char, 4096> not_registered{};
  abi::MemPoolProps props{};
  abi::MemPool pool = nullptr, doomed_pool = nullptr;
  std::string text;
  abi::LinkState link = nullptr;
  abi::Module module = nullptr, doomed_module = nullptr;
  abi::Function function = nullptr;
  abi::KernelNodeParams params{};
  abi::Graph graph = nullptr, doomed_graph = nullptr;
  abi::GraphNode node = nullptr;
  abi::GraphExec exec = nullptr, doomed_exec = nullptr;
};

/// A call of the function that the library exports under a name.
struct Call {
  const char* name;
  std::function<Result()> make;
};

std::vector<Call> CallsOnStreams(Objects& o) {
  const CudaLibrary& cuda = o.cuda;
  return {
      {"cuStreamCreate",
       [&] {
         abi::Stream made = nullptr;
         return cuda.StreamCreate(&made, 1);
       }},
      {"cuStreamDestroy_v2", [&] { return cuda.StreamDestroy(o.doomed_stream); }},
      {"cuStreamQuery", [&] { return cuda.StreamQuery(o.beside); }},
      {"cuStreamSynchronize", [&] { return cuda.StreamSynchronize(o.beside); }},
      {"cuStreamIsCapturing",
       [&] {
         auto status = abi::StreamCaptureStatus::kNone;
         return cuda.StreamIsCapturing(o.beside, &status);
       }},
      {"cuStreamWaitEvent", [&] { return cuda.StreamWaitEvent(o.beside, o.begin, 0); }},
      {"cuStreamWriteValue64_v2", [&] { return cuda.StreamWriteValue64(o.beside, o.memory, 1, 0); }},
      {"cuLaunchHostFunc",
       [&] {
         return cuda.LaunchHostFunc(
             o.beside, [](void*) {}, nullptr);
       }},
      {"cuEventCreate",
       [&] {
         abi::Event made = nullptr;
         return cuda.EventCreate(&made, 0);
       }},
      {"cuEventDestroy_v2", [&] { return cuda.EventDestroy(o.doomed_event); }},
      {"cuEventRecord", [&] { return cuda.EventRecord(o.begin, o.beside); }},
      {"cuEventQuery", [&] { return cuda.EventQuery(o.end); }},
      {"cuEventElapsedTime",
       [&] {
         float milliseconds = 0;
         return cuda.EventElapsedTime(&milliseconds, o.begin, o.end);
       }},
      {"cuEventSynchronize", [&] { return cuda.EventSynchronize(o.end); }},
      {"cuCtxSynchronize", [&] { return cuda.CtxSynchronize(); }},
      {"cuLaunchKernel",
       [&] { return cuda.LaunchKernel(o.function, 1, 1, 1, 1, 1, 1, 0, o.beside, nullptr, nullptr); }},
      {"cuMemcpyAsync", [&] { return cuda.MemcpyAsync(o.memory, o.doomed_memory, kBytes, o.beside); }},
      {"cuMemcpyHtoDAsync_v2", [&] { return cuda.MemcpyHtoDAsync(o.memory, o.pinned, kBytes, o.beside); }},
      {"cuMemsetD8Async", [&] { return cuda.MemsetD8Async(o.memory, 1, kBytes, o.beside); }},
      {"cuMemsetD16Async", [&] { return cuda.MemsetD16Async(o.memory, 1, kBytes / 2, o.beside); }},
      {"cuMemsetD32Async", [&] { return cuda.MemsetD32Async(o.memory, 1, kBytes / 4, o.beside); }},
      {"cuMemPrefetchAsync", [&] { return cuda.MemPrefetchAsync(o.managed, kBytes, o.props.location.id, o.beside); }},
  };
}

std::vector<Call> CallsForMemory(Objects& o) {
  const CudaLibrary& cuda = o.cuda;
  static abi::DevicePtr address = 0;
  static void* host = nullptr;
  static size_t size = 0;
  return {
      {"cuMemGetInfo_v2",
       [&] {
         size_t total = 0;
         return cuda.MemGetInfo(&size, &total);
       }},
      {"cuMemAlloc_v2", [&] { return cuda.MemAlloc(&address, kBytes); }},
      {"cuMemFree_v2", [&] { return cuda.MemFree(o.doomed_memory); }},
      {"cuMemGetAddressRange_v2", [&] { return cuda.MemGetAddressRange(&address, &size, o.memory); }},
      {"cuMemHostAlloc", [&] { return cuda.MemHostAlloc(&host, kBytes, 0); }},
      {"cuMemFreeHost", [&] { return cuda.MemFreeHost(o.doomed_pinned); }},
      {"cuMemHostRegister_v2",
       [&] { return cuda.MemHostRegister(o.not_registered.data(), o.not_registered.size(), 0); }},
      {"cuMemHostUnregister", [&] { return cuda.MemHostUnregister(o.registered.data()); }},
      {"cuMemHostGetDevicePointer_v2", [&] { return cuda.MemHostGetDevicePointer(&address, o.pinned, 0); }},
      {"cuMemAllocManaged", [&] { return cuda.MemAllocManaged(&address, kBytes, 1); }},
      {"cuPointerGetAttribute",
       [&] {
         int type = 0;
         return cuda.PointerGetAttribute(&type, abi::PointerAttribute::kMemoryType, o.memory);
       }},
      {"cuMemPoolCreate",
       [&] {
         abi::MemPool made = nullptr;
         return cuda.MemPoolCreate(&made, &o.props);
       }},
      {"cuMemPoolSetAttribute",
       [&] {
         uint64_t keep = 1;
         return cuda.MemPoolSetAttribute(o.pool, abi::MemPoolAttribute::kReleaseThreshold, &keep);
       }},
      {"cuMemAllocFromPoolAsync", [&] { return cuda.MemAllocFromPoolAsync(&address, 64 << 20, o.pool, o.beside); }},
      {"cuMemFreeAsync", [&] { return cuda.MemFreeAsync(o.pooled, o.beside); }},
      {"cuMemPoolTrimTo", [&] { return cuda.MemPoolTrimTo(o.pool, 0); }},
      {"cuMemPoolDestroy", [&] { return cuda.MemPoolDestroy(o.doomed_pool); }},
  };
}

std::vector<Call> CallsForCode(Objects& o) {
  const CudaLibrary& cuda = o.cuda;
  static int value = 0;
  return {
      {"cuLinkComplete",
       [&] {
         void* code = nullptr;
         size_t size = 0;
         return cuda.LinkComplete(o.link, &code, &size);
       }},
      {"cuModuleLoadDataEx",
       [&] {
         abi::Module made = nullptr;
         return cuda.ModuleLoadDataEx(&made, kSpare.data(), 0, nullptr, nullptr);
       }},
      {"cuModuleGetFunction",
       [&] {
         abi::Function made = nullptr;
         return cuda.ModuleGetFunction(&made, o.doomed_module, "spare");
       }},
      {"cuFuncGetAttribute",
       [&] { return cuda.FuncGetAttribute(&value, abi::FunctionAttribute::kMaxThreadsPerBlock, o.function); }},
      {"cuFuncSetAttribute",
       [&] { return cuda.FuncSetAttribute(o.function, abi::FunctionAttribute::kMaxDynamicSharedSizeBytes, 1024); }},
      {"cuModuleUnload", [&] { return cuda.ModuleUnload(o.doomed_module); }},
      {"cuGraphCreate",
       [&] {
         abi::Graph made = nullptr;
         return cuda.GraphCreate(&made, 0);
       }},
      {"cuGraphAddKernelNode_v2",
       [&] {
         abi::GraphNode made = nullptr;
         return cuda.GraphAddKernelNode(&made, o.graph, nullptr, 0, &o.params);
       }},
      {"cuGraphAddEmptyNode",
       [&] {
         abi::GraphNode made = nullptr;
         return cuda.GraphAddEmptyNode(&made, o.graph, nullptr, 0);
       }},
      {"cuGraphInstantiateWithFlags",
       [&] {
         abi::GraphExec made = nullptr;
         return cuda.GraphInstantiate(&made, o.graph, 0);
       }},
      {"cuGraphExecKernelNodeSetParams_v2",
       [&] { return cuda.GraphExecKernelNodeSetParams(o.exec, o.node, &o.params); }},
      {"cuGraphUpload", [&] { return cuda.GraphUpload(o.exec, o.beside); }},
      {"cuGraphLaunch", [&] { return cuda.GraphLaunch(o.exec, o.beside); }},
      {"cuGraphExecDestroy", [&] { return cuda.GraphExecDestroy(o.doomed_exec); }},
      {"cuGraphDestroy", [&] { return cuda.GraphDestroy(o.doomed_graph); }},
  };
}

class CudaCaptureTest : public CudaDeviceTest {
 protected:
  void SetUp() override {
    CudaDeviceTest::SetUp();
    if (!IsSkipped()) context_.emplace(device_);
  }
  const CudaLibrary& cuda() const { return context_->cuda(); }

  /// Captures a stream while another thread is at work; false if that spoils the capture.
  bool Capture(abi::Stream stream, const std::function<void()>& work) const {
    EXPECT_EQ(cuda().StreamBeginCapture(stream, abi::StreamCaptureMode::kGlobal), Result::kSuccess);
    std::thread(work).join();
    abi::Graph graph = nullptr;
    const Result result = cuda().StreamEndCapture(stream, &graph);
    if (graph) EXPECT_EQ(cuda().GraphDestroy(graph), Result::kSuccess);
    EXPECT_TRUE(result == Result::kSuccess || result == Result::kErrorStreamCaptureInvalidated);
    return result == Result::kSuccess;
  }
  /// Whether the capture is spoilt by the call.
  bool IsRefused(const Objects& objects, const Call& call) const {
    Result result = Result::kSuccess;
    abi::Context context = nullptr;
    EXPECT_EQ(cuda().CtxGetCurrent(&context), Result::kSuccess);
    const bool good = Capture(objects.captured, [&] {
      EXPECT_EQ(cuda().CtxPushCurrent(context), Result::kSuccess);
      result = call.make();
      EXPECT_EQ(cuda().CtxPopCurrent(&context), Result::kSuccess);
    });
    const Result expected = good ? Result::kSuccess : Result::kErrorStreamCaptureUnsupported;
    if (result != expected) std::fprintf(stderr, "%s: CUDA's error %d\n", call.name, static_cast<int>(result));
    EXPECT_EQ(result, expected);
    return !good;
  }

  /// Ends the process, with 0 if all is well.
  void TryCalls() const;

  std::optional<ContextScope> context_;
};

// What the simulation refuses is what CUDA refuses: the driver is held to it there, call by call. In a process of its
// own, as it leaves behind what was refused to be given back; such a process shows no failure but by what it writes.
void CudaCaptureTest::TryCalls() const {
  Objects objects(cuda());
  std::set<std::string_view> tried;
  for (const auto& calls : {CallsOnStreams(objects), CallsForMemory(objects), CallsForCode(objects)}) {
    for (const Call& call : calls) {
      tried.insert(call.name);
      const bool refused = IsRefused(objects, call);
      if (refused == IsUnsafeCall(call.name)) continue;
      std::fprintf(stderr, "%s is %s\n", call.name, refused ? "refused" : "not refused");
      ADD_FAILURE();
    }
  }
  for (const std::string_view name : kUnsafeCalls) {
    if (tried.count(name) == 0) std::fprintf(stderr, "%s is not tried\n", std::string(name).c_str());
    EXPECT_EQ(tried.count(name), 1U);
  }
  std::exit(HasFailure() ? 1 : 0);
}

TEST_F(CudaCaptureTest, SpoiltByWhatTheSimulationRefuses) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(TryCalls(), testing::ExitedWithCode(0), "");
}

/// Memory of every kind, in and out of a queue's order, work of every kind, and a device of its own.
void UseEverything(const std::string& parameters) {
  Ref<hal_device_t> device;
  ASSERT_EQ(Open(Uri(parameters), &device), HAL_STATUS_OK) << hal_last_error_message();
  Ref<hal_semaphore_t> timeline;
  ASSERT_EQ(hal_semaphore_create(device.get(), 0, timeline.out()), HAL_STATUS_OK);
  uint64_t value = 0;
  const auto expect = [&](hal_status_t status, const char* what) {
    EXPECT_EQ(status, HAL_STATUS_OK) << parameters << ", " << what << ": " << hal_last_error_message();
    if (status == HAL_STATUS_OK)
      EXPECT_EQ(hal_semaphore_wait(timeline.get(), value, kTenSeconds), HAL_STATUS_OK) << what;
  };
  Points before;
  Points after;
  const auto step = [&] {
    before = {{timeline.get(), value}};
    after = {{timeline.get(), ++value}};
  };
  constexpr hal_memory_type_t kKinds[] = {HAL_MEMORY_TYPE_DEVICE_LOCAL, HAL_MEMORY_TYPE_HOST_LOCAL,
                                          HAL_MEMORY_TYPE_DEVICE_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE};
  for (const hal_memory_type_t kind : kKinds) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = kind;
    const uint32_t pattern = 7;
    Ref<hal_buffer_t> buffer;
    EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device.get()), &params, kBytes, buffer.out()), HAL_STATUS_OK)
        << parameters << ": " << hal_last_error_message();
    for (const uint64_t length : {uint64_t{12'345}, uint64_t{80} << 20}) {
      Ref<hal_buffer_t> transient;
      step();
      expect(hal_device_queue_alloca(device.get(), 1, List(before), List(after), &params, length, transient.out()),
             "alloca");
      step();
      expect(hal_device_queue_fill(device.get(), 1, List(before), List(after), hal_buffer_ref(transient.get(), 0, 1024),
                                   &pattern, sizeof(pattern)),
             "fill");
      step();
      expect(hal_device_queue_dealloca(device.get(), 1, List(before), List(after), transient.get()), "dealloca");
    }
  }
  step();
  expect(hal_device_queue_host_call(
             device.get(), 2, List(before), List(after), [](void*, hal_status_t status) { return status; }, nullptr),
         "host call");
  Ref<hal_executable_t> executable;
  EXPECT_EQ(Load(device, kKernels, "spin", 8, &executable), HAL_STATUS_OK) << hal_last_error_message();
  const uint64_t duration = 1000;
  step();
  expect(Dispatch(device, before, after, executable, &duration), "dispatch");
}

/// Until the device is gone as well.
void UseEverythingUp(const std::string& parameters) {
  UseEverything(parameters);
  DrainsAtExit::DrainAll(DeadlineAfter(kTenSeconds));
}

TEST_F(CudaCaptureTest, IsNotSpoiltByHalyard) {
  for (const char* completion : {"completion=fast", "completion=portable"}) {
    for (const char* rest : {"&command_buffer=graph", "&async_allocation=false"}) {
      abi::Stream stream = nullptr;
      ASSERT_EQ(cuda().StreamCreate(&stream, 1), Result::kSuccess);
      EXPECT_TRUE(Capture(stream, [&] { UseEverythingUp(std::string(completion) + rest); })) << completion << rest;
      EXPECT_EQ(cuda().StreamDestroy(stream), Result::kSuccess);
    }
  }
}

}  // namespace
}  // namespace halyard::cuda
