// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vendor's runtime library, loaded when a driver is asked for.
#ifndef HALYARD_DRIVER_KIT_DEVICE_VENDOR_LIBRARY_H_
#define HALYARD_DRIVER_KIT_DEVICE_VENDOR_LIBRARY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/dynamic_library.h"
#include "base/host_memory.h"
#include "base/process_wide.h"
#include "base/status.h"
#include "platform/process.h"

namespace halyard {

/// The library of one vendor. It stays loaded, since such libraries leave threads behind.
class VendorLibrary {
 public:
  VendorLibrary() = default;
  ~VendorLibrary() { file_.Keep(); }
  VendorLibrary(const VendorLibrary&) = delete;
  VendorLibrary& operator=(const VendorLibrary&) = delete;

  /// Opens the file that the environment variable names, else the first of `files` that can be opened.
  /// @param what  for the message: "CUDA driver"
  /// @return UNAVAILABLE, with the loader's message for the first file
  Status Open(const char* what, const char* variable, std::span<const char* const> files);

  /// NULL if there is none.
  void* Find(const char* symbol) const { return file_.Find(symbol); }
  /// What was opened.
  const HostString& path() const { return path_; }

 private:
  DynamicLibrary file_;
  HostString path_;
};

/// UNAVAILABLE in a child of fork() whose parent has loaded a library that does not work there.
/// @param loaded_in  the process that has loaded it first, or 0
Status CheckNotForked(const char* what, uint64_t loaded_in);

/// Gives the process its one Library, which the first call that succeeds loads with Library::Load(). UNAVAILABLE in a
/// child of fork() if the parent has loaded it and Library::kWorksAfterFork is false. Thread-safe; blocks.
template <class Library>
Status LoadOnce(const Library** out_library) {
  static constinit std::atomic<uint64_t> loaded_in{0};
  const Library* library = ProcessWide<Library>::Find();
  if (!library) {
    if constexpr (!Library::kWorksAfterFork) HAL_TRY(CheckNotForked(Library::kWhat, loaded_in.load()));
    auto loaded = std::make_unique<Library>();
    HAL_TRY(loaded->Load());
    loaded_in.store(ProcessId());
    library = &ProcessWide<Library>::Keep(std::move(loaded));
  }
  *out_library = library;
  return kOk;
}

/// Fails with "call: name (text)", where the vendor gave them, or "call: error code".
Status FailVendorCall(hal_status_t status, const char* call, const char* name, const char* text, int code);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_VENDOR_LIBRARY_H_
