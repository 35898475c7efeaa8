// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_module.h"

#include <string>

#include "support/program_command.h"

namespace halyard::testing {

std::string PackMlir(const tools::WorkFolder& folder, const std::string& text, std::vector<std::string> options) {
  std::string path = folder / "m.halx";
  std::vector<std::string> command =
      ProgramCommand(HALYARD_PACK, {"--mlir=" + folder.Write("m.mlir", text), "--output=" + path});
  command.insert(command.end(), options.begin(), options.end());
  tools::RunCommand(command, folder);
  return path;
}

hal_status_t LoadPacked(hal_device_t* device, const std::string& path,
                        const std::vector<hal_function_import_t>& imports, hal_executable_t** out_executable) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.path = hal_string_view_t{path.data(), path.size()};
  params.imports = imports.data();
  params.import_count = imports.size();
  return hal_executable_create(device, &params, out_executable);
}

hal_status_t LoadMlir(hal_device_t* device, const tools::WorkFolder& folder, const char* text,
                      const std::vector<hal_function_import_t>& imports, hal_executable_t** out_executable) {
  return LoadPacked(device, PackMlir(folder, text), imports, out_executable);
}

}  // namespace halyard::testing
