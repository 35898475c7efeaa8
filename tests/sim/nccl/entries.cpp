// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the simulated NCCL, or RCCL.
//
// A rule of the vendor's that is broken ends the process with a line on stderr: such a call has no defined result.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "nccl/clique.h"
#include "nccl/control.h"
#include "nccl/vendor.h"

namespace halyard::sim::nccl {
namespace {

using namespace stream::nccl;  // NOLINT(google-build-using-namespace): the vendor's names

[[noreturn]] void Breach(const char* call, const char* what) {
  std::fprintf(stderr, "simulated NCCL: %s: %s\n", call, what);
  std::abort();
}

// --- faults ----------------------------------------------------------------------------------------------------------

struct Faults {
  std::mutex mutex;
  std::string name;
  uint64_t after = 0;
  int result = 0;
  uint64_t failures = 0;
  std::map<std::string, uint64_t> calls;
};
Faults& TheFaults() {
  static auto* const faults = new Faults;
  return *faults;
}

ncclResult_t CountCall(const char* name) {
  Faults& faults = TheFaults();
  const std::lock_guard lock(faults.mutex);
  ++faults.calls[name];
  if (faults.after == 0 || (!faults.name.empty() && faults.name != name) || --faults.after > 0) return ncclSuccess;
  ++faults.failures;
  return static_cast<ncclResult_t>(faults.result);
}

// --- the end of the process ------------------------------------------------------------------------------------------

std::atomic<int> g_inside{0};
std::atomic<bool> g_ended{false};

// As with the vendor's library, what it needs goes when exit() comes to it. Made when the library is loaded.
struct AtExit {
  ~AtExit() {
    g_ended.store(true);
    if (g_inside.load() > 0) Breach("exit()", "a thread is inside the library");
  }
} g_at_exit;

// A thread inside a call that takes long.
class Inside {
 public:
  explicit Inside(const char* call) {
    ++g_inside;
    if (g_ended.load()) Breach(call, "the library has ended");
  }
  ~Inside() { --g_inside; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

// HALYARD_NCCL_SIM_SLOW: milliseconds that opening and closing take in addition.
void TakeTime() {
  static const char* const text = std::getenv("HALYARD_NCCL_SIM_SLOW");  // NOLINT(concurrency-mt-unsafe)
  if (text) std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(text)));
}

// --- what there is ---------------------------------------------------------------------------------------------------

struct Registry {
  std::mutex mutex;
  uint64_t next_id = 0;
  std::map<uint64_t, std::weak_ptr<Clique>> cliques;  // by id
  std::set<Communicator*> communicators;
};
Registry& TheRegistry() {
  static auto* const registry = new Registry;
  return *registry;
}

Communicator& Known(const char* call, ncclComm_t handle) {
  auto* const communicator = reinterpret_cast<Communicator*>(handle);
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  if (!registry.communicators.contains(communicator)) Breach(call, "there is no such communicator");
  return *communicator;
}

// --- groups ----------------------------------------------------------------------------------------------------------

struct Enqueued {
  Communicator* communicator;
  Operation operation;
  void* stream;
};
struct Init {
  ncclComm_t* out;
  Communicator* communicator;
};
struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess;
  std::vector<Init> inits;
  std::vector<Enqueued> operations;
};
thread_local Group t_group;

ncclResult_t JoinClique(const Init& init) {
  Communicator& own = *init.communicator;
  void* memory = nullptr;
  if (!AllocatePinned(Clique::kWords * sizeof(uint64_t), &memory)) return ncclUnhandledCudaError;
  own.words = static_cast<uint64_t*>(memory);
  std::memset(own.words, 0, Clique::kWords * sizeof(uint64_t));
  return own.clique->Add(&own) ? ncclSuccess : ncclInvalidUsage;
}

void Delete(Communicator* communicator) {
  {
    const std::lock_guard lock(TheRegistry().mutex);
    TheRegistry().communicators.erase(communicator);
  }
  if (communicator->words) {
    const CurrentDevice device(communicator->device);
    for (void* stream : communicator->streams) Synchronize(stream);
    FreePinned(communicator->words);
  }
  delete communicator;
}

ncclResult_t RunInits(std::vector<Init> inits) {
  if (inits.empty()) return ncclSuccess;
  const Inside inside("ncclCommInitRank");
  TakeTime();
  ncclResult_t result = ncclSuccess;
  for (const Init& init : inits) {
    const CurrentDevice device(init.communicator->device);
    if (result == ncclSuccess) result = device.ok() ? JoinClique(init) : ncclUnhandledCudaError;
  }
  for (const Init& init : inits) {
    if (result == ncclSuccess) init.communicator->clique->AwaitAll();
  }
  for (const Init& init : inits) {
    if (result == ncclSuccess) continue;
    *init.out = nullptr;
    Delete(init.communicator);
  }
  return result;
}

void OnArrival(void* user_data) {
  std::unique_ptr<Arrival> arrival(static_cast<Arrival*>(user_data));
  const std::shared_ptr<Clique> clique = arrival->clique;
  clique->Arrive(std::move(arrival));
}

// In each stream: that the rank has come to all operations of the group, then that all of them have ended.
ncclResult_t RunOperations(std::vector<Enqueued> operations) {
  std::vector<std::pair<uint64_t*, uint64_t>> ends;
  for (const Enqueued& each : operations) {
    Communicator& own = *each.communicator;
    const CurrentDevice device(own.device);
    const uint64_t number = own.issued++;
    uint64_t* const word = own.words + number % Clique::kWords;
    ends.emplace_back(word, number / Clique::kWords + 1);
    own.streams.insert(each.stream);
    auto arrival = std::make_unique<Arrival>(Arrival{own.clique, own.rank, each.operation, word, ends.back().second});
    if (!device.ok() || !LaunchHostFunction(each.stream, OnArrival, arrival.get())) return ncclUnhandledCudaError;
    static_cast<void>(arrival.release());
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    const CurrentDevice device(operations[i].communicator->device);
    if (!device.ok() || !WaitForWord(operations[i].stream, ends[i].first, ends[i].second)) {
      return ncclUnhandledCudaError;
    }
  }
  return ncclSuccess;
}

ncclResult_t EndGroup(const char* call) {
  if (t_group.depth == 0) Breach(call, "no group has begun");
  if (--t_group.depth > 0) return ncclSuccess;
  const Group group = std::exchange(t_group, {});
  if (group.error != ncclSuccess) {
    for (const Init& init : group.inits) {
      *init.out = nullptr;
      Delete(init.communicator);
    }
    return group.error;
  }
  const ncclResult_t result = RunInits(group.inits);
  return result == ncclSuccess ? RunOperations(group.operations) : result;
}

// A call by itself is a group of one.
template <class Body>
ncclResult_t InGroup(const char* call, const Body& body) {
  ncclResult_t result = CountCall(call);
  ++t_group.depth;
  if (result == ncclSuccess) result = body();
  if (result != ncclSuccess) t_group.error = result;
  const ncclResult_t ended = EndGroup(call);
  return result != ncclSuccess ? result : ended;
}

ncclResult_t Enqueue(const char* call, ncclComm_t comm, ncclStream_t stream, Operation operation) {
  return InGroup(call, [&] {
    Communicator& own = Known(call, comm);
    const int count = own.clique->rank_count();
    if (SizeOf(operation.how.type) == 0 || operation.root < 0 || operation.root >= count || operation.peer < 0 ||
        operation.peer >= count) {
      return ncclInvalidArgument;
    }
    const auto reduction = static_cast<size_t>(operation.how.reduction);
    if (reduction > ncclAvg) {
      const size_t index = reduction - ncclAvg - 1;
      if (index >= own.scales.size() || own.scales[index] != own.scales[index]) {
        Breach(call, "there is no such reduction");
      }
      operation.scales = true;
      operation.scale = own.scales[index];
      operation.how.reduction = ncclSum;
    }
    t_group.operations.push_back({&own, operation, stream});
    return ncclSuccess;
  });
}

const std::byte* Bytes(const void* memory) { return static_cast<const std::byte*>(memory); }
std::byte* Bytes(void* memory) { return static_cast<std::byte*>(memory); }

}  // namespace
}  // namespace halyard::sim::nccl

using namespace halyard::sim::nccl;     // NOLINT(google-build-using-namespace): what is defined here
using namespace halyard::stream::nccl;  // NOLINT(google-build-using-namespace): the vendor's names

#define HALYARD_NCCL_ENTRY extern "C" __attribute__((visibility("default")))

HALYARD_NCCL_ENTRY ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return CountCall(__func__);
}
HALYARD_NCCL_ENTRY const char* ncclGetErrorString(ncclResult_t result) {
  constexpr std::array kTexts = {"no error",
                                 "unhandled cuda error",
                                 "unhandled system error",
                                 "internal error",
                                 "invalid argument",
                                 "invalid usage",
                                 "remote process exited or there was a network error",
                                 "operation in progress"};
  return static_cast<size_t>(result) < kTexts.size() ? kTexts[result] : "unknown result code";
}
HALYARD_NCCL_ENTRY const char* ncclGetLastError(ncclComm_t) { return ""; }

HALYARD_NCCL_ENTRY ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const ncclResult_t result = CountCall(__func__);
  if (result != ncclSuccess) return result;
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const uint64_t number = ++registry.next_id;
  std::memset(id, 0, sizeof(*id));
  std::memcpy(id, &number, sizeof(number));
  return ncclSuccess;
}

HALYARD_NCCL_ENTRY ncclResult_t ncclCommInitRank(ncclComm_t* comm, int count, ncclUniqueId id, int rank) {
  return InGroup(__func__, [&] {
    uint64_t number = 0;
    std::memcpy(&number, &id, sizeof(number));
    if (count < 1 || rank < 0 || rank >= count || number == 0) return ncclInvalidArgument;
    auto own = std::make_unique<Communicator>();
    own->rank = rank;
    if (!FindCurrentDevice(&own->device, &own->ordinal)) return ncclUnhandledCudaError;
    Registry& registry = TheRegistry();
    const std::lock_guard lock(registry.mutex);
    own->clique = registry.cliques[number].lock();
    if (!own->clique) {
      own->clique = std::make_shared<Clique>(count);
      registry.cliques[number] = own->clique;
    }
    if (own->clique->rank_count() != count) return ncclInvalidArgument;
    registry.communicators.insert(own.get());
    *comm = reinterpret_cast<ncclComm_t>(own.get());
    t_group.inits.push_back({comm, own.release()});
    return ncclSuccess;
  });
}

// Waits for the operations in its streams: one that never ends is for ncclCommAbort().
HALYARD_NCCL_ENTRY ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  const Inside inside(__func__);
  TakeTime();
  const ncclResult_t result = CountCall(__func__);
  Communicator& own = Known(__func__, comm);
  own.clique->Remove(&own);
  Delete(&own);
  return result;
}
HALYARD_NCCL_ENTRY ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const Inside inside(__func__);
  TakeTime();
  const ncclResult_t result = CountCall(__func__);
  Communicator& own = Known(__func__, comm);
  own.clique->Abort();
  own.clique->Remove(&own);
  Delete(&own);
  return result;
}
HALYARD_NCCL_ENTRY ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* out) {
  const ncclResult_t result = CountCall(__func__);
  Communicator& own = Known(__func__, comm);
  const std::lock_guard lock(own.clique->mutex);
  *out = static_cast<ncclResult_t>(own.async_error);
  return result;
}

HALYARD_NCCL_ENTRY ncclResult_t ncclGroupStart() {
  const ncclResult_t result = CountCall(__func__);
  if (result == ncclSuccess) ++t_group.depth;
  return result;
}
HALYARD_NCCL_ENTRY ncclResult_t ncclGroupEnd() {
  const ncclResult_t result = CountCall(__func__);
  if (result != ncclSuccess) t_group.error = result;
  const ncclResult_t ended = EndGroup(__func__);
  return result != ncclSuccess ? result : ended;
}

HALYARD_NCCL_ENTRY ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* reduction, void* scalar, ncclDataType_t type,
                                                         ncclScalarResidence_t where, ncclComm_t comm) {
  const ncclResult_t result = CountCall(__func__);
  if (result != ncclSuccess) return result;
  Communicator& own = Known(__func__, comm);
  if (where != ncclScalarHostImmediate || (type != ncclFloat32 && type != ncclFloat64)) return ncclInvalidArgument;
  double scale = 0;
  float single = 0;
  std::memcpy(type == ncclFloat64 ? static_cast<void*>(&scale) : &single, scalar, SizeOf(type));
  own.scales.push_back(type == ncclFloat64 ? scale : static_cast<double>(single));
  *reduction = static_cast<ncclRedOp_t>(ncclAvg + static_cast<int>(own.scales.size()));
  return ncclSuccess;
}
HALYARD_NCCL_ENTRY ncclResult_t ncclRedOpDestroy(ncclRedOp_t reduction, ncclComm_t comm) {
  const ncclResult_t result = CountCall(__func__);
  if (result != ncclSuccess) return result;
  Communicator& own = Known(__func__, comm);
  const size_t index = static_cast<size_t>(reduction) - ncclAvg - 1;
  if (index >= own.scales.size()) Breach(__func__, "there is no such reduction");
  own.scales[index] = __builtin_nan("");
  return ncclSuccess;
}

HALYARD_NCCL_ENTRY ncclResult_t ncclAllReduce(const void* source, void* target, size_t count, ncclDataType_t type,
                                              ncclRedOp_t reduction, ncclComm_t comm, ncclStream_t stream) {
  return Enqueue(__func__, comm, stream, {Kind::kAllReduce, Bytes(source), Bytes(target), count, {type, reduction}});
}
HALYARD_NCCL_ENTRY ncclResult_t ncclReduce(const void* source, void* target, size_t count, ncclDataType_t type,
                                           ncclRedOp_t reduction, int root, ncclComm_t comm, ncclStream_t stream) {
  return Enqueue(__func__, comm, stream,
                 {Kind::kReduce, Bytes(source), Bytes(target), count, {type, reduction}, 1, false, root});
}
HALYARD_NCCL_ENTRY ncclResult_t ncclReduceScatter(const void* source, void* target, size_t count, ncclDataType_t type,
                                                  ncclRedOp_t reduction, ncclComm_t comm, ncclStream_t stream) {
  return Enqueue(__func__, comm, stream,
                 {Kind::kReduceScatter, Bytes(source), Bytes(target), count, {type, reduction}});
}
HALYARD_NCCL_ENTRY ncclResult_t ncclBroadcast(const void* source, void* target, size_t count, ncclDataType_t type,
                                              int root, ncclComm_t comm, ncclStream_t stream) {
  return Enqueue(__func__, comm, stream,
                 {Kind::kBroadcast, Bytes(source), Bytes(target), count, {type}, 1, false, root});
}
HALYARD_NCCL_ENTRY ncclResult_t ncclAllGather(const void* source, void* target, size_t count, ncclDataType_t type,
                                              ncclComm_t comm, ncclStream_t stream) {
  return Enqueue(__func__, comm, stream, {Kind::kAllGather, Bytes(source), Bytes(target), count, {type}});
}
HALYARD_NCCL_ENTRY ncclResult_t ncclSend(const void* source, size_t count, ncclDataType_t type, int peer,
                                         ncclComm_t comm, ncclStream_t stream) {
  return Enqueue(__func__, comm, stream, {Kind::kSend, Bytes(source), nullptr, count, {type}, 1, false, 0, peer});
}
HALYARD_NCCL_ENTRY ncclResult_t ncclRecv(void* target, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                                         ncclStream_t stream) {
  return Enqueue(__func__, comm, stream, {Kind::kReceive, nullptr, Bytes(target), count, {type}, 1, false, 0, peer});
}

HALYARD_NCCL_ENTRY void halyardNcclSimFail(const char* name, uint64_t nth, int result) {
  Faults& faults = TheFaults();
  const std::lock_guard lock(faults.mutex);
  faults.name = name ? name : "";
  faults.after = nth;
  faults.result = result;
  faults.failures = 0;
}
HALYARD_NCCL_ENTRY uint64_t halyardNcclSimFailures(void) {
  const std::lock_guard lock(TheFaults().mutex);
  return TheFaults().failures;
}
HALYARD_NCCL_ENTRY uint64_t halyardNcclSimCalls(const char* name) {
  const std::lock_guard lock(TheFaults().mutex);
  return TheFaults().calls[name];
}
HALYARD_NCCL_ENTRY uint64_t halyardNcclSimCommunicators(void) {
  const std::lock_guard lock(TheRegistry().mutex);
  return TheRegistry().communicators.size();
}
HALYARD_NCCL_ENTRY void halyardNcclSimStall(int stalls) { SetStalled(stalls != 0); }
HALYARD_NCCL_ENTRY void halyardNcclSimSetAsyncError(int result) {
  const std::lock_guard lock(TheRegistry().mutex);
  for (Communicator* each : TheRegistry().communicators) {
    const std::lock_guard own(each->clique->mutex);
    each->async_error = result;
  }
}
