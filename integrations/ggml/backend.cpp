// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend.h"

#include "buffer.h"
#include "recording.h"

namespace halyard_ggml {
namespace {

struct Backend {
  Device& device;
  hal::Stream stream;
  Recordings recordings;
  ggml_status failure = GGML_STATUS_SUCCESS;  // of work that had no status to return; the next graph returns it

  static Backend& Of(ggml_backend_t backend) { return *static_cast<Backend*>(backend->context); }

  /// Puts work into the stream. A failure shows at the next graph.
  template <class Work>
  void Submit(const char* what, Work&& work) {
    const ggml_status status = Guarded(what, std::forward<Work>(work));
    if (status != GGML_STATUS_SUCCESS) failure = status;
  }
};

struct Event {
  hal::Semaphore semaphore;
  uint64_t value = 0;
};

ggml_guid_t Guid() {
  static ggml_guid guid = {0x48, 0x61, 0x6c, 0x79, 0x61, 0x72, 0x64, 0x00,
                           0x9d, 0x1e, 0x4b, 0x70, 0xa2, 0x5c, 0x13, 0xe8};
  return &guid;
}

const char* Name(ggml_backend_t backend) { return Backend::Of(backend).device.name().c_str(); }

void Synchronize(ggml_backend_t backend) {
  Backend& own = Backend::Of(backend);
  own.Submit("wait for the device", [&] { own.stream.Wait(); });
}

void Free(ggml_backend_t backend) {
  Synchronize(backend);
  delete &Backend::Of(backend);
  delete backend;
}

void SetTensor(ggml_backend_t backend, ggml_tensor* tensor, const void* data, size_t offset, size_t size) {
  Backend& own = Backend::Of(backend);
  own.Submit("write to a tensor", [&] {
    uint64_t begin = 0;
    Buffer* const buffer = Buffer::Of(*tensor, &begin);
    if (!buffer) throw std::runtime_error("the tensor is in memory of another backend");
    own.stream.Upload(data, buffer->memory.Range(begin + offset, size));
  });
}

void GetTensor(ggml_backend_t backend, const ggml_tensor* tensor, void* data, size_t offset, size_t size) {
  Backend& own = Backend::Of(backend);
  own.Submit("read from a tensor", [&] {
    uint64_t begin = 0;
    Buffer* const buffer = Buffer::Of(*tensor, &begin);
    if (!buffer) throw std::runtime_error("the tensor is in memory of another backend");
    own.stream.Download(buffer->memory.Range(begin + offset, size), data);
  });
}

// The copy runs in the target's stream, after what was submitted to either. The source's stream waits for its end, so
// that nothing writes to the source meanwhile.
bool CopyTensor(ggml_backend_t from, ggml_backend_t to, const ggml_tensor* source, ggml_tensor* target) {
  if (from->iface.get_name != Name || to->iface.get_name != Name) return false;
  Backend& reader = Backend::Of(to);
  const Backend& writer = Backend::Of(from);
  bool is_ours = true;
  reader.Submit("copy a tensor", [&] {
    uint64_t offset = 0;
    is_ours = Buffer::Of(*source, &offset) && Buffer::Of(*target, &offset);
    if (!is_ours) return;
    if (from != to) reader.stream.WaitFor(writer.stream);
    SubmitCopy(reader.stream, *source, *target);
    if (from != to) writer.stream.WaitFor(reader.stream);
  });
  return is_ours;
}

ggml_status Compute(ggml_backend_t backend, ggml_cgraph* graph) {
  Backend& own = Backend::Of(backend);
  if (own.failure != GGML_STATUS_SUCCESS) {
    // A stream that failed stays so. The device may still work, and the next graph finds out.
    const ggml_status failure = std::exchange(own.failure, GGML_STATUS_SUCCESS);
    Guarded("begin again", [&] { own.stream = hal::Stream::Create(own.device.hal().get()); });
    return failure;
  }
  return Guarded("compute a graph", [&] { own.recordings.Run(*graph, own.stream); });
}

void RecordEvent(ggml_backend_t backend, ggml_backend_event_t event) {
  const hal_timeline_point_t point = Backend::Of(backend).stream.Record();
  hal_semaphore_retain(point.semaphore);
  *static_cast<Event*>(event->context) = {hal::Semaphore(point.semaphore), point.value};
}

void WaitForEvent(ggml_backend_t backend, ggml_backend_event_t event) {
  Backend& own = Backend::Of(backend);
  const Event& point = *static_cast<Event*>(event->context);
  if (!point.semaphore || point.value == 0) return;
  own.Submit("wait for an event", [&] { own.stream.WaitFor(point.semaphore.At(point.value)); });
}

constexpr ggml_backend_i kBackendInterface = {
    .get_name = Name,
    .free = Free,
    .set_tensor_async = SetTensor,
    .get_tensor_async = GetTensor,
    .set_tensor_2d_async = nullptr,
    .get_tensor_2d_async = nullptr,
    .cpy_tensor_async = CopyTensor,
    .synchronize = Synchronize,
    .graph_plan_create = nullptr,
    .graph_plan_free = nullptr,
    .graph_plan_update = nullptr,
    .graph_plan_compute = nullptr,
    .graph_compute = Compute,
    .event_record = RecordEvent,
    .event_wait = WaitForEvent,
    .graph_optimize = nullptr,
};

}  // namespace

ggml_backend_t CreateBackend(Device& device) {
  ggml_backend_t backend = nullptr;
  Guarded("create a backend", [&] {
    auto own = std::unique_ptr<Backend>(
        new Backend{device, hal::Stream::Create(device.hal().get()), Recordings(device), GGML_STATUS_SUCCESS});
    backend = new ggml_backend{Guid(), kBackendInterface, device.ggml(), own.get()};
    own.release();
  });
  return backend;
}

ggml_backend_event_t NewEvent(ggml_backend_dev_t device) {
  ggml_backend_event_t event = nullptr;
  Guarded("create an event", [&] {
    auto own = std::make_unique<Event>();
    event = new ggml_backend_event{device, own.get()};
    own.release();
  });
  return event;
}

void FreeEvent(ggml_backend_dev_t, ggml_backend_event_t event) {
  delete static_cast<Event*>(event->context);
  delete event;
}

void SynchronizeEvent(ggml_backend_dev_t, ggml_backend_event_t event) {
  const Event& point = *static_cast<Event*>(event->context);
  if (!point.semaphore) return;
  // The failure of a stream shows at its backend, too.
  Guarded("wait for an event", [&] { point.semaphore.Wait(point.value); });
}

}  // namespace halyard_ggml
