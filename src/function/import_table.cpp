// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/import_table.h"

#include <cstdlib>
#include <string_view>

#include "base/host_memory.h"
#include "function/function.h"
#include "function/results.h"

namespace halyard {
namespace {

constexpr std::string_view kWrapperPrefix = "_mlir_ciface_";

/// An unranked memref, as compiled code passes it.
struct UnrankedMemref {
  int64_t rank;
  int64_t* descriptor;
};

/// What memref.copy calls: both have the same sizes, and only the bytes of an element are known.
void CopyMemref(int64_t element_size, const UnrankedMemref* source, const UnrankedMemref* target) {
  const auto rank = static_cast<uint32_t>(source->rank);
  CopyElements({HAL_ELEMENT_TYPE_NONE, rank, source->descriptor}, {HAL_ELEMENT_TYPE_NONE, rank, target->descriptor},
               static_cast<size_t>(element_size));
}

/// What a failed cf.assert calls.
void GiveUp() {
  FailCall();
  std::abort();  // no call that could fail: another thread than the one that was called
}

/// What the library itself offers; NULL if it does not.
void* OwnFunction(std::string_view name) {
  if (name == "memrefCopy") return reinterpret_cast<void*>(CopyMemref);
  if (name == "abort") return reinterpret_cast<void*>(GiveUp);
  return nullptr;
}

bool IsNameOf(std::string_view given, std::string_view symbol) {
  if (given == symbol) return true;
  return symbol.starts_with(kWrapperPrefix) && symbol.substr(kWrapperPrefix.size()) == given;
}

/// A host that gives a function expects it to be called.
Status CheckWanted(ImportTable& table, std::span<const hal_function_import_t> given) {
  for (const hal_function_import_t& function : given) {
    bool wanted = false;
    for (const Import& import : table.Imports()) wanted = wanted || IsNameOf(View(function.name), import.name);
    if (wanted) continue;
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "imports: the shared object calls no function '%.*s'",
                HALYARD_SV(View(function.name)));
  }
  return kOk;
}

std::string_view MlirName(std::string_view symbol) {
  return symbol.starts_with(kWrapperPrefix) ? symbol.substr(kWrapperPrefix.size()) : symbol;
}

/// What the imports that are missing are called in MLIR, and those that are given.
HostString NamesText(ImportTable& table, std::span<const hal_function_import_t> given) {
  HostString names;
  for (const Import& import : table.Imports()) {
    if (import.target) continue;
    names.append(names.empty() ? "'" : ", '").append(MlirName(import.name)).append("'");
  }
  HostString text = "; give functions with the names in MLIR: " + names;
  HostString others;
  for (const hal_function_import_t& function : given) {
    others.append(others.empty() ? "'" : ", '").append(View(function.name)).append("'");
  }
  return others.empty() ? text : text + "; given: " + others;
}

}  // namespace

Status CheckGivenImports(std::span<const hal_function_import_t> given) {
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string_view name = View(given[i].name);
    if (name.empty()) return Fail(HAL_STATUS_INVALID_ARGUMENT, "imports[%zu].name is empty", i);
    if (given[i].function) continue;
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "imports[%zu].function is NULL, for '%.*s'", i, HALYARD_SV(name));
  }
  return kOk;
}

void* FindImport(std::string_view symbol, std::span<const hal_function_import_t> given) {
  for (const hal_function_import_t& function : given) {
    if (IsNameOf(View(function.name), symbol)) return reinterpret_cast<void*>(function.function);
  }
  return OwnFunction(symbol);
}

Status FillImports(ImportTable* table, std::span<const hal_function_import_t> given) {
  HAL_TRY(CheckGivenImports(given));
  if (!table) {
    if (given.empty()) return kOk;
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "imports: the shared object has no import table; make it with halyard-pack --mlir");
  }
  if (table->version != ImportTable::kVersion) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the shared object's import table is of version %u; this library knows %u",
                table->version, ImportTable::kVersion);
  }
  HAL_TRY(CheckWanted(*table, given));
  HostString missing;
  for (Import& import : table->Imports()) {
    import.target = FindImport(import.name, given);
    if (!import.target) missing += (missing.empty() ? "'" : ", '") + HostString(import.name) + "'";
  }
  if (missing.empty()) return kOk;
  return Fail(HAL_STATUS_NOT_FOUND, "the shared object calls %s, which params->imports does not give%s",
              missing.c_str(), NamesText(*table, given).c_str());
}

}  // namespace halyard
