// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "points.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "device.h"
#include "errors.h"

namespace halyard::python {

std::shared_ptr<Timeline> MakeTimeline(hal_device_t* device, uint64_t value) {
  hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
  params.initial_value = value;
  hal_semaphore_t* semaphore = nullptr;
  Check(hal_semaphore_create(device, &params, &semaphore));
  return std::make_shared<Timeline>(Timeline{SemaphoreRef(semaphore)});
}

bool Point::IsReached() const {
  uint64_t reached = 0;
  const hal_status_t code = hal_semaphore_query(timeline_->semaphore.get(), &reached);
  if (reached < value_) Check(code);
  return reached >= value_;
}

void Point::Wait(nb::handle timeout) const {
  const std::shared_ptr<Timeline> timeline = timeline_;
  hal_semaphore_t* const semaphore = timeline->semaphore.get();
  WaitInSlices(timeout, [&](uint64_t slice) { return hal_semaphore_wait(semaphore, value_, slice); });
}

void Point::Notify(nb::callable function) const {
  PyObject* const kept = function.release().ptr();  // PostTimepoint() takes the reference
  const hal_status_t code = hal_semaphore_notify(timeline_->semaphore.get(), value_, PostTimepoint, kept, nullptr);
  if (code == HAL_STATUS_OK) return;
  Py_DECREF(kept);
  Check(code);
}

void BindSemaphore(nb::module_& module) {
  nb::class_<Point>(module, "Point", "A value of a timeline: reached once the timeline stands there or further on.")
      .def_prop_ro("value", &Point::value)
      .def_prop_ro("done", &Point::IsReached,
                   "Whether the point is reached; raises the failure of what was to reach it.")
      .def("wait", &Point::Wait, nb::arg("timeout").none() = nb::none(),
           nb::sig("def wait(self, timeout: float | None = None) -> None"),
           "Waits, at most `timeout` seconds. Raises DeadlineExceeded, or the failure of the work.")
      .def("_notify", &Point::Notify, nb::arg("function"))
      .def(
          "__await__", [](nb::handle self) { return nb::module_::import_("halyard._jobs").attr("wait_for")(self); },
          nb::sig("def __await__(self) -> typing.Generator[typing.Any, None, None]"));

  nb::class_<Semaphore>(module, "Semaphore", "A timeline: a number that only grows. The host and devices move it.")
      .def(
          "__init__",
          [](Semaphore* self, const Device& device, uint64_t value) {
            new (self) Semaphore(MakeTimeline(device.get(), value));
          },
          nb::arg("device"), nb::arg("value") = 0)
      .def_prop_ro(
          "value",
          [](const Semaphore& self) {
            uint64_t value = 0;
            Check(hal_semaphore_query(self.get(), &value));
            return value;
          },
          "Where the timeline stands; raises its failure.")
      .def("at", &Semaphore::At, nb::arg("value"), "The point at which the timeline reaches `value`.")
      .def(
          "signal",
          [](const Semaphore& self, uint64_t value) {
            hal_status_t code = HAL_STATUS_OK;
            {
              const Unlocked unlocked;  // on `local://sync` this thread does the work that is released
              code = hal_semaphore_signal(self.get(), value);
            }
            Check(code);
          },
          nb::arg("value"), "Moves the timeline to `value`.")
      .def(
          "fail",
          [](const Semaphore& self, const std::string& message) {
            const hal_string_view_t text = {message.data(), message.size()};
            Check(hal_semaphore_fail(self.get(), HAL_STATUS_ABORTED, text));
          },
          nb::arg("message"), "Fails all points that are not reached, permanently, with the status ABORTED.")
      .def(
          "wait", [](const Semaphore& self, uint64_t value, nb::handle timeout) { self.At(value).Wait(timeout); },
          nb::arg("value"), nb::arg("timeout").none() = nb::none(),
          nb::sig("def wait(self, value: int, timeout: float | None = None) -> None"),
          "Waits until `value` is reached, at most `timeout` seconds.");
}

}  // namespace halyard::python
