// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiling.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "errors.h"
#include "text.h"

namespace halyard::python {

namespace {

const char* KindName(hal_profiling_record_kind_t kind) {
  switch (kind) {
    case HAL_PROFILING_RECORD_KIND_QUEUE_OPERATION:
      return "operation";
    case HAL_PROFILING_RECORD_KIND_DISPATCH:
      return "dispatch";
    case HAL_PROFILING_RECORD_KIND_DEBUG_GROUP:
      return "group";
    default:
      return "unknown";
  }
}

}  // namespace

Profile::Profile(std::shared_ptr<DeviceCore> device, nb::handle path)
    : device_(std::move(device)), path_(nb::borrow(path)) {
  Check(hal_trace_writer_create(&writer_));
  trace_sink_ = hal_trace_writer_sink(writer_);
}

Profile::~Profile() {
  if (!device_->ref.Alive()) return;  // a child of fork() leaves what is the parent's
  if (running_) {
    const Unlocked unlocked;
    hal_device_profiling_end(device_->ref.get());
  }
  hal_trace_writer_destroy(writer_);
}

void Profile::Take(void* user_data, const hal_profiling_record_t* record) {
  auto* const profile = static_cast<Profile*>(user_data);
  profile->trace_sink_.record(profile->trace_sink_.user_data, record);
  const std::lock_guard lock(profile->mutex_);
  profile->records_.push_back({KindName(record->kind), View(record->name), View(record->label),
                               hal_status_name(record->status), record->operation, record->queue, record->command,
                               record->submit_time, record->start_time, record->end_time, record->workgroup_count});
}

void Profile::Begin() {
  hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
  sink.user_data = this;
  sink.record = Take;
  Check(hal_device_profiling_begin(
      device_->ref.get(), HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES | HAL_PROFILING_DEBUG_GROUPS,
      &sink));
  running_ = true;
}

void Profile::End() {
  hal_device_t* const device = device_->ref.get();
  WaitInSlices(nb::none(), [&](uint64_t slice) { return hal_device_drain(device, slice); });
  hal_status_t code = HAL_STATUS_OK;
  {
    const Unlocked unlocked;  // waits for calls of the sink
    code = hal_device_profiling_end(device);
  }
  running_ = false;
  Check(code);
  if (!path_.is_none()) Write(path_);
}

void Profile::Write(nb::handle path) const {
  const auto text = nb::cast<nb::bytes>(nb::module_::import_("os").attr("fsencode")(path));
  Check(hal_trace_writer_write(writer_, {text.c_str(), text.size()}));
}

std::vector<Record> Profile::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

void BindProfiling(nb::module_& module) {
  nb::class_<Record>(module, "Record", "One timing. Times are nanoseconds, as time.monotonic_ns() counts them.")
      .def_ro("kind", &Record::kind, "'operation', 'dispatch' or 'group'.")
      .def_ro("name", &Record::name, "What it was: 'copy', the name of a kernel.")
      .def_ro("label", &Record::label)
      .def_ro("status", &Record::status, "'OK', or how it failed.")
      .def_ro("operation", &Record::operation, "The number of its operation on the device, from 1.")
      .def_ro("queue", &Record::queue)
      .def_ro("command", &Record::command)
      .def_ro("submitted", &Record::submitted)
      .def_ro("started", &Record::started)
      .def_ro("ended", &Record::ended)
      .def_prop_ro(
          "grid", [](const Record& self) { return nb::make_tuple(self.grid.x, self.grid.y, self.grid.z); },
          nb::sig("def grid(self) -> tuple[int, int, int]"))
      .def_prop_ro(
          "seconds", [](const Record& self) { return static_cast<double>(self.ended - self.started) * 1e-9; },
          "From its start to its end.")
      .def("__repr__", [](const Record& self) {
        return "<halyard.Record " + self.kind + " " + self.name + ", " + std::to_string(self.ended - self.started) +
               " ns>";
      });

  nb::class_<Profile>(module, "Profile", "A profiling session, in a `with`.")
      .def(
          "__enter__",
          [](nb::handle_t<Profile> self) {
            Instance<Profile>(self).Begin();
            return nb::borrow(self);
          },
          nb::sig("def __enter__(self) -> Profile"))
      .def(
          "__exit__", [](Profile& self, nb::handle, nb::handle, nb::handle) { self.End(); }, nb::arg("type").none(),
          nb::arg("value").none(), nb::arg("traceback").none(),
          nb::sig("def __exit__(self, type: object, value: object, traceback: object) -> None"))
      .def_prop_ro("records", &Profile::records, "What was recorded, in no order.")
      .def("write", &Profile::Write, nb::arg("path"), nb::sig("def write(self, path: object) -> None"),
           "Writes a trace that Perfetto opens (ui.perfetto.dev).");
}

}  // namespace halyard::python
