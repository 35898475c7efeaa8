// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated runtime of this process: everything that exists, and the one lock that protects it.
//
// Lock order: Runtime::mutex, then the locks inside Reports and Faults, which are taken last and held briefly. Kernels,
// copies and host functions run without any.
#ifndef HALYARD_TESTS_SIM_ENGINE_RUNTIME_H_
#define HALYARD_TESTS_SIM_ENGINE_RUNTIME_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/chance.h"
#include "engine/device.h"
#include "engine/event.h"
#include "engine/faults.h"
#include "engine/graph.h"
#include "engine/handles.h"
#include "engine/memory.h"
#include "engine/module.h"
#include "engine/report.h"
#include "engine/rules.h"
#include "engine/settings.h"
#include "engine/stream.h"

namespace halyard::sim {

class Runtime {
 public:
  // Made on first use and never destroyed: threads of the simulation may outlive main().
  static Runtime& Get();

  // Makes the devices; the vendor's layer fills in what they can do.
  void Start();
  bool started() const { return !devices.empty(); }

  std::shared_ptr<Stream> MakeStream(const std::shared_ptr<Context>& context, bool blocking);
  // How many streams of a context each hardware queue has, by the rule of that name.
  std::vector<size_t> StreamsOfQueues(const std::shared_ptr<Context>& context) const;
  std::shared_ptr<Function> Keep(std::shared_ptr<Function> function);
  // Visits a context's streams, those included that exist without being made.
  template <typename Visit>
  void ForEachStream(const std::shared_ptr<Context>& context, Visit visit) const {
    streams.ForEach([&](const std::shared_ptr<Stream>& stream) {
      if (stream->context() == context) visit(stream);
    });
    if (context->default_stream != nullptr) visit(context->default_stream);
    for (const auto& [thread, stream] : context->thread_streams) visit(stream);
  }
  // Blocks until a context's streams are done.
  void Synchronize(const std::shared_ptr<Context>& context, Lock& lock);
  // What the vendor's rules say is lost by a fault in a context.
  void Fault(Context& context, Error error);
  // The vendor's library is shut down from now on: no context does any more work.
  void ShutDown();
  // Lets a moment pass, at times, without the lock.
  void Pause(Lock& lock, Chance& source);

  // Releases a context's objects, and reports all that is left as a leak.
  void DestroyContext(const std::shared_ptr<Context>& context);
  // Reports what exists now and should not: call it where a program has released everything.
  void ReportLeaks();
  // What ReportLeaks() would complain about.
  uint64_t CountObjects() const;
  // Destroys all of it, without a report, once the work that was submitted is done.
  void Forget(Lock& lock);

  std::mutex mutex;  // protects everything below but `settings`, `reports` and `faults`
  Settings settings;
  Rules rules;
  Reports reports;
  Faults faults;
  Chance chance;
  bool shut_down = false;
  std::vector<std::unique_ptr<Device>> devices;
  Memory memory;
  Handles<Context> contexts;
  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Module> modules;
  Handles<Function> functions;
  Handles<Pool> pools;
  Handles<Graph> graphs;
  Handles<Node> nodes;
  Handles<DeviceNode> device_nodes;
  Handles<GraphExec> execs;
  std::vector<uint32_t> graph_fill_patterns;  // by the rule of that name
  size_t graph_fills = 0;                     // that were instantiated

 private:
  Runtime();

  template <typename Objects>
  void ReportLeaksOf(const Objects& objects);
  void ReportMemoryLeaks(const Context* context);
  // Releases a context's objects; returns how many of each kind there were.
  struct Left {
    size_t streams = 0;
    size_t events = 0;
    size_t modules = 0;
  };
  Left TakeDown(const std::shared_ptr<Context>& context);

  uint64_t streams_made_ = 0;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_RUNTIME_H_
