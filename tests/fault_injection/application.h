// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vendor's API as an application uses it beside the library: streams and events of its own, on the device.
#ifndef HALYARD_TESTS_FAULT_INJECTION_APPLICATION_H_
#define HALYARD_TESTS_FAULT_INJECTION_APPLICATION_H_

#include <cstdint>
#include <vector>

#include "fault_injection/scenarios/scenario.h"
#include "stream_drivers/vendor.h"

namespace halyard::fault_injection {

using interop::Event;
using interop::Stream;

/// Its calls of the vendor's API are counted and may be made to fail. They then throw, with a message as the checks
/// expect it. Objects are destroyed after their work has ended, as far as that is known.
class Application {
 public:
  /// Asks the device for its interface and its context.
  explicit Application(const cts::Device& device);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  const interop::InteropFunctions& interop() const { return interop_; }

  Stream MakeStream();
  Event MakeEvent();
  /// Fills `count` words of the device's memory.
  void Fill(Stream stream, uint64_t address, uint32_t word, size_t count);
  void Record(Event event, Stream stream);
  void Wait(Stream stream, Event event);
  /// Waits on the host.
  void Synchronize(Stream stream);

 private:
  template <class Call>
  void InContext(const Call& call);

  const cts::Device device_;
  const uintptr_t context_;
  const interop::InteropFunctions interop_;
  std::vector<Stream> streams_;
  std::vector<Stream> filled_;  // a queue's among them, which knows nothing of what came from here
  std::vector<Event> events_;
};

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_APPLICATION_H_
