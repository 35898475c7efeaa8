// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/functions/host_conventions.h"

#include <unordered_set>

#include "function/c_types.h"
#include "halyard/local_kernel.h"
#include "halyard/local_kernel_record.h"
#include "image/shared_object/elf_reader.h"
#include "image/shared_object/elf_symbols.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

bool HasRecords(std::span<const std::byte> image) {
  ElfReader reader;
  return Succeeds(reader.Open(image, "the shared object")) && reader.FindSection(HAL_LOCAL_KERNEL_SECTION);
}

}  // namespace

void CheckHostConventions(const std::string& path, std::span<const std::byte> image,
                          const std::vector<ExportDescription>& exports) {
  const auto symbols = FindElfSymbols(image);
  if (!symbols) return;
  const std::unordered_set<std::string_view> known(symbols->begin(), symbols->end());
  const bool has_records = HasRecords(image);
  for (const ExportDescription& description : exports) {
    const std::string& symbol = description.SymbolIn(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
    const bool is_marked = known.contains(HAL_LOCAL_KERNEL_MARK_PREFIX + symbol);
    const bool is_kernel = !description.signature;
    if (!is_kernel && is_marked && IsC(description.signature->Get().convention)) {
      Fail(ExitCode::kInput, "'", path, "': '", symbol,
           "' is a workgroup kernel (halyard/local_kernel.h), but its description says that it is a plain C function");
    }
    if (!is_kernel || is_marked || has_records || description.says_kernel) continue;
    Fail(ExitCode::kInput, "'", path, "' does not say that '", symbol,
         "' is a workgroup kernel, and another function would be called wrongly. Describe a plain C function with "
         "\"convention\": \"c\" and \"arguments\"; define a kernel by HAL_LOCAL_KERNEL of today's "
         "halyard/local_kernel.h, "
         "or describe it with \"convention\": \"workgroup\"");
  }
}

}  // namespace halyard::tools
