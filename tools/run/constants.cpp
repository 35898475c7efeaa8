// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "constants.h"

#include <algorithm>

#include "function/value_type.h"
#include "support/element.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

void Put(const ConstantArgument& constant, size_t offset, std::vector<std::byte>* bytes) {
  std::ranges::copy(constant.bytes, bytes->begin() + static_cast<ptrdiff_t>(offset));
}

// Integers of one width may be written with any sign; mere bytes (NONE) stand for everything.
bool MayBeWrittenFor(hal_element_type_t given, hal_element_type_t scalar) {
  if (given == HAL_ELEMENT_TYPE_NONE || given == scalar) return true;
  return IsInteger(given) && IsInteger(scalar) && ElementBits(given) == ElementBits(scalar);
}

void CheckScalars(const Kernel& kernel, const std::vector<ConstantArgument>& constants) {
  if (constants.size() != kernel.scalars.size()) {
    Fail(ExitCode::kUsage, "--constant is given ", constants.size(), constants.size() == 1 ? " time" : " times",
         ", but the function takes ", kernel.scalars.size(),
         kernel.scalars.size() == 1 ? " scalar: " : " scalars: ", SignatureText(kernel));
  }
  for (size_t i = 0; i < constants.size(); ++i) {
    const hal_element_type_t scalar = kernel.signature->arguments[kernel.scalars[i]].element_type;
    if (MayBeWrittenFor(constants[i].type, scalar)) continue;
    Fail(ExitCode::kUsage, "--constant=", constants[i].text, " is ", ElementTypeText(constants[i].type),
         ", but argument ", kernel.scalars[i], " of '", kernel.name, "' is ", ElementTypeText(scalar));
  }
}

std::vector<std::byte> PlaceByParameter(const Kernel& kernel, const std::vector<ConstantArgument>& constants) {
  std::vector<std::byte> bytes(kernel.constants_size);
  for (size_t i = 0; i < constants.size(); ++i) {
    const hal_parameter_t& parameter = kernel.constants[i];
    if (constants[i].bytes.size() != parameter.size) {
      Fail(ExitCode::kUsage, "--constant=", constants[i].text, " has ", BytesText(constants[i].bytes.size()),
           ", but constant ", i, " of '", kernel.name, "' has ", BytesText(parameter.size));
    }
    Put(constants[i], parameter.offset, &bytes);
  }
  return bytes;
}

std::vector<std::byte> PlaceAsStruct(const std::vector<ConstantArgument>& constants) {
  std::vector<std::byte> bytes;
  size_t alignment = 1;
  for (const ConstantArgument& constant : constants) {
    const size_t offset = (bytes.size() + constant.alignment - 1) / constant.alignment * constant.alignment;
    bytes.resize(offset + constant.bytes.size());
    Put(constant, offset, &bytes);
    alignment = std::max(alignment, constant.alignment);
  }
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
  return bytes;
}

}  // namespace

std::vector<std::byte> PlaceConstants(const Kernel& kernel, const std::vector<ConstantArgument>& constants) {
  if (kernel.signature) CheckScalars(kernel, constants);
  if (!constants.empty() && constants.size() == kernel.constants.size()) return PlaceByParameter(kernel, constants);
  std::vector<std::byte> bytes = PlaceAsStruct(constants);
  if (bytes.size() == kernel.constants_size) return bytes;
  Fail(ExitCode::kUsage, "the kernel takes ", BytesText(kernel.constants_size), " of constants, but --constant gives ",
       BytesText(bytes.size()), ": ", SignatureText(kernel));
}

}  // namespace halyard::tools
