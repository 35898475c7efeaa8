// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the code of an executable is: in a shared object that the system loaded, in an object that the library linked,
// or in functions that the process already has.
#ifndef HALYARD_DRIVERS_LOCAL_EXECUTABLE_HOST_CODE_H_
#define HALYARD_DRIVERS_LOCAL_EXECUTABLE_HOST_CODE_H_

#include <memory>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/executable.h"
#include "image/host_object/linked_object.h"

namespace halyard::local {

/// Immutable once made.
class HostCode : public HostObject {
 public:
  virtual ~HostCode() = default;
  HostCode() = default;
  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;

  /// What it is called in messages: "the shared object".
  virtual const char* Name() const = 0;
  /// Whether its abort() can end the call of a function, instead of the process.
  virtual bool IsGuarded() const = 0;
  /// The code of an export, which is a symbol where code has some; NULL if there is none.
  virtual const void* FindCode(uint32_t ordinal, const HostString& symbol) const = 0;
  /// Whether there is such a symbol.
  virtual bool Has(const HostString& symbol) const = 0;
  /// As hal_executable_find_global().
  virtual Status FindVariable(const HostString& symbol, void** out_address, uint64_t* out_size) const = 0;
};

/// The formats of which MakeHostCode() makes code.
bool IsHostFormat(std::string_view format);

/// Loads, links or takes the code of an executable.
Status MakeHostCode(const hal_executable_params_t& params, CodeArenas& arenas, std::unique_ptr<HostCode>* out_code);

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_EXECUTABLE_HOST_CODE_H_
