// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "buffer.h"
#include "commands.h"
#include "transfers.h"

namespace halyard::python {

StreamCore::StreamCore(DeviceRef owner, hal_queue_mask_t queues, bool works_in_submission)
    : device(std::move(owner)),
      timeline(MakeTimeline(device.get(), 0)),
      queues_(queues),
      works_in_submission_(works_in_submission) {}

Point StreamCore::Now() {
  const std::lock_guard lock(mutex_);
  return Point(timeline, value_);
}

void StreamCore::WaitFor(const Point& point) {
  const std::lock_guard lock(mutex_);
  extra_.push_back(point);
}

void StreamCore::Wait(nb::handle timeout) {
  const Point now = Now();
  try {
    now.Wait(timeout);
  } catch (const Failure&) {
    uint64_t reached = 0;
    if (hal_semaphore_query(now.timeline()->semaphore.get(), &reached) != HAL_STATUS_OK) {
      std::shared_ptr<Timeline> fresh = MakeTimeline(device.get(), 0);
      const std::lock_guard lock(mutex_);
      if (timeline == now.timeline()) {
        timeline.swap(fresh);
        value_ = 0;
      }
    }
    throw;
  }
}

namespace {

/// Has a Python function called in the stream's order: the timeline goes on when it has returned.
void Call(const Stream& stream, nb::callable function) {
  const Point before = stream.core()->Now();
  const Semaphore called(MakeTimeline(stream.device()->ref.get(), 0));
  const hal_timeline_point_t end = called.At(1).get();
  const nb::object job = nb::module_::import_("halyard._jobs").attr("host_call")(function, called);
  stream.core()->Submit([&](hal_device_t* device, const hal_submit_params_t* submit) {
    const hal_semaphore_list_t given = submit->wait_list;
    std::vector<hal_timeline_point_t> waits(given.points, given.points + given.count);
    waits.push_back(end);
    hal_submit_params_t barrier = *submit;
    barrier.wait_list = hal_semaphore_list(waits.data(), waits.size());
    return hal_device_queue_barrier(device, &barrier);
  });
  before.Notify(nb::borrow<nb::callable>(job));
}

}  // namespace

void BindStream(nb::module_& module) {
  nb::class_<Stream>(module, "Stream",
                     "Runs work in the order in which it is submitted: one queue of a device and one timeline.")
      .def(
          "__init__",
          [](Stream* self, const Device& device, std::optional<uint32_t> queue) {
            if (queue && *queue >= hal_device_info(device.get())->queue_count) {
              throw Failure(HAL_STATUS_OUT_OF_RANGE,
                            "the device has " + std::to_string(hal_device_info(device.get())->queue_count) +
                                " queues, numbered from 0; there is no queue " + std::to_string(*queue));
            }
            const hal_queue_mask_t queues = queue ? 1ull << *queue : HAL_QUEUE_ANY;
            new (self) Stream(device.core(), std::make_shared<StreamCore>(device.core()->ref, queues,
                                                                          device.core()->works_in_submission));
          },
          nb::arg("device"), nb::arg("queue").none() = nb::none(),
          "A stream on one queue of the device, or on whichever the device chooses.")
      .def_prop_ro("device", [](const Stream& self) { return Device(self.device()); })
      .def(
          "point", [](const Stream& self) { return self.core()->Now(); }, "The end of all that was submitted.")
      .def(
          "wait", [](const Stream& self, nb::handle timeout) { self.core()->Wait(timeout); },
          nb::arg("timeout").none() = nb::none(), nb::sig("def wait(self, timeout: float | None = None) -> None"),
          "Waits for all that was submitted. Raises the failure of the first operation that failed; after that the "
          "stream takes work again.")
      .def(
          "wait_for", [](const Stream& self, const Point& point) { self.core()->WaitFor(point); }, nb::arg("point"),
          "Work that is submitted from now on waits for a point, such as that of another stream.")
      .def(
          "signal",
          [](const Stream& self, const Semaphore& semaphore, uint64_t value) {
            self.core()->Submit([&](hal_device_t* device, const hal_submit_params_t* submit) {
              const hal_timeline_point_t points[] = {hal_timeline_point(semaphore.get(), value),
                                                     submit->signal_list.points[0]};
              hal_submit_params_t both = *submit;
              both.signal_list = hal_semaphore_list(points, 2);
              return hal_device_queue_barrier(device, &both);
            });
          },
          nb::arg("semaphore"), nb::arg("value"), "Moves a timeline once all work before is done.")
      .def(
          "fill",
          [](const Stream& self, const Buffer& target, nb::handle value) {
            const Pattern pattern = MakePattern(target, value);
            Note(self, target, self.core()->Submit([&](hal_device_t* device, const hal_submit_params_t* submit) {
              return hal_device_queue_fill(device, submit, target.ref(), pattern.bytes, pattern.size);
            }));
          },
          nb::arg("target"), nb::arg("value"), nb::sig("def fill(self, target: Buffer, value: int | float) -> None"),
          "Sets all elements of a buffer to a number.")
      .def(
          "copy",
          [](const Stream& self, const Buffer& source, const Buffer& target) {
            const uint64_t value = self.core()->Submit([&](hal_device_t* device, const hal_submit_params_t* submit) {
              return hal_device_queue_copy(device, submit, source.ref(), target.ref());
            });
            Note(self, source, value);
            Note(self, target, value);
          },
          nb::arg("source"), nb::arg("target"), "Copies the bytes of a buffer to one of the same length.")
      .def(
          "upload", [](const Stream& self, nb::handle source, const Buffer& target) { Upload(self, source, target); },
          nb::arg("source"), nb::arg("target"), nb::sig("def upload(self, source: object, target: Buffer) -> None"),
          "Copies an array of the host, dense and of the same length, to a buffer. The array is kept until the copy is "
          "done; do not change it before.")
      .def(
          "download",
          [](const Stream& self, const Buffer& source, nb::handle target) { Download(self, source, target); },
          nb::arg("source"), nb::arg("target"), nb::sig("def download(self, source: Buffer, target: object) -> None"),
          "Copies a buffer to a writable array of the host, dense and of the same length, which has the bytes once the "
          "stream was waited for.")
      .def(
          "execute",
          [](const Stream& self, const Commands& commands, nb::args table, nb::handle numbers) {
            Execute(self, commands, table, numbers);
          },
          nb::arg("commands"), nb::arg("table"), nb::arg("numbers").none() = nb::none(),
          nb::sig("def execute(self, commands: Commands, *table: Buffer, numbers: "
                  "collections.abc.Iterable[object] | None = None) -> None"),
          "Executes recorded commands; `table` has a buffer for each slot, `numbers` a number for each that was "
          "recorded.")
      .def("call", Call, nb::arg("function"),
           nb::sig("def call(self, function: collections.abc.Callable[[], object]) -> None"),
           "Calls a function in the stream's order, on a thread of the package. An exception fails the stream with the "
           "exception's text.")
      .def(
          "__await__", [](const Stream& self) { return nb::cast(self.core()->Now()).attr("__await__")(); },
          nb::sig("def __await__(self) -> typing.Generator[typing.Any, None, None]"));
}

}  // namespace halyard::python
