// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/utsname.h>

#include <algorithm>
#include <string_view>

#include "platform/system_facts.h"

namespace halyard {
namespace {

void Copy(std::string_view from, std::array<char, 256>* to) {
  from.copy(to->data(), std::min(from.size(), to->size() - 1));
}

}  // namespace

SystemVersion ReadSystemVersion() {
  SystemVersion version;
  utsname system = {};
  if (uname(&system) != 0) return version;
  Copy(system.sysname, &version.name);
  Copy(system.release, &version.version);
  return version;
}

}  // namespace halyard
