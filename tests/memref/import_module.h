// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules that halyard-pack compiles, and what the host gives them to call.
#ifndef HALYARD_TESTS_MEMREF_IMPORT_MODULE_H_
#define HALYARD_TESTS_MEMREF_IMPORT_MODULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halyard/halyard.h"
#include "support/program/command.h"

namespace halyard::testing {

/// A memref<?xf32>, as compiled code passes it.
struct Memref1 {
  float* allocated;
  float* aligned;
  int64_t offset, size, stride;
};

/// A memref<*xf32>. As a result, its descriptor is memory of malloc().
struct UnrankedMemref {
  int64_t rank;
  void* descriptor;
};

template <typename Function>
hal_function_import_t Import(const char* name, Function* function) {
  return {hal_string_view(name), reinterpret_cast<void (*)()>(function)};
}

/// Compiles and packs a module; returns the file's path.
std::string PackMlir(const tools::WorkFolder& folder, const std::string& text, std::vector<std::string> options = {});

/// Makes an executable of a file.
hal_status_t LoadPacked(hal_device_t* device, const std::string& path,
                        const std::vector<hal_function_import_t>& imports, hal_executable_t** out_executable);

/// Compiles and packs a module, and makes an executable of it.
hal_status_t LoadMlir(hal_device_t* device, const tools::WorkFolder& folder, const char* text,
                      const std::vector<hal_function_import_t>& imports, hal_executable_t** out_executable);

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_MEMREF_IMPORT_MODULE_H_
