// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/properties.h"

#include <cstring>

namespace halyard::hip::abi {
namespace {

constexpr size_t kTextSize = kArchitectureSize;  // of the name, too

}  // namespace

void FillProperties(const PropertiesLayout& layout, std::string_view name, std::string_view architecture,
                    void* properties) {
  auto* const bytes = static_cast<char*>(properties);
  std::memset(bytes, 0, layout.size);
  name.copy(bytes, kTextSize - 1);
  architecture.copy(bytes + layout.architecture, kTextSize - 1);
}

}  // namespace halyard::hip::abi
