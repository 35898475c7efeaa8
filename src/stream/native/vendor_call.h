// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls functions of a vendor's library with Halyard's types, and exempts calls from other threads' captures.
//
// A Vendor is a struct of constants that says how CUDA or HIP names what both have: CudaVendor is one. Its Library has
//
//     Status Check(const char* name, Result result) const;  // turns a result into a status
//     void Ignore(Result result) const;                     // of a call whose failure changes nothing
#ifndef HALYARD_STREAM_NATIVE_VENDOR_CALL_H_
#define HALYARD_STREAM_NATIVE_VENDOR_CALL_H_

#include <type_traits>

#include "base/status.h"

namespace halyard::stream {

/// A function of a library, with its name for messages.
template <class Functions, class Pointer>
struct VendorCall {
  Pointer Functions::*function;
  const char* name;
};

/// Declares a constant of a Vendor: `HALYARD_VENDOR_CALL(RecordEvent, CudaFunctions, cuEventRecord);` is kRecordEvent.
#define HALYARD_VENDOR_CALL(operation, functions, name)                                                 \
  static constexpr ::halyard::stream::VendorCall<functions, decltype(functions::name)> k##operation = { \
      &functions::name, #name}

/// Converts a handle or an address of Halyard to the vendor's type for it, and numbers as C does.
template <class Target, class Source>
Target ToVendor(Source value) {
  if constexpr (std::is_null_pointer_v<Source>) {
    return nullptr;
  } else if constexpr (std::is_pointer_v<Target> || std::is_pointer_v<Source>) {
    return reinterpret_cast<Target>(value);
  } else {
    return static_cast<Target>(value);
  }
}

/// Calls a function with converted arguments; what it returns is the vendor's result.
template <class Library, class Functions, class Result, class... Parameters, class... Arguments>
Result CallVendor(const Library& library, const VendorCall<Functions, Result (*)(Parameters...)>& call,
                  Arguments... arguments) {
  return (library.*call.function)(ToVendor<Parameters>(arguments)...);
}

/// Lets this thread make calls that may be unsafe while another thread captures a stream. These are queries, waits,
/// allocating and freeing (memory, also in the order of a stream, graphs and code), and loading, which may wait when it
/// is lazy. A capture in the vendor's default mode forbids these to every thread of the process: such a call fails, and
/// invalidates the capture. Halyard's calls have nothing to do with what is captured. The launches, copies and records
/// of a submission need no exemption. The destructor restores the thread's mode.
template <class Vendor>
class CaptureExemption {
 public:
  using Library = typename Vendor::Library;

  explicit CaptureExemption(const Library& library) : library_(library), changed_(Exchange()) {}
  ~CaptureExemption() {
    // As with TryTwice(): a failure would leave something behind permanently.
    if (changed_ && !Exchange()) static_cast<void>(Exchange());
  }
  CaptureExemption(const CaptureExemption&) = delete;
  CaptureExemption& operator=(const CaptureExemption&) = delete;

 private:
  bool Exchange() {
    const auto result = CallVendor(library_, Vendor::kExchangeCaptureMode, &mode_);
    library_.Ignore(result);
    return result == Vendor::kSuccess;
  }

  const Library& library_;
  typename Vendor::CaptureMode mode_ = Vendor::kRelaxedCapture;  // what it was before, from then on
  const bool changed_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_VENDOR_CALL_H_
