// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device URIs: `driver`, `driver://id`, `driver://id?key=value&key=value`.
#ifndef HALYARD_CORE_REGISTRY_URI_H_
#define HALYARD_CORE_REGISTRY_URI_H_

#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"

namespace halyard {

/// A URI taken apart, with its percent-encoding undone.
struct Uri {
  struct Parameter {
    HostString key;
    HostString value;
  };

  HostString driver;
  HostString id;  ///< empty for the driver's default device
  HostVector<Parameter> parameters;
};

/// Whether `name` can name a driver: lower-case letters, digits, '-' and '_', at least one.
bool IsDriverName(std::string_view name);

/// INVALID_ARGUMENT if it is malformed, with what is wrong.
Status ParseUri(std::string_view text, Uri* uri);

}  // namespace halyard

#endif  // HALYARD_CORE_REGISTRY_URI_H_
