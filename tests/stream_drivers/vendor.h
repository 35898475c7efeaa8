// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vendor's stream API, as an application that also uses Halyard calls it. Each program of tests has the functions of
// one vendor: tests/cuda/simulated/cuda_vendor.cpp or tests/hip/hip_vendor.cpp.
//
// Results are the vendor's; 0 is success. The calls leave the thread's current device and its last error as they were.
#ifndef HALYARD_TESTS_STREAM_DRIVERS_VENDOR_H_
#define HALYARD_TESTS_STREAM_DRIVERS_VENDOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "halyard/halyard.h"
#include "unit/sim_library.h"

namespace halyard::interop {

/// Handles: a CUstream or a hipStream_t, and so on.
using Stream = void*;
using Event = void*;
using Module = void*;
using Kernel = void*;
using Graph = void*;

/// The functions of halyard.<vendor>.interop that have no vendor's types.
struct InteropFunctions {
  hal_status_t (*queue_stream)(hal_device_t* device, uint32_t queue, void** out_stream);
  hal_status_t (*import_event)(hal_device_t* device, void* event, hal_semaphore_list_t signal_list);
  hal_status_t (*export_event)(hal_device_t* device, hal_semaphore_list_t wait_list, void* event);
  hal_status_t (*wait_on_stream)(hal_device_t* device, void* stream, hal_semaphore_list_t wait_list);
  hal_status_t (*signal_from_stream)(hal_device_t* device, void* stream, hal_semaphore_list_t signal_list);
  hal_status_t (*begin_stream)(hal_device_t* device, void* stream);
  hal_status_t (*end_stream)(hal_device_t* device);
};

namespace vendor {

/// A result, as the vendor numbers and names it.
struct Result {
  int number;
  const char* name;
};

struct Names {
  const char* driver;     ///< "cuda"
  const char* extension;  ///< "halyard.cuda.interop"
  const char* format;     ///< of Image()
  const char* device_id;  ///< a regular expression
  const char* no_device;  ///< an id that no device has
  // Functions, as the library exports them.
  const char* launch;
  const char* instantiate;
  const char* patch_kernel;
  const char* query_event;
  const char* unregister;
  // Results.
  Result unknown;
  Result not_ready;
  Result deinitialized;
  Result capture_forbids;
  Result capture_invalidated;
  Result illegal_address;
  Result timeout;
  Result bad_memory;
  Result failed_launch;
};
extern const Names kNames;

/// How the simulated library is controlled. Loads it at the first call.
const sim::SimControl& Control();
/// Makes the driver load that library too, and initialises it.
int Initialize();
/// Keeps both devices in use, as an application does that has work for them.
int Retain(int ordinal);
void Release(int ordinal);
/// Waits until nothing of a device is left, for ten seconds at most; then all is as after Initialize(). False if
/// something is left of a device that was not lost.
bool Settle();

/// The device's extension, which has to be there with all its functions.
InteropFunctions GetInterop(hal_device_t* device);

/// Bytes of the device that each patch of a kernel in a graph keeps until the graph is made anew.
extern const uint64_t kPatchMemory;

/// Whether a fault can be simulated without the end of the process.
bool SurvivesFaults();
/// Whether a fault on one device leaves the others working.
bool FaultsStayOnTheirDevice();

/// Makes a device current on this thread while it lives.
class Current {
 public:
  explicit Current(int ordinal);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int state_ = 0;  // what the destructor needs: HIP's device before, whether CUDA pushed a context
};
/// What is current on this thread: a context or an ordinal.
uintptr_t WhatIsCurrent();
/// Makes current what was at the start of the thread, and clears its last error.
void ResetThread();
/// The thread's last error, which this clears; 0 where the vendor has none.
int LastError();

int CountDevices(int* out_count);
int PciAddress(int ordinal, char* out, int capacity);

/// Of the current device, in bytes.
int FreeMemory(uint64_t* out_bytes);
/// Waits for all work of the current device.
int SynchronizeDevice();

// These are for the current device: new streams, events and modules, NULL as a stream, memory.
int CreateStream(Stream* out_stream);
int DestroyStream(Stream stream);
int SynchronizeStream(Stream stream);
/// Holds the stream up until *word, which is pinned, is 1.
int Hold(Stream stream, uint64_t* word);
int CreateEvent(Event* out_event);
int DestroyEvent(Event event);
int RecordEvent(Event event, Stream stream);
int WaitForEvent(Stream stream, Event event);
int QueryEvent(Event event);
int SynchronizeEvent(Event event);
int AllocatePinned(void** out_memory, size_t bytes);
int FreePinned(void* memory);
int AllocateOnDevice(void** out_memory, size_t bytes);
int FreeOnDevice(void* memory);

/// The simulation's kernels (tests/sim/unit/kernels) for Names::format, as a JIT compiler would hand them over.
std::string Image();
int LoadModule(const std::string& image, Module* out_module);
int UnloadModule(Module module);
int FindKernel(Module module, const char* name, Kernel* out_kernel);
/// One workgroup of one work-item.
int Launch(Kernel kernel, Stream stream, void** params);

enum CaptureMode { kCaptureGlobal = 0, kCaptureThreadLocal = 1, kCaptureRelaxed = 2 };  // as both vendors number them
int BeginCapture(Stream stream, CaptureMode mode);
int EndCapture(Stream stream, Graph* out_graph);
int DestroyGraph(Graph graph);
int ExchangeCaptureMode(CaptureMode* mode);

uint64_t Prefetches();

}  // namespace vendor
}  // namespace halyard::interop

#endif  // HALYARD_TESTS_STREAM_DRIVERS_VENDOR_H_
