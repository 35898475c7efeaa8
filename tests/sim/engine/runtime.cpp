// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/per_thread.h"

namespace halyard::sim {

Runtime& Runtime::Get() {
  static auto* const runtime = new Runtime;
  return *runtime;
}

Runtime::Runtime()
    : settings(ReadSettings()),
      chance(settings.seed, 0),
      memory(&reports),
      contexts(&reports, "context"),
      streams(&reports, "stream"),
      events(&reports, "event"),
      modules(&reports, "module"),
      functions(&reports, "function"),
      pools(&reports, "memory pool"),
      graphs(&reports, "graph"),
      nodes(&reports, "graph node"),
      device_nodes(&reports, "device-updatable node"),
      execs(&reports, "executable graph") {
  reports.Ignore(settings.ignore);
}

void Runtime::Start() {
  std::fprintf(stderr, "halyard sim: HALYARD_SIM_SEED=%llu\n", static_cast<unsigned long long>(settings.seed));
  for (int i = 0; i < settings.device_count; ++i) {
    devices.push_back(std::make_unique<Device>());
    devices.back()->ordinal = i;
    devices.back()->memory_size = settings.device_memory;
  }
}

std::vector<size_t> Runtime::StreamsOfQueues(const std::shared_ptr<Context>& context) const {
  std::vector<size_t> queues(rules.hardware_queues);
  streams.ForEach([&](const std::shared_ptr<Stream>& stream) {
    if (stream->context() == context) ++queues[stream->hardware_queue];
  });
  return queues;
}

std::shared_ptr<Stream> Runtime::MakeStream(const std::shared_ptr<Context>& context, bool blocking) {
  auto stream = std::make_shared<Stream>(context, blocking, settings.seed, ++streams_made_);
  if (rules.hardware_queues > 0) {
    const std::vector<size_t> queues = StreamsOfQueues(context);
    stream->hardware_queue = static_cast<size_t>(std::ranges::min_element(queues) - queues.begin());
  }
  stream->Start();
  return stream;
}

std::shared_ptr<Function> Runtime::Keep(std::shared_ptr<Function> function) {
  functions.Add(function);
  return function;
}

void Runtime::Synchronize(const std::shared_ptr<Context>& context, Lock& lock) {
  std::vector<std::shared_ptr<Completion>> tails;
  ForEachStream(context, [&](const std::shared_ptr<Stream>& stream) {
    if (!stream->IsIdle()) tails.push_back(stream->tail());
  });
  for (const auto& tail : tails) tail->Wait(lock);
}

void Runtime::Fault(Context& context, Error error) {
  if (shut_down) return;  // which ends work too, and has lost every context
  if (rules.loss == Rules::Loss::kProcess) {
    std::fprintf(stderr, "halyard sim: a fault on device %d ends the process\n", context.device.ordinal);
    std::abort();
  }
  context.Lose(error);
  if (rules.loss != Rules::Loss::kAllDevices) return;
  contexts.ForEach([&](const std::shared_ptr<Context>& other) { other->Lose(error); });
}

void Runtime::ShutDown() {
  shut_down = true;
  contexts.ForEach([](const std::shared_ptr<Context>& context) { context->Lose(Error::kDeinitialized); });
}

void Runtime::Pause(Lock& lock, Chance& source) {
  const uint64_t delay = source.DelayMicroseconds(settings.longest_delay);
  if (delay == 0) return;
  lock.unlock();
  std::this_thread::sleep_for(std::chrono::microseconds(delay));
  lock.lock();
}

void Runtime::ReportMemoryLeaks(const Context* context) {
  memory.ForEach([&](const std::shared_ptr<Allocation>& allocation) {
    if (allocation->kind == MemoryKind::kGlobal || allocation->free_queued) return;
    if (context != nullptr && allocation->context.get() != context) return;
    reports.Add(Rule::kLeak, "allocation " + std::to_string(allocation->id) + " of " +
                                 std::to_string(allocation->size) + " bytes was not freed");
  });
}

void Runtime::DestroyContext(const std::shared_ptr<Context>& context) {
  const bool lost = context->lost != Error::kSuccess;  // a program cannot release anything there
  const auto report = [&](size_t count, const char* kind) {
    if (count != 0 && !lost) {
      reports.Add(Rule::kLeak, std::to_string(count) + " of kind " + kind + " were left when their context ended");
    }
  };
  if (!lost) ReportMemoryLeaks(context.get());
  const Left left = TakeDown(context);
  report(left.streams, streams.kind());
  report(left.events, events.kind());
  report(left.modules, modules.kind());
}

Runtime::Left Runtime::TakeDown(const std::shared_ptr<Context>& context) {
  const auto in_it = [&](const auto& object) { return object.context == context; };
  const auto closed = streams.RemoveIf([&](const Stream& stream) { return stream.context() == context; });
  for (const auto& stream : closed) stream->Close();
  const Left left = {closed.size(), events.RemoveIf(in_it).size(), modules.RemoveIf(in_it).size()};
  functions.RemoveIf(in_it);
  if (context->default_stream != nullptr) context->default_stream->Close();
  context->default_stream = nullptr;
  for (const auto& [thread, stream] : context->thread_streams) stream->Close();
  context->thread_streams.clear();
  context->destroyed = true;
  contexts.Remove(context.get());
  std::vector<std::shared_ptr<Allocation>> owned;
  memory.ForEach([&](const std::shared_ptr<Allocation>& allocation) {
    if (allocation->context != context) return;
    // What is still at work keeps its memory, so that the simulation itself stays sound. If only streams of lost
    // contexts are behind with that work, the memory is gone for the program, which has no way to wait for them.
    if (allocation->pending == 0) {
      owned.push_back(allocation);
    } else if (!IsNeeded(*allocation)) {
      allocation->free_queued = true;
    }
  });
  for (const auto& allocation : owned) memory.Free(allocation);
  return left;
}

void Runtime::Forget(Lock& lock) {
  std::vector<std::shared_ptr<Context>> all;
  contexts.ForEach([&](const std::shared_ptr<Context>& context) { all.push_back(context); });
  for (const auto& context : all) {
    Synchronize(context, lock);
    TakeDown(context);
  }
  for (const auto& device : devices) {
    device->primary = nullptr;
    device->primary_references = 0;
  }
  const auto any = [](const auto&) { return true; };
  for (const auto& pool : pools.RemoveIf(any)) {
    pool->device->memory_used -= pool->reserved - pool->used;
    pool->reserved = pool->used;
    pool->threshold = 0;
  }
  for (const auto& exec : execs.RemoveIf(any)) exec->FreePatches();
  device_nodes.RemoveIf(any);
  nodes.RemoveIf(any);
  graphs.RemoveIf(any);
  ContextStack().clear();
}

uint64_t Runtime::CountObjects() const {
  uint64_t count = 0;
  const auto add = [&](const auto&) { ++count; };
  memory.ForEach([&](const std::shared_ptr<Allocation>& allocation) {
    if (allocation->kind != MemoryKind::kGlobal && !allocation->free_queued) ++count;
  });
  contexts.ForEach([&](const std::shared_ptr<Context>& context) { count += context->permanent ? 0 : 1; });
  streams.ForEach(add);
  events.ForEach(add);
  modules.ForEach(add);
  pools.ForEach(add);
  graphs.ForEach(add);
  execs.ForEach(add);
  return count;
}

namespace {

bool IsPermanent(const Context& context) { return context.permanent; }
template <typename Object>
bool IsPermanent(const Object&) {
  return false;
}

}  // namespace

template <typename Objects>
void Runtime::ReportLeaksOf(const Objects& objects) {
  size_t count = 0;
  objects.ForEach([&](const auto& object) { count += IsPermanent(*object) ? 0 : 1; });
  if (count != 0) reports.Add(Rule::kLeak, std::to_string(count) + " of kind " + objects.kind() + " exist still");
}

void Runtime::ReportLeaks() {
  ReportMemoryLeaks(nullptr);
  ReportLeaksOf(contexts);
  ReportLeaksOf(streams);
  ReportLeaksOf(events);
  ReportLeaksOf(modules);
  ReportLeaksOf(pools);
  ReportLeaksOf(graphs);
  ReportLeaksOf(execs);
}

std::vector<std::shared_ptr<Context>>& ContextStack() {
  return PerThread<std::vector<std::shared_ptr<Context>>>::Get();  // destructors of globals may ask for it
}

}  // namespace halyard::sim
