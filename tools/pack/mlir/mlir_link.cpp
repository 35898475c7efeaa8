// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir_link.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "compiler_builtins.h"
#include "function/import_table.h"
#include "image/shared_object/elf_symbols.h"
#include "import_stub.h"
#include "platform/backtrace.h"
#include "platform/loader.h"
#include "support/failure.h"
#include "support/input_file.h"
#include "support/kernels/image_format.h"

namespace halyard::tools {
namespace {

using Names = std::set<std::string, std::less<>>;

// MLIR's runtime libraries: what printing, sparse tensors and asynchronous functions call. Not its float16_utils, which
// round an f64 to bf16 in two steps.
constexpr std::array kRuntimeLibraries = {"libmlir_c_runner_utils.so", "libmlir_runner_utils.so",
                                          "libmlir_async_runtime.so"};

// A function of the library whose threads do not survive that it is unloaded, so that its users stay loaded, too.
constexpr std::string_view kAsynchronous = "mlirAsyncRuntimeExecute";

/// A shared library, and what it has.
struct Library {
  std::string path;
  Names symbols;  ///< empty for archives
};

Library Open(const std::string& path) {
  Library library = {path, {}};
  const std::vector<std::byte> image = ReadFile(path);
  for (const std::string_view name : FindElfSymbols(image).value_or(ElfNames())) library.symbols.emplace(name);
  return library;
}

bool IsPath(const std::string& library) {
  return library.find('/') != std::string::npos || library.ends_with(".a") || library.ends_with(".so") ||
         library.find(".so.") != std::string::npos;
}

// A library as --link names it: a path, or NAME for libNAME.so.
Library FindLinked(const MlirTools& tools, const std::string& library, const WorkFolder& folder) {
  if (IsPath(library)) return Open(std::filesystem::absolute(library).string());
  for (const char* const ending : {".so", ".a"}) {
    const std::string path = tools.FindLibrary("lib" + library + ending, folder);
    if (path.starts_with('/')) return Open(path);
  }
  Fail(ExitCode::kInput, "--link=", library, ": the compiler finds neither lib", library, ".so nor lib", library,
       ".a; give the library's path");
}

// The runtime libraries of MLIR that are installed; packages without the developer's part have only names with a
// version, as libmlir_runner_utils.so.19.1.
std::vector<Library> FindRuntimeLibraries(const MlirTools& tools) {
  std::vector<Library> found;
  for (const char* const name : kRuntimeLibraries) {
    for (const std::string& folder : tools.LibraryFolders()) {
      std::string path;
      std::error_code none;
      for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        const std::string file = entry.path().filename().string();
        if (file.starts_with(name) && (path.empty() || file.size() < path.size())) path = entry.path().string();
      }
      // What is installed is for this machine, and the object may be for another.
      if (path.empty() || DetectFileFormat(path).target != tools.Host()) continue;
      found.push_back(Open(path));
      break;
    }
  }
  return found;
}

// Whether libm itself, not one of the libraries that it needs, has a function.
bool IsOfLibm(const std::string& name) {
  static LoadFailure failure;
  static void* const libm = OpenLibrary("libm.so.6", 0, &failure);
  const void* const address = libm ? FindSymbol(libm, name.c_str()) : nullptr;
  CodeFile file;
  if (!address || !FindCodeFile(address, &file) || !file.path) return false;
  return std::string_view(file.path).find("/libm") != std::string_view::npos;
}

bool TakesNumbersOnly(const MlirFunction& function) {
  const auto is_number = [](const MlirType& type) { return type.type.kind == HAL_VALUE_KIND_SCALAR; };
  return function.has_types && function.results.size() == 1 && std::ranges::all_of(function.arguments, is_number) &&
         std::ranges::all_of(function.results, is_number);
}

bool Has(const std::vector<Library>& libraries, std::string_view symbol) {
  return std::ranges::any_of(libraries, [&](const Library& one) { return one.symbols.contains(symbol); });
}

/// Puts together what is linked.
class Linker {
 public:
  Linker(const MlirTools& tools, const MlirLinkJob& job, const WorkFolder& folder)
      : tools_(tools), job_(job), folder_(folder) {
    for (const std::string& library : job.libraries) libraries_.push_back(FindLinked(tools, library, folder));
  }

  MlirLinked Run() {
    const Names open = OpenSymbols();
    Names declared;
    for (const MlirFunction& function : job_.declared) {
      const std::string symbol = ImportedSymbol(function);
      declared.insert(symbol);
      if (open.contains(symbol)) Resolve(function, symbol);
    }
    for (const std::string& symbol : open) {
      if (!declared.contains(symbol)) ResolveOther(symbol);
    }
    imports_.insert(imports_.end(), {"memrefCopy", "abort"});
    return {Link(), imports_};
  }

 private:
  // What the object and the given archives leave open.
  Names OpenSymbols() const {
    const std::string probe = folder_ / "probe.so";
    std::vector<std::string> arguments = {job_.object};
    AddLibraries(&arguments);
    arguments.insert(arguments.end(), {"-lm", "-o", probe});
    tools_.Link(arguments, folder_);
    const std::vector<std::byte> image = ReadFile(probe);
    Names open;
    for (const std::string_view name : FindElfImports(image).value_or(ElfNames())) open.emplace(name);
    return open;
  }

  void Resolve(const MlirFunction& function, const std::string& symbol) {
    if (Has(libraries_, symbol)) return;
    if (!function.has_c_interface && TakesNumbersOnly(function) && IsOfLibm(symbol)) return;
    if (!TakeFromRuntime(symbol)) imports_.push_back(symbol);
  }

  void ResolveOther(const std::string& symbol) {
    if (Has(libraries_, symbol) || symbol == "memrefCopy" || symbol == "abort") return;
    if (FindSymbolOfProcess(symbol.c_str()) || TakeFromRuntime(symbol)) return;
    needs_builtins_ = true;
  }

  bool TakeFromRuntime(const std::string& symbol) {
    if (!runtime_) runtime_ = FindRuntimeLibraries(tools_);
    if (Has(libraries_, symbol)) return true;
    for (const Library& library : *runtime_) {
      if (!library.symbols.contains(symbol)) continue;
      libraries_.push_back(library);
      return true;
    }
    return false;
  }

  // The loader looks for a library where it lies now, unless the system's configuration knows it.
  void AddLibraries(std::vector<std::string>* arguments) const {
    for (const Library& library : libraries_) {
      arguments->push_back(library.path);
      const std::string folder = std::filesystem::path(library.path).parent_path().string();
      if (!library.symbols.empty()) arguments->push_back("-Wl,-rpath," + folder);
    }
  }

  std::string ExportedSymbols() const {
    std::string text = "{\n  global:\n";
    for (const std::string& symbol : job_.exported) text += "    \"" + symbol + "\";\n";
    return text + "    \"" + ImportTable::kSymbol + "\";\n  local: *;\n};\n";
  }

  std::string Link() const {
    std::string path = folder_ / "module.so";
    std::vector<std::string> arguments = {job_.object, folder_.Write("stub.c", ImportStub(imports_))};
    AddLibraries(&arguments);
    if (needs_builtins_) {
      const std::string builtins = tools_.FindBuiltins(folder_);
      arguments.push_back(builtins.empty() ? folder_.Write("builtins.c", kCompilerBuiltins) : builtins);
    }
    if (Has(libraries_, kAsynchronous)) arguments.emplace_back("-Wl,-z,nodelete");
    arguments.insert(arguments.end(),
                     {"-lm", "-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL",
                      "-Wl,--version-script=" + folder_.Write("exports.map", ExportedSymbols()), "-o", path});
    tools_.Link(arguments, folder_);
    return path;
  }

  const MlirTools& tools_;
  const MlirLinkJob& job_;
  const WorkFolder& folder_;
  std::vector<Library> libraries_;
  std::optional<std::vector<Library>> runtime_;
  std::vector<std::string> imports_;
  bool needs_builtins_ = false;
};

}  // namespace

MlirLinked LinkMlir(const MlirTools& tools, const MlirLinkJob& job, const WorkFolder& folder) {
  return Linker(tools, job, folder).Run();
}

}  // namespace halyard::tools
