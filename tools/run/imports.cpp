// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "imports.h"

#include <algorithm>
#include <span>

#include "base/dynamic_library.h"
#include "function/import_table.h"
#include "image/halx/container.h"
#include "image/shared_object/open_image.h"
#include "platform/loader.h"
#include "support/failure.h"
#include "support/input_file.h"
#include "support/kernels/image_format.h"
#include "support/program/check.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// The names in the import table of an image; none if it has no table, or is for another machine.
std::vector<std::string> WantedBy(std::span<const std::byte> image) {
  DynamicLibrary library;
  std::vector<std::string> names;
  if (!Succeeds(OpenImage(image, &library))) return names;
  auto* const table = static_cast<ImportTable**>(library.Find(ImportTable::kSymbol));
  if (!table || (*table)->version != ImportTable::kVersion) return names;
  for (const Import& import : (*table)->Imports()) names.emplace_back(import.name);
  return names;
}

std::vector<std::string> WantedBy(const std::string& path, const std::string& format) {
  if (format == HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT) return WantedBy(ReadFile(path));
  std::vector<std::string> names;
  if (format != kContainerFormat) return names;
  Container container;
  Check(Publish(container.Open(path.c_str())), ExitCode::kInput, "read '" + path + "'");
  for (const ContainerVariant& variant : container.contents().variants) {
    if (variant.format != HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT) continue;
    for (std::string& name : WantedBy(variant.image)) names.push_back(std::move(name));
  }
  return names;
}

void* Open(const std::string& path) {
  // A name without a slash means a file here, too.
  LoadFailure failure;
  void* library = OpenLibrary(path.c_str(), 0, &failure);
  if (!library && path.find('/') == std::string::npos) library = OpenLibrary(("./" + path).c_str(), 0, &failure);
  if (library) return library;
  Fail(ExitCode::kInput, "--import=", path, ": ", failure.reason);
}

// What the library gives itself, unless it is given another.
bool IsOwn(const std::string& name) { return name == "memrefCopy" || name == "abort"; }

}  // namespace

Imports::Imports(const RunOptions& options, const std::string& format) {
  if (options.imports.empty()) return;
  const std::vector<std::string> wanted = WantedBy(options.executable, format);
  for (const std::string& path : options.imports) {
    void* const library = Open(path);
    bool is_used = false;
    for (const std::string& name : wanted) {
      void* const address = IsOwn(name) ? nullptr : FindSymbol(library, name.c_str());
      if (!address || std::ranges::find(names_, name) != names_.end()) continue;
      names_.push_back(name);
      functions_.push_back({{}, reinterpret_cast<void (*)()>(address)});
      is_used = true;
    }
    if (is_used) continue;
    const std::string names = wanted.empty() ? "imports nothing" : Concat("imports ", JoinText(wanted));
    Fail(ExitCode::kInput, "--import=", path, ": '", options.executable, "' takes nothing from it; it ", names);
  }
  for (size_t i = 0; i < names_.size(); ++i) functions_[i].name = {names_[i].data(), names_[i].size()};
}

void Imports::SetIn(hal_executable_params_t* params) const {
  params->imports = functions_.data();
  params->import_count = functions_.size();
}

}  // namespace halyard::tools
