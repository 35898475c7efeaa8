// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_reflection.h"

#include "image/reflection/reflection.h"
#include "reflect/spirv_reflection.h"
#include "support/failure.h"
#include "support/kernels/image_format.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// Devices take what the library's own reader takes, whatever the validator says of it. Of what the reader does not take
// the validator knows more, unless it is right and for another API.
void HearValidator(const std::string& path, std::span<const std::byte> image, hal_status_t status,
                   std::vector<std::string>* notes) {
  try {
    if (status != HAL_STATUS_INCOMPATIBLE) ValidateSpirv(path, image);
  } catch (const InvalidSpirv& invalid) {
    if (status != HAL_STATUS_OK) throw;
    notes->push_back(
        Concat("'", path, "' is packed as it is, although SPIRV-Tools' validator refuses it: ", invalid.complaint()));
  }
}

}  // namespace

std::optional<ImageReflection> ReflectImage(const std::string& path, const std::string& format,
                                            std::span<const std::byte> image) {
  if (!CanReflect(format)) return std::nullopt;
  ImageReflection result;
  result.origin = path;
  result.format = format;
  const halyard::Failure failure(Reflect(format, image, &result));
  if (format == "spirv") HearValidator(path, image, failure.code(), &result.notes);
  if (failure.code() == HAL_STATUS_NOT_FOUND) return std::nullopt;
  if (failure) Fail(ExitCode::kInput, "'", path, "': ", failure.message());
  return result;
}

}  // namespace halyard::tools
