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
#include "halyard/cpp/submit.hpp"
#include "sim/cuda/unsafe_calls.h"
#include "submission/exit_drain.h"

namespace halyard::cuda {
namespace {

constexpr size_t kBytes = 1 << 16;
constexpr std::string_view kSpare = R"(
.version 6.0
.target sm_60
.address_size 64
.visible .global .align 4 .b8 word[1048576];
.visible .entry spare() { ret; }
)";

/// What the calls are made on; all of it is there before a capture begins. Released when the process ends.
struct Objects {
  explicit Objects(const CudaLibrary& library) : cuda(library) {
    const unsigned int flags = CU_STREAM_NON_BLOCKING;
    for (CUstream* stream : {&captured, &beside, &doomed_stream}) Check(cuda.cuStreamCreate(stream, flags));
    for (CUevent* event : {&begin, &end, &doomed_event}) Check(cuda.cuEventCreate(event, 0));
    for (CUevent event : {begin, end}) Check(cuda.cuEventRecord(event, beside));
    for (CUdeviceptr* address : {&memory, &doomed_memory}) Check(cuda.cuMemAlloc_v2(address, kBytes));
    Check(cuda.cuMemAllocManaged(&managed, kBytes, CU_MEM_ATTACH_GLOBAL));
    for (void** host : {&pinned, &doomed_pinned}) Check(cuda.cuMemHostAlloc(host, kBytes, CU_MEMHOSTALLOC_DEVICEMAP));
    Check(cuda.cuMemHostRegister_v2(registered.data(), registered.size(), 0));
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    Check(cuda.cuCtxGetDevice(&props.location.id));
    for (CUmemoryPool* made : {&pool, &doomed_pool}) Check(cuda.cuMemPoolCreate(made, &props));
    Check(cuda.cuMemAllocFromPoolAsync(&pooled, kBytes, pool, beside));
    Check(cuda.cuLinkCreate_v2(0, nullptr, nullptr, &link));
    text = kSpare;
    Check(cuda.cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "spare", 0, nullptr, nullptr));
    Check(cuda.cuModuleLoadDataEx(&module, kSpare.data(), 0, nullptr, nullptr));
    Check(cuda.cuModuleLoadDataEx(&doomed_module, kSpare.data(), 0, nullptr, nullptr));
    Check(cuda.cuModuleGetFunction(&function, module, "spare"));
    params.func = function;
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    for (CUgraph* made : {&graph, &doomed_graph}) Check(cuda.cuGraphCreate(made, 0));
    Check(cuda.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
    for (CUgraphExec* made : {&exec, &doomed_exec}) Check(cuda.cuGraphInstantiateWithFlags(made, graph, 0));
    Check(cuda.cuStreamSynchronize(beside));
  }
  static void Check(CUresult result) {
    if (result != CUDA_SUCCESS) std::fprintf(stderr, "preparation: CUDA's error %d\n", static_cast<int>(result));
    EXPECT_EQ(result, CUDA_SUCCESS);
  }

  const CudaLibrary& cuda;
  CUstream captured = nullptr, beside = nullptr, doomed_stream = nullptr;
  CUevent begin = nullptr, end = nullptr, doomed_event = nullptr;
  CUdeviceptr memory = 0, doomed_memory = 0, managed = 0, pooled = 0;
  void *pinned = nullptr, *doomed_pinned = nullptr;
  alignas(4096) std::array<char, 4096> registered{};
  alignas(4096) std::array<char, 4096> not_registered{};
  CUmemPoolProps props{};
  CUmemoryPool pool = nullptr, doomed_pool = nullptr;
  std::string text;
  CUlinkState link = nullptr;
  CUmodule module = nullptr, doomed_module = nullptr;
  CUfunction function = nullptr;
  CUDA_KERNEL_NODE_PARAMS params{};
  CUgraph graph = nullptr, doomed_graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr, doomed_exec = nullptr;
};

/// A call of the function that the library exports under a name.
struct Call {
  const char* name;
  std::function<CUresult()> make;
};

std::vector<Call> CallsOnStreams(Objects& o) {
  const CudaLibrary& cuda = o.cuda;
  return {
      {"cuStreamCreate",
       [&] {
         CUstream made = nullptr;
         return cuda.cuStreamCreate(&made, 1);
       }},
      {"cuStreamDestroy_v2", [&] { return cuda.cuStreamDestroy_v2(o.doomed_stream); }},
      {"cuStreamQuery", [&] { return cuda.cuStreamQuery(o.beside); }},
      {"cuStreamSynchronize", [&] { return cuda.cuStreamSynchronize(o.beside); }},
      {"cuStreamIsCapturing",
       [&] {
         auto status = CU_STREAM_CAPTURE_STATUS_NONE;
         return cuda.cuStreamIsCapturing(o.beside, &status);
       }},
      {"cuStreamWaitEvent", [&] { return cuda.cuStreamWaitEvent(o.beside, o.begin, 0); }},
      {"cuStreamWriteValue64_v2", [&] { return cuda.cuStreamWriteValue64_v2(o.beside, o.memory, 1, 0); }},
      {"cuLaunchHostFunc",
       [&] {
         return cuda.cuLaunchHostFunc(
             o.beside, [](void*) {}, nullptr);
       }},
      {"cuEventCreate",
       [&] {
         CUevent made = nullptr;
         return cuda.cuEventCreate(&made, 0);
       }},
      {"cuEventDestroy_v2", [&] { return cuda.cuEventDestroy_v2(o.doomed_event); }},
      {"cuEventRecord", [&] { return cuda.cuEventRecord(o.begin, o.beside); }},
      {"cuEventQuery", [&] { return cuda.cuEventQuery(o.end); }},
      {"cuEventElapsedTime",
       [&] {
         float milliseconds = 0;
         return cuda.cuEventElapsedTime(&milliseconds, o.begin, o.end);
       }},
      {"cuEventSynchronize", [&] { return cuda.cuEventSynchronize(o.end); }},
      {"cuCtxSynchronize", [&] { return cuda.cuCtxSynchronize(); }},
      {"cuLaunchKernel",
       [&] { return cuda.cuLaunchKernel(o.function, 1, 1, 1, 1, 1, 1, 0, o.beside, nullptr, nullptr); }},
      {"cuMemcpyAsync", [&] { return cuda.cuMemcpyAsync(o.memory, o.doomed_memory, kBytes, o.beside); }},
      {"cuMemcpyHtoDAsync_v2", [&] { return cuda.cuMemcpyHtoDAsync_v2(o.memory, o.pinned, kBytes, o.beside); }},
      {"cuMemsetD8Async", [&] { return cuda.cuMemsetD8Async(o.memory, 1, kBytes, o.beside); }},
      {"cuMemsetD16Async", [&] { return cuda.cuMemsetD16Async(o.memory, 1, kBytes / 2, o.beside); }},
      {"cuMemsetD32Async", [&] { return cuda.cuMemsetD32Async(o.memory, 1, kBytes / 4, o.beside); }},
      {"cuMemPrefetchAsync", [&] { return cuda.cuMemPrefetchAsync(o.managed, kBytes, o.props.location.id, o.beside); }},
  };
}

std::vector<Call> CallsForMemory(Objects& o) {
  const CudaLibrary& cuda = o.cuda;
  static CUdeviceptr address = 0;
  static void* host = nullptr;
  static size_t size = 0;
  return {
      {"cuMemGetInfo_v2",
       [&] {
         size_t total = 0;
         return cuda.cuMemGetInfo_v2(&size, &total);
       }},
      {"cuMemAlloc_v2", [&] { return cuda.cuMemAlloc_v2(&address, kBytes); }},
      {"cuMemFree_v2", [&] { return cuda.cuMemFree_v2(o.doomed_memory); }},
      {"cuMemGetAddressRange_v2", [&] { return cuda.cuMemGetAddressRange_v2(&address, &size, o.memory); }},
      {"cuMemHostAlloc", [&] { return cuda.cuMemHostAlloc(&host, kBytes, 0); }},
      {"cuMemFreeHost", [&] { return cuda.cuMemFreeHost(o.doomed_pinned); }},
      {"cuMemHostRegister_v2",
       [&] { return cuda.cuMemHostRegister_v2(o.not_registered.data(), o.not_registered.size(), 0); }},
      {"cuMemHostUnregister", [&] { return cuda.cuMemHostUnregister(o.registered.data()); }},
      {"cuMemHostGetDevicePointer_v2", [&] { return cuda.cuMemHostGetDevicePointer_v2(&address, o.pinned, 0); }},
      {"cuMemAllocManaged", [&] { return cuda.cuMemAllocManaged(&address, kBytes, 1); }},
      {"cuPointerGetAttribute",
       [&] {
         int type = 0;
         return cuda.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, o.memory);
       }},
      {"cuMemPoolCreate",
       [&] {
         CUmemoryPool made = nullptr;
         return cuda.cuMemPoolCreate(&made, &o.props);
       }},
      {"cuMemPoolSetAttribute",
       [&] {
         uint64_t keep = 1;
         return cuda.cuMemPoolSetAttribute(o.pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
       }},
      {"cuMemAllocFromPoolAsync", [&] { return cuda.cuMemAllocFromPoolAsync(&address, 64 << 20, o.pool, o.beside); }},
      {"cuMemFreeAsync", [&] { return cuda.cuMemFreeAsync(o.pooled, o.beside); }},
      {"cuMemPoolTrimTo", [&] { return cuda.cuMemPoolTrimTo(o.pool, 0); }},
      {"cuMemPoolDestroy", [&] { return cuda.cuMemPoolDestroy(o.doomed_pool); }},
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
         return cuda.cuLinkComplete(o.link, &code, &size);
       }},
      {"cuModuleLoadDataEx",
       [&] {
         CUmodule made = nullptr;
         return cuda.cuModuleLoadDataEx(&made, kSpare.data(), 0, nullptr, nullptr);
       }},
      {"cuModuleGetFunction",
       [&] {
         CUfunction made = nullptr;
         return cuda.cuModuleGetFunction(&made, o.doomed_module, "spare");
       }},
      {"cuFuncGetAttribute",
       [&] { return cuda.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, o.function); }},
      {"cuFuncSetAttribute",
       [&] { return cuda.cuFuncSetAttribute(o.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024); }},
      {"cuModuleUnload", [&] { return cuda.cuModuleUnload(o.doomed_module); }},
      {"cuGraphCreate",
       [&] {
         CUgraph made = nullptr;
         return cuda.cuGraphCreate(&made, 0);
       }},
      {"cuGraphAddKernelNode_v2",
       [&] {
         CUgraphNode made = nullptr;
         return cuda.cuGraphAddKernelNode_v2(&made, o.graph, nullptr, 0, &o.params);
       }},
      {"cuGraphAddEmptyNode",
       [&] {
         CUgraphNode made = nullptr;
         return cuda.cuGraphAddEmptyNode(&made, o.graph, nullptr, 0);
       }},
      {"cuGraphInstantiateWithFlags",
       [&] {
         CUgraphExec made = nullptr;
         return cuda.cuGraphInstantiateWithFlags(&made, o.graph, 0);
       }},
      {"cuGraphExecKernelNodeSetParams_v2",
       [&] { return cuda.cuGraphExecKernelNodeSetParams_v2(o.exec, o.node, &o.params); }},
      {"cuGraphUpload", [&] { return cuda.cuGraphUpload(o.exec, o.beside); }},
      {"cuGraphLaunch", [&] { return cuda.cuGraphLaunch(o.exec, o.beside); }},
      {"cuGraphExecDestroy", [&] { return cuda.cuGraphExecDestroy(o.doomed_exec); }},
      {"cuGraphDestroy", [&] { return cuda.cuGraphDestroy(o.doomed_graph); }},
  };
}

class CudaCaptureTest : public CudaDeviceTest {
 protected:
  void SetUp() override {
    CudaDeviceTest::SetUp();
    if (!IsSkipped()) context_.emplace(device_);
  }
  const CudaLibrary& cuda() const { return context_->cuda(); }

  /// Captures a stream while another thread is at work; false if that invalidates the capture.
  bool Capture(CUstream stream, const std::function<void()>& work) const {
    EXPECT_EQ(cuda().cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    std::thread(work).join();
    CUgraph graph = nullptr;
    const CUresult result = cuda().cuStreamEndCapture(stream, &graph);
    if (graph) EXPECT_EQ(cuda().cuGraphDestroy(graph), CUDA_SUCCESS);
    EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    return result == CUDA_SUCCESS;
  }
  /// Whether the call invalidates the capture.
  bool IsRefused(const Objects& objects, const Call& call) const {
    CUresult result = CUDA_SUCCESS;
    CUcontext context = nullptr;
    EXPECT_EQ(cuda().cuCtxGetCurrent(&context), CUDA_SUCCESS);
    const bool good = Capture(objects.captured, [&] {
      EXPECT_EQ(cuda().cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
      result = call.make();
      EXPECT_EQ(cuda().cuCtxPopCurrent_v2(&context), CUDA_SUCCESS);
    });
    const CUresult expected = good ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (result != expected) std::fprintf(stderr, "%s: CUDA's error %d\n", call.name, static_cast<int>(result));
    EXPECT_EQ(result, expected);
    return !good;
  }

  /// Ends the process, with 0 if all is well.
  void TryCalls() const;

  std::optional<ContextScope> context_;
};

// What the simulation refuses is what CUDA refuses: the driver is held to it there, call by call. In a process of its
// own, as objects whose release was refused stay behind; such a process shows a failure only by its output.
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

TEST_F(CudaCaptureTest, BrokenByWhatTheSimulationRefuses) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(TryCalls(), testing::ExitedWithCode(0), "");
}

/// Memory of every kind, in and out of a queue's order, work of every kind, and a device of its own.
void UseEverything(const std::string& parameters) {
  Ref<hal_device_t> device;
  ASSERT_EQ(Open(Uri(parameters), &device), HAL_STATUS_OK) << hal_last_error_message();
  Ref<hal_semaphore_t> timeline;
  ASSERT_EQ(hal_semaphore_create(device.get(), nullptr, timeline.out()), HAL_STATUS_OK);
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
      expect(hal_device_queue_alloca(device.get(), hal::SubmitParams(List(before), List(after), 1), &params, length,
                                     transient.out()),
             "alloca");
      step();
      expect(hal_device_queue_fill(device.get(), hal::SubmitParams(List(before), List(after), 1),
                                   hal_buffer_ref(transient.get(), 0, 1024), &pattern, sizeof(pattern)),
             "fill");
      step();
      expect(hal_device_queue_dealloca(device.get(), hal::SubmitParams(List(before), List(after), 1), transient.get()),
             "dealloca");
    }
  }
  step();
  expect(hal_device_queue_host_call(
             device.get(), hal::SubmitParams(List(before), List(after), 2),
             [](void*, hal_status_t status) { return status; }, nullptr),
         "host call");
  Ref<hal_executable_t> executable;
  EXPECT_EQ(Load(device, kKernels, "spin", 8, &executable), HAL_STATUS_OK) << hal_last_error_message();
  const uint64_t duration = 1000;
  step();
  expect(Dispatch(device, before, after, executable, &duration), "dispatch");
}

/// Until the device is destroyed as well.
void UseEverythingUp(const std::string& parameters) {
  UseEverything(parameters);
  DrainsAtExit::DrainAll(DeadlineAfter(kTenSeconds));
}

TEST_F(CudaCaptureTest, IsNotBrokenByHalyard) {
  for (const char* completion : {"completion=fast", "completion=portable"}) {
    for (const char* rest : {"&command_buffer=graph", "&async_allocation=false"}) {
      CUstream stream = nullptr;
      ASSERT_EQ(cuda().cuStreamCreate(&stream, 1), CUDA_SUCCESS);
      EXPECT_TRUE(Capture(stream, [&] { UseEverythingUp(std::string(completion) + rest); })) << completion << rest;
      EXPECT_EQ(cuda().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    }
  }
}

}  // namespace
}  // namespace halyard::cuda
