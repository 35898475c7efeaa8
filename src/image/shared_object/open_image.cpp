// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/open_image.h"

#include "image/shared_object/elf_check.h"
#include "image/shared_object/elf_symbols.h"
#include "image/shared_object/transient_file.h"

namespace halyard {
namespace {

/// The loader names the first symbol that is missing, and its message is gone once another library is opened.
Status FailToOpen(std::span<const std::byte> image, std::string_view message) {
  const UnresolvedImports missing = FindUnresolvedImports(image);
  if (!missing.empty()) return Fail(HAL_STATUS_NOT_FOUND, "the shared object %s", UnresolvedText(missing).c_str());
  return Fail(HAL_STATUS_DATA_LOSS, "the image of %zu bytes is not a shared object that this host can load: %.*s",
              image.size(), HALYARD_SV(message));
}

}  // namespace

Status OpenImage(std::span<const std::byte> image, DynamicLibrary* library) {
  HAL_TRY(CheckElfImage(image));
  TransientFile file;
  HAL_TRY(file.Create(image));
  Failure failure(library->Open(file.path().c_str(), image.size()));
  return failure.code() == HAL_STATUS_NOT_FOUND ? FailToOpen(image, failure.message()) : failure.Take();
}

}  // namespace halyard
