// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What objects of the host may call: the caller's functions, the library's own, those of the C library.
#ifndef HALYARD_IMAGE_HOST_OBJECT_HOST_EXTERNALS_H_
#define HALYARD_IMAGE_HOST_OBJECT_HOST_EXTERNALS_H_

#include <span>

#include "halyard/executable.h"
#include "image/host_object/object_link.h"

namespace halyard {

class HostExternals final : public Externals {
 public:
  /// @param given  found by their names, and as `_mlir_ciface_<name>`; those that the object does not call do not count
  explicit HostExternals(std::span<const hal_function_import_t> given) : given_(given) {}

  uint64_t Find(std::string_view name) override;
  bool IsFunction(uint64_t address) override;

  /// Whether the object calls an abort() that can end the call of a function instead of the process.
  bool gives_abort() const { return gives_abort_; }

 private:
  const std::span<const hal_function_import_t> given_;
  bool gives_abort_ = false;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_HOST_OBJECT_HOST_EXTERNALS_H_
