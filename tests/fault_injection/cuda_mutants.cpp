// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/cuda_mutants.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "cts/handles.h"
#include "cuda/cuda_driver.h"
#include "stream_drivers/vendor.h"

namespace halyard::fault_injection {
namespace {

const hal_driver_interface_t& Cuda() { return *hal_cuda_driver_interface(); }

bool HasFailed() { return interop::vendor::Control().Failures() != 0; }

void LeaveAsItIs(Tables&) {}

// A module stays loaded after a failure. The simulation is to notice, not LeakSanitizer: the static vector keeps the
// leaked objects reachable.
void LeakAfterAFailure(Tables& tables) {
  tables.executable.destroy = [](hal_object_t* executable) {
    static auto& left = *new std::vector<hal_object_t*>;
    if (HasFailed()) {
      left.push_back(executable);
    } else {
      Cuda().executable->destroy(executable);
    }
  };
}

// An operation that fails does not tell.
void HangAfterAFailure(Tables& tables) {
  tables.semaphore.fail = [](hal_semaphore_t*, hal_status_t, hal_string_view_t) { return HAL_STATUS_OK; };
}

// An operation that fails says that it is done.
void LieAfterAFailure(Tables& tables) {
  tables.semaphore.fail = [](hal_semaphore_t* semaphore, hal_status_t, hal_string_view_t) {
    return Cuda().semaphore->signal(semaphore, 1);
  };
}

void FailWithoutMessage(Tables& tables) {
  tables.semaphore.fail = [](hal_semaphore_t* semaphore, hal_status_t status, hal_string_view_t) {
    return Cuda().semaphore->fail(semaphore, status, cts::View("something went wrong"));
  };
}

void FailAsInternal(Tables& tables) {
  tables.semaphore.fail = [](hal_semaphore_t* semaphore, hal_status_t, hal_string_view_t message) {
    return Cuda().semaphore->fail(semaphore, HAL_STATUS_INTERNAL, message);
  };
}

constexpr Mutant kMutants[] = {
    {"good", "", LeaveAsItIs},
    {"leaking", "leak: 1 of kind module", LeakAfterAFailure},
    {"hanging", "hangs: '", HangAfterAFailure},
    {"lying", "wrong result: sums", LieAfterAFailure},
    {"wordless", "the message does not name", FailWithoutMessage},
    {"internal", "wrong status", FailAsInternal},
};

}  // namespace

std::span<const Mutant> CudaMutants() { return kMutants; }

void RegisterMutant(hal_registry_t* registry, std::string_view name) {
  for (const Mutant& mutant : kMutants) {
    if (name != mutant.name) continue;
    hal_driver_interface_t driver = Cuda();
    Tables tables = {*driver.device, *driver.buffer, *driver.semaphore, *driver.executable};
    mutant.mutate(tables);
    driver.device = &tables.device;
    driver.buffer = &tables.buffer;
    driver.semaphore = &tables.semaphore;
    driver.executable = &tables.executable;
    driver.name = cts::View(name);
    cts::Check(hal_registry_register_driver(registry, &driver), "hal_registry_register_driver");
    return;
  }
  throw std::runtime_error("there is no driver '" + std::string(name) + "'");
}

}  // namespace halyard::fault_injection
