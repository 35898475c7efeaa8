// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the package owes the interpreter: the lock is free while a thread waits, exit and fork() are safe, and threads
// of the library never ask for the lock.
#ifndef HALYARD_PYTHON_PROCESS_H_
#define HALYARD_PYTHON_PROCESS_H_

#include <halyard/halyard.h>
#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

namespace halyard::python {

namespace nb = nanobind;

/// Counts fork()s: an object of an earlier generation belongs to a parent of this process.
extern std::atomic<uint32_t> g_generation;

/// Throws FAILED_PRECONDITION if an object was made before a fork() that made this process.
void RefuseForked(uint32_t generation);

/// Gives up a reference to a Python object, from any thread, with or without the interpreter's lock. The object goes at
/// the next chance of a thread that has the lock. At exit it stays.
void DropLater(PyObject* object);
/// Gives up what threads of the library could not. Needs the lock.
void DropNow();

/// Frees the interpreter's lock for a time. A thread that comes back while the interpreter ends is stopped here: it
/// would be ended by an unwinding that C++ turns into an abort.
class Unlocked {
 public:
  Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked();

 private:
  PyThreadState* state_;
};

/// Calls `wait(nanoseconds)` without the lock, for at most 100 ms at a time, and lets Python's signal handlers run in
/// between. DEADLINE_EXCEEDED of a whole time-out is thrown like any failure. `timeout` is seconds, or None.
template <class Wait>
void WaitInSlices(nb::handle timeout, Wait&& wait);

/// Nanoseconds from now of a time-out in seconds; throws ValueError for what is negative or no number.
uint64_t TimeoutNanoseconds(nb::handle timeout);
/// Runs Python's signal handlers; throws what they raise.
void CheckSignals();
/// Throws a status with its message, which it reads on the thread that failed.
void Throw(hal_status_t code);

/// A call of a Python function that a thread of the library asks for: the function gets None or the exception.
struct Job {
  PyObject* function;
  hal_status_t status;
  std::string message;
};
/// Hands a job to the thread that runs them. From any thread, without the lock. At exit it is dropped.
void PostJob(Job job);
/// As hal_timepoint_fn_t; `user_data` is a function of Python, whose reference it takes.
void PostTimepoint(void* user_data, hal_status_t status, hal_string_view_t message);

/// One reference to an object of the C API. Objects of a process's parent are neither used nor released.
template <class T, void (*kRetain)(T*), void (*kRelease)(T*)>
class Ref {
 public:
  Ref() = default;
  /// Takes over a reference.
  explicit Ref(T* object) : object_(object), generation_(g_generation.load(std::memory_order_relaxed)) {}
  Ref(const Ref& other) : object_(other.object_), generation_(other.generation_) {
    if (Alive()) kRetain(object_);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)), generation_(other.generation_) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    std::swap(generation_, other.generation_);
    return *this;
  }
  ~Ref() {
    if (object_ && Alive()) kRelease(object_);
  }
  static Ref Share(T* object) {
    kRetain(object);
    return Ref(object);
  }

  T* get() const {
    if (!Alive()) [[unlikely]]
      RefuseForked(generation_);
    return object_;
  }
  bool Alive() const { return generation_ == g_generation.load(std::memory_order_relaxed); }

 private:
  T* object_ = nullptr;
  uint32_t generation_ = 0;
};

using DeviceRef = Ref<hal_device_t, hal_device_retain, hal_device_release>;
using BufferRef = Ref<hal_buffer_t, hal_buffer_retain, hal_buffer_release>;
using SemaphoreRef = Ref<hal_semaphore_t, hal_semaphore_retain, hal_semaphore_release>;
using ExecutableRef = Ref<hal_executable_t, hal_executable_retain, hal_executable_release>;
using CommandsRef = Ref<hal_command_buffer_t, hal_command_buffer_retain, hal_command_buffer_release>;

void BindProcess(nb::module_& module);

inline constexpr uint64_t kSliceNanoseconds = 100'000'000;

template <class Wait>
void WaitInSlices(nb::handle timeout, Wait&& wait) {
  uint64_t left = TimeoutNanoseconds(timeout);
  for (;;) {
    const uint64_t slice = left < kSliceNanoseconds ? left : kSliceNanoseconds;
    hal_status_t code = HAL_STATUS_OK;
    {
      const Unlocked unlocked;
      code = wait(slice);
    }
    if (left != HAL_TIMEOUT_INFINITE) left -= slice;
    if (code != HAL_STATUS_DEADLINE_EXCEEDED || left == 0) {
      Throw(code);
      break;
    }
    CheckSignals();
  }
  DropNow();
}

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_PROCESS_H_
