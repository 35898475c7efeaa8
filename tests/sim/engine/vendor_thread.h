// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of the simulated library.
#ifndef HALYARD_TESTS_SIM_ENGINE_VENDOR_THREAD_H_
#define HALYARD_TESTS_SIM_ENGINE_VENDOR_THREAD_H_

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace halyard::sim {

/// Starts a thread that takes no signals of the application, as the threads of Mesa are. So a test sees which signals
/// the threads of Halyard take.
template <class Body>
void StartVendorThread(Body body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  for (const int raised : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&all, raised);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(std::move(body)).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_VENDOR_THREAD_H_
