// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of this folder ask of the vendor's layer, beside engine/vendor.h.
#ifndef HALYARD_TESTS_SIM_STREAM_API_VENDOR_H_
#define HALYARD_TESTS_SIM_STREAM_API_VENDOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "engine/device.h"
#include "engine/error.h"
#include "engine/rules.h"

namespace halyard::sim {

// What must be there before a function may be called.
enum class Requires {
  kNothing,
  kInit,     // the library is initialised
  kContext,  // there is a current context that is not lost
};

// The vendor's number of each answer, the first of those with one number being what the number means. The last row
// stands for numbers that have no row.
std::span<const std::pair<Error, int>> VendorErrors();
// By its name in the vendor's headers.
std::optional<int> VendorResult(std::string_view name);

// The context that calls of this thread are made in; null if there is none. Takes no lock.
std::shared_ptr<Context> CurrentContext();
// Whether a function may be called now, the rules about captures and host functions aside. Takes the runtime's lock.
Error CallState(const char* name, Requires needed);
// Whether the current context does no more work after a result that a test asked for.
bool LosesContext(int result);
// Functions that wait, query or allocate beside all streams, so that captures may forbid them.
bool IsUnsafeCall(std::string_view name);

// Where the vendor's library differs, in the version that is simulated.
Rules VendorRules();

// Attributes of devices, by the vendor's numbers.
using Attributes = std::map<int, int>;
Attributes StandardAttributes(int ordinal);
// By its name without the prefix that all have.
std::optional<int> AttributeNumber(std::string_view name);
// Tells the engine what follows from a device's attributes.
void ApplyLimits(const Attributes& attributes, Limits* limits);

// How `extra` of a launch marks its end, the address of the arguments and their size.
struct ExtraMarkers {
  uintptr_t end;
  uintptr_t buffer;
  uintptr_t size;
};
ExtraMarkers VendorExtraMarkers();

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_VENDOR_H_
