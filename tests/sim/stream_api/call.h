// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way into the simulation: every exported function goes through Carry(), which counts it, lets it fail on demand
// and holds the caller to what all functions require.
#ifndef HALYARD_TESTS_SIM_STREAM_API_CALL_H_
#define HALYARD_TESTS_SIM_STREAM_API_CALL_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>

#include "engine/calls_inside.h"
#include "engine/completion.h"
#include "engine/runtime.h"
#include "engine/vendor.h"
#include "stream_api/vendor.h"

namespace halyard::sim {

// What the vendors call an unknown error.
inline constexpr int kUnknownResult = 999;

// The threads inside calls of this library.
CallsInside& TheCallsInside();
// The vendor's answer of a call that ends here, if it does.
std::optional<int> Refusal(const char* name, Requires needed);

// Runs the body under the runtime's lock and returns the vendor's answer. `name` is the exported one.
template <typename Body>
int Carry(const char* name, Requires needed, Body body) {
  const CallsInside::Visit visit(TheCallsInside(), name);
  if (const std::optional<int> refusal = Refusal(name, needed)) return *refusal;
  Lock lock(Runtime::Get().mutex);
  if constexpr (std::is_invocable_v<Body, Lock&>) {
    return ToVendor(body(lock));
  } else {
    return ToVendor(body());
  }
}

// An address or a handle that a caller passes, whatever the vendor's type for it.
class Word {
 public:
  template <typename Value>
  Word(Value value) : value_(std::bit_cast<uintptr_t>(value)) {}  // NOLINT(google-explicit-constructor)

  operator uintptr_t() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  uintptr_t value_;
};

// Where a caller wants an address, a handle or a number of 64 bits, whatever the vendor's type for it. May be null.
class Out {
 public:
  template <typename Value>
  Out(Value* place) : place_(place) {  // NOLINT(google-explicit-constructor)
    static_assert(sizeof(Value) == sizeof(uintptr_t));
  }

  bool IsNull() const { return place_ == nullptr; }
  void Put(uint64_t value) const { std::memcpy(place_, &value, sizeof(value)); }
  void Put(const void* object) const { Put(reinterpret_cast<uintptr_t>(object)); }

 private:
  void* place_;
};

// The objects behind handles; null with a report if there are none. Null and 1 mean the default stream, 2 that of the
// calling thread. One that is being captured takes no work here: null with a report, too, except for FindAnyStream().
std::shared_ptr<Stream> FindStream(const void* handle);
std::shared_ptr<Stream> FindAnyStream(const void* handle);
std::shared_ptr<Event> FindEvent(const void* handle);
Device* FindDevice(int ordinal);

// Copies a text as far as it fits, always ended by NUL.
Error CopyText(const char* text, char* out, int capacity);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_CALL_H_
