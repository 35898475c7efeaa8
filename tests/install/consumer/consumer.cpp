// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user's program in C++17: checks that headers and library are of one version, and lets a queue call it back.
#include <halyard/halyard.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

struct Release {
  void operator()(hal_device_t* device) const { hal_device_release(device); }
  void operator()(hal_semaphore_t* semaphore) const { hal_semaphore_release(semaphore); }
};

template <typename T>
using Owned = std::unique_ptr<T, Release>;

void Check(hal_status_t status, const char* what) {
  if (status == HAL_STATUS_OK) return;
  std::fprintf(stderr, "%s: %s: %s\n", what, hal_status_name(status), hal_last_error_message());
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (hal_version() != HAL_VERSION) {
    std::fprintf(stderr, "the headers are of version %x, the library of %x\n", HAL_VERSION, hal_version());
    return 1;
  }

  hal_device_t* device = nullptr;
  Check(hal_device_create(hal_string_view(argc > 1 ? argv[1] : "local"), &device), "open the device");
  const Owned<hal_device_t> device_owner(device);
  hal_semaphore_t* done = nullptr;
  Check(hal_semaphore_create(device, nullptr, &done), "create a semaphore");
  const Owned<hal_semaphore_t> semaphore_owner(done);

  std::string message = "the queue never called back";
  const hal_timeline_point_t point = hal_timeline_point(done, 1);
  const auto call_back = [](void* user_data, hal_status_t status) {
    *static_cast<std::string*>(user_data) = "the queue called back";
    return status;
  };
  const hal_submit_params_t submit = hal_submit_params(hal_semaphore_list_empty(), hal_semaphore_list(&point, 1));
  Check(hal_device_queue_host_call(device, &submit, call_back, &message), "submit a host call");
  Check(hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE), "wait");
  std::printf("halyard %d.%d.%d: %s\n", HAL_VERSION_MAJOR, HAL_VERSION_MINOR, HAL_VERSION_PATCH, message.c_str());
  return 0;
}
