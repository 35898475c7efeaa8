// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: a timeline whose values the submitters of one stream take in turn. They use the public functions alone.
#include "halyard/stream.h"

#include <array>
#include <atomic>
#include <span>
#include <string_view>
#include <utility>

#include "core/list_wait.h"
#include "core/public_call.h"
#include "core/validation/checks.h"
#include "driver_kit/object/object.h"

struct hal_stream_t {
  hal_object_t object;
};

namespace halyard {
namespace {

class Stream final : public hal_stream_t, public HostObject {
 public:
  Stream(hal_device_t* device, Ref<hal_semaphore_t> semaphore, hal_queue_mask_t queues)
      : hal_stream_t{},
        device_(Ref<hal_device_t>::Retaining(device)),
        semaphore_(std::move(semaphore)),
        queues_(queues) {
    hal_object_initialize(&object, HAL_OBJECT_KIND_STREAM, &kVtable);
  }
  static Stream& Of(hal_stream_t* stream) { return *static_cast<Stream*>(stream); }

  hal_device_t* device() const { return device_.get(); }
  /// The end of what was submitted.
  hal_timeline_point_t Last() const { return {semaphore_.get(), last_.load(std::memory_order_acquire)}; }

  void Begin(hal_stream_step_t* step);
  /// Reaches the point of a step whose operation was refused.
  void Skip(const hal_stream_step_t& step) const;

 private:
  static const hal_object_vtable_t kVtable;
  const Ref<hal_device_t> device_;
  const Ref<hal_semaphore_t> semaphore_;
  const hal_queue_mask_t queues_;
  std::atomic<uint64_t> last_{0};  // value of the last step
};

const hal_object_vtable_t Stream::kVtable = {sizeof(hal_object_vtable_t), DestroyEntry<Stream, hal_stream_t>};

// A step of another thread may wait for a value that nothing has been submitted for yet: operations may wait before
// their signals are submitted.
void Stream::Begin(hal_stream_step_t* step) {
  const uint64_t value = last_.fetch_add(1, std::memory_order_acq_rel) + 1;
  *step = {{semaphore_.get(), value - 1}, {semaphore_.get(), value}, queues_};
}

void Stream::Skip(const hal_stream_step_t& step) const {
  const LastMessageScope message(kOk);  // the refusal's stays
  const hal_submit_params_t submit = hal_stream_submit_params(&step);
  const hal_status_t status = hal_device_queue_barrier(device_.get(), &submit);
  if (status == HAL_STATUS_OK) return;
  hal_semaphore_fail(semaphore_.get(), status, hal_string_view(hal_last_error_message()));
}

Status CreateStream(hal_device_t* device, const hal_stream_params_t* given, hal_stream_t** out_stream) {
  HAL_TRY(CheckNotNull("device", device));
  hal_stream_params_t params = HAL_INIT(hal_stream_params_t);
  if (given) HAL_TRY(ReadStruct("params", given, &params));
  hal_queue_mask_t queues = 0;
  HAL_TRY(ResolveQueues(device, params.queues != 0 ? params.queues : HAL_QUEUE_ANY, &queues));
  hal_semaphore_params_t semaphore = HAL_INIT(hal_semaphore_params_t);
  hal_semaphore_t* timeline = nullptr;
  HAL_TRY(FromC(hal_semaphore_create(device, &semaphore, &timeline)));
  auto kept = Ref<hal_semaphore_t>::Adopting(timeline);
  *out_stream = new Stream(device, std::move(kept), queues);
  return kOk;
}

/// The refusal of a queue operation as that of the stream's function, which is the one that the caller knows.
hal_status_t NameStep(hal_status_t refusal, const char* function) {
  const std::string_view message = hal_last_error_message();
  const size_t name = message.starts_with("hal_device_queue_") ? message.find(": ") : std::string_view::npos;
  if (name == std::string_view::npos) return refusal;
  return EndPublic(FailWith(refusal, message.substr(name + 2)), function);
}

/// Submits `operation(device, submit)` as the next step.
template <class Operation>
hal_status_t Step(hal_stream_t* stream, const Operation& operation, const char* function = __builtin_FUNCTION()) {
  if (const hal_status_t wrong = Public([&] { return CheckNotNull("stream", stream); }, function);
      wrong != HAL_STATUS_OK)
    return wrong;
  const auto kept = Ref<hal_stream_t>::Retaining(stream);
  hal_stream_step_t step;
  Stream::Of(stream).Begin(&step);
  const hal_submit_params_t submit = hal_stream_submit_params(&step);
  const hal_status_t status = operation(Stream::Of(stream).device(), &submit);
  if (status == HAL_STATUS_OK) return status;
  Stream::Of(stream).Skip(step);
  return NameStep(status, function);
}

Status CheckStep(hal_stream_t* stream, const hal_stream_step_t* step) {
  HAL_TRY(CheckNotNull("stream", stream));
  return CheckNotNull("step", step);
}

/// A barrier that waits for other points, too.
hal_status_t JoinPoints(hal_stream_t* stream, std::span<const hal_timeline_point_t> points, const char* function) {
  return Step(
      stream,
      [&](hal_device_t* device, const hal_submit_params_t* submit) {
        return Public(
            [&] {
              HostVector<hal_timeline_point_t> waits(points.begin(), points.end());
              const hal_semaphore_list_t own = submit->wait_list;
              waits.insert(waits.end(), own.points, own.points + own.count);
              hal_submit_params_t joined = *submit;
              joined.wait_list = hal_semaphore_list(waits.data(), waits.size());
              return FromC(hal_device_queue_barrier(device, &joined));
            },
            function);
      },
      function);
}

}  // namespace
}  // namespace halyard

using halyard::CheckNotNull;
using halyard::Public;
using halyard::Step;
using halyard::Stream;

hal_status_t hal_stream_create(hal_device_t* device, const hal_stream_params_t* params, hal_stream_t** out_stream) {
  return halyard::PublicThatGives("out_stream", out_stream,
                                  [&] { return halyard::CreateStream(device, params, out_stream); });
}

void hal_stream_retain(hal_stream_t* stream) { halyard::RetainHandle(stream); }
void hal_stream_release(hal_stream_t* stream) { halyard::ReleaseHandle(stream); }

hal_device_t* hal_stream_device(hal_stream_t* stream) {
  return halyard::IsUsable("stream", stream) ? Stream::Of(stream).device() : nullptr;
}

hal_timeline_point_t hal_stream_record(hal_stream_t* stream) {
  return halyard::IsUsable("stream", stream) ? Stream::Of(stream).Last() : hal_timeline_point_t{nullptr, 0};
}

hal_status_t hal_stream_wait(hal_stream_t* stream, uint64_t timeout_ns) {
  if (const hal_status_t wrong = Public([&] { return CheckNotNull("stream", stream); }); wrong != HAL_STATUS_OK)
    return wrong;
  const auto kept = halyard::Ref<hal_stream_t>::Retaining(stream);
  const hal_timeline_point_t last = Stream::Of(stream).Last();
  return hal_semaphore_wait(last.semaphore, last.value, timeout_ns);
}

hal_status_t hal_stream_wait_points(hal_stream_t* stream, hal_semaphore_list_t points) {
  std::span<const hal_timeline_point_t> list;
  const hal_status_t wrong = Public([&] { return halyard::ReadPoints(points, &list); });
  return wrong != HAL_STATUS_OK ? wrong : halyard::JoinPoints(stream, list, "hal_stream_wait_points");
}

hal_status_t hal_stream_wait_stream(hal_stream_t* stream, hal_stream_t* other) {
  if (const hal_status_t wrong = Public([&] { return CheckNotNull("other", other); }); wrong != HAL_STATUS_OK)
    return wrong;
  const hal_timeline_point_t last = Stream::Of(other).Last();
  return halyard::JoinPoints(stream, {&last, last.value > 0 ? 1u : 0u}, "hal_stream_wait_stream");
}

hal_status_t hal_stream_fill(hal_stream_t* stream, hal_buffer_ref_t target, const void* pattern, size_t pattern_size) {
  return Step(stream, [&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_fill(device, submit, target, pattern, pattern_size);
  });
}

hal_status_t hal_stream_update(hal_stream_t* stream, const void* data, hal_buffer_ref_t target) {
  return Step(stream, [&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_update(device, submit, data, target);
  });
}

hal_status_t hal_stream_copy(hal_stream_t* stream, hal_buffer_ref_t source, hal_buffer_ref_t target) {
  return Step(stream, [&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_copy(device, submit, source, target);
  });
}

hal_status_t hal_stream_upload(hal_stream_t* stream, const void* data, hal_buffer_ref_t target) {
  return Step(stream, [&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_upload(device, submit, data, target);
  });
}

hal_status_t hal_stream_download(hal_stream_t* stream, hal_buffer_ref_t source, void* data) {
  return Step(stream, [&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_download(device, submit, source, data);
  });
}

hal_status_t hal_stream_dispatch(hal_stream_t* stream, hal_executable_t* executable, uint32_t ordinal,
                                 const hal_dispatch_params_t* params) {
  return Step(stream, [&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_dispatch(device, submit, executable, ordinal, params);
  });
}

hal_status_t hal_stream_execute(hal_stream_t* stream, hal_command_buffer_t* command_buffer,
                                const hal_execute_params_t* params) {
  return Step(stream, [&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_execute_with(device, submit, command_buffer, params);
  });
}

hal_status_t hal_stream_host_call(hal_stream_t* stream, hal_host_call_fn_t callback, void* user_data) {
  return Step(stream, [&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_host_call(device, submit, callback, user_data);
  });
}

hal_status_t hal_stream_begin(hal_stream_t* stream, hal_stream_step_t* out_step) {
  return Public([&] {
    HAL_TRY(halyard::CheckStep(stream, out_step));
    Stream::Of(stream).Begin(out_step);
    return halyard::kOk;
  });
}

hal_status_t hal_stream_end(hal_stream_t* stream, const hal_stream_step_t* step, hal_status_t status) {
  if (const hal_status_t wrong = Public([&] { return halyard::CheckStep(stream, step); }); wrong != HAL_STATUS_OK)
    return wrong;
  if (status != HAL_STATUS_OK) Stream::Of(stream).Skip(*step);
  return status;
}
