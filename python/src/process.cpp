// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process.h"

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "errors.h"

namespace halyard::python {

std::atomic<uint32_t> g_generation{1};

namespace {

/// What threads of the library hand to threads of Python. A child of fork() begins with a new one, as the parent's may
/// be in the middle of a change. Never destroyed: threads of the library outlive the interpreter.
struct Inbox {
  std::mutex mutex;  // protects all below
  std::condition_variable changed;
  std::vector<PyObject*> dropped;
  bool drop_pending = false;  // the interpreter was asked to call
  std::deque<Job> jobs;
  std::thread::id main_thread = std::this_thread::get_id();
};
Inbox* g_inbox = new Inbox;

/// Set once, when the interpreter begins to end; cleared in a child of fork().
std::atomic<bool> g_exiting{false};
/// Threads between Unlocked's constructor and the return of their lock.
std::atomic<uint32_t> g_unlocked{0};

[[noreturn]] void StopThread() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

int DropPending(void*) {
  DropNow();
  return 0;
}

/// Called when the interpreter begins to end, by a thread that has the lock. Returns when no thread is without the lock
/// in this package, or after 5 s: a compiler, or a kernel on `local://sync`, may take longer.
void BeginExit() {
  g_exiting.store(true);
  {
    const std::lock_guard lock(g_inbox->mutex);
    g_inbox->changed.notify_all();
  }
  PyThreadState* const state = PyEval_SaveThread();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (g_unlocked.load() > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  PyEval_RestoreThread(state);
}

void AfterForkInChild() {
  g_generation.fetch_add(1);
  g_inbox = new Inbox;
  g_exiting.store(false);
  g_unlocked.store(0);
}

/// The next job as (function, None or exception); None when the interpreter ends.
nb::object NextJob() {
  Job job = {nullptr, HAL_STATUS_OK, {}};
  {
    const Unlocked unlocked;
    Inbox& inbox = *g_inbox;
    std::unique_lock lock(inbox.mutex);
    inbox.changed.wait(lock, [&] { return !inbox.jobs.empty() || g_exiting.load(); });
    if (!g_exiting.load()) {
      job = std::move(inbox.jobs.front());
      inbox.jobs.pop_front();
    }
  }
  if (!job.function) return nb::none();
  const nb::object function = nb::steal(job.function);
  return nb::make_tuple(function, job.status == HAL_STATUS_OK ? nb::none() : MakeException(job.status, job.message));
}

}  // namespace

void RefuseForked(uint32_t) {
  throw Failure(HAL_STATUS_FAILED_PRECONDITION,
                "this object was made before fork(), in the parent of this process, and belongs to the parent; open "
                "the device in the child, or start processes by multiprocessing's 'spawn' or 'forkserver'");
}

void DropLater(PyObject* object) {
  if (!object || g_exiting.load()) return;
  const std::lock_guard lock(g_inbox->mutex);
  g_inbox->dropped.push_back(object);
  // Takes no lock of the interpreter. If its list is full, the next DropNow() does the work.
  if (!g_inbox->drop_pending) g_inbox->drop_pending = Py_AddPendingCall(DropPending, nullptr) == 0;
}

void DropNow() {
  std::vector<PyObject*> dropped;
  {
    const std::lock_guard lock(g_inbox->mutex);
    g_inbox->drop_pending = false;
    dropped.swap(g_inbox->dropped);
  }
  for (PyObject* const object : dropped) Py_DECREF(object);
}

Unlocked::Unlocked() {
  g_unlocked.fetch_add(1);
  state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  if (g_exiting.load() && std::this_thread::get_id() != g_inbox->main_thread) {
    g_unlocked.fetch_sub(1);
    StopThread();
  }
  PyEval_RestoreThread(state_);
  g_unlocked.fetch_sub(1);
}

uint64_t TimeoutNanoseconds(nb::handle timeout) {
  if (timeout.is_none()) return HAL_TIMEOUT_INFINITE;
  const double seconds = PyFloat_AsDouble(timeout.ptr());
  if (PyErr_Occurred()) throw nb::python_error();
  if (std::isnan(seconds) || seconds < 0) throw nb::value_error("a timeout is None or a number of seconds from 0 on");
  return seconds > 1e9 ? HAL_TIMEOUT_INFINITE : static_cast<uint64_t>(seconds * 1e9);
}

void CheckSignals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void Throw(hal_status_t code) { Check(code); }

void PostJob(Job job) {
  if (g_exiting.load()) return;
  const std::lock_guard lock(g_inbox->mutex);
  g_inbox->jobs.push_back(std::move(job));
  g_inbox->changed.notify_one();
}

void PostTimepoint(void* user_data, hal_status_t status, hal_string_view_t message) {
  PostJob({static_cast<PyObject*>(user_data), status, std::string(message.data ? message.data : "", message.size)});
}

void BindProcess(nb::module_& module) {
  module.def("_begin_exit", BeginExit, "Called once, when the interpreter begins to end.");
  module.def("_after_fork_in_child", AfterForkInChild, "Called in a child of fork().");
  module.def("_next_job", NextJob, "Waits for a function that a thread of the library wants called.");
  module.def(
      "_waiting_threads", [] { return g_unlocked.load(); },
      "How many threads are in a function of the package that lets others run.");
  module.def("_drop_now", DropNow, "Gives up the references that threads of the library could not give up.");
  module.def(
      "_shutdown",
      [] {
        DropNow();
        hal_status_t code = HAL_STATUS_OK;
        {
          const Unlocked unlocked;
          code = hal_shutdown();
        }
        Check(code);
      },
      "As hal_shutdown(): fails with the number of objects that are alive, by kind.");
}

}  // namespace halyard::python
