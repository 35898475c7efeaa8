// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exports_text.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "function/value_type.h"
#include "halyard/memref.h"

namespace halyard::tools {
namespace {

/// A file without a place in any file system, one for all inputs.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("exports", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string Write(std::string_view text) {
    const auto size = static_cast<ssize_t>(text.size());
    if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, text.data(), text.size(), 0) != size) std::abort();
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

}  // namespace

DescriptionFile ReadDescriptionText(std::string_view text) {
  static MemoryFile file;
  return ReadDescriptionFile(file.Write(text));
}

std::vector<ExportDescription> ReadExportsText(std::string_view text) {
  return ReadExportDescriptions(ReadDescriptionText(text));
}

std::string PrintExports(const std::vector<ExportDescription>& exports) {
  Json list = Json::array();
  for (const hal_export_info_t& info : ToExportInfos(exports, "")) list.push_back(ToJson(info));
  return JsonText({{"exports", list}});
}

}  // namespace halyard::tools

// That of the core, which is not built here, for texts that fit.
hal_status_t hal_value_type_format(const hal_value_type_t* type, char* text, size_t size, size_t* out_length) {
  const halyard::HostString words = halyard::TypeText(*type);
  if (out_length) *out_length = words.size();
  if (size <= words.size()) return HAL_STATUS_OUT_OF_RANGE;
  words.copy(text, words.size());
  text[words.size()] = '\0';
  return HAL_STATUS_OK;
}
