// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points as a file of JSON describes them, for images that do not tell themselves what they export.
//
//   {
//     "exports": [
//       {
//         "name": "saxpy",
//         "workgroup_size": [64, 1, 1],
//         "parameters": [
//           {"kind": "constant", "offset": 0, "size": 4},
//           {"kind": "binding", "binding": 0, "access": "read"},
//           {"kind": "binding", "binding": 1, "access": "read_write"}
//         ]
//       }
//     ]
//   }
//
// docs/tools.md has every key.
#ifndef HALYARD_TOOLS_SUPPORT_EXPORT_DESCRIPTION_H_
#define HALYARD_TOOLS_SUPPORT_EXPORT_DESCRIPTION_H_

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/executable.h"
#include "support/functions/mlir_functions.h"
#include "support/json.h"

namespace halyard::tools {

/// What is known of a parameter beyond its place.
struct ParameterNote {
  std::string name;                                         ///< as in the source; empty if unknown
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;  ///< of a constant, or of what a pointer points to
  bool is_guess = false;                                    ///< whether it is an address or a number, or what is in it
  std::vector<uint32_t> addresses = {};  ///< of a constant: where the code finds some; kAnyOffset last
};

/// Sizes of subgroups, in work-items: least and most; 0 where there is no bound.
struct SubgroupBounds {
  uint32_t least = 0;
  uint32_t most = 0;

  bool IsGiven() const { return least > 0 || most > 0; }
};

/// One entry point.
struct ExportDescription {
  std::string name;
  std::string symbol;                          ///< its name in the images, if different
  std::map<std::string, std::string> symbols;  ///< its name in the images of one format, by format
  hal_dim3_t workgroup_size = {1, 1, 1};
  uint32_t local_memory_size = 0;  ///< bytes
  uint32_t constants_size = 0;     ///< bytes
  SubgroupBounds subgroups;        ///< that it is made for
  std::vector<hal_parameter_t> parameters;
  std::vector<hal_tensor_map_t> tensor_maps;       ///< of the parameters that are one, in their order
  std::vector<ParameterNote> notes;                ///< [parameter]
  std::shared_ptr<const MlirSignature> signature;  ///< of a function; NULL for kernels
  bool says_kernel = false;                        ///< whether the description says that it is a workgroup kernel
  bool says_workgroup_size = false;                ///< whether the description has the key
  bool says_local_memory_size = false;             ///< the same
  bool says_parameters = false;                    ///< the same, of the parameters or the size of the constants

  /// Its name in an image of `format`.
  const std::string& SymbolIn(const std::string& format) const;
};

/// "32", "16-64", "16-", "-32": one size, or the least and the most. Nothing if it is something else: sizes are powers
/// of two.
std::optional<SubgroupBounds> ParseSubgroupBounds(std::string_view text);
/// "32", "16 to 64", "16 or more".
std::string SubgroupText(const SubgroupBounds& bounds);
/// Those of what holds for each launch of a kernel.
template <class Launch>
SubgroupBounds SubgroupsOf(const Launch& launch) {
  if (launch.subgroup_size > 0) return {launch.subgroup_size, launch.subgroup_size};
  return {launch.min_subgroup_size, launch.max_subgroup_size};
}
/// Writes them there.
template <class Launch>
void SetSubgroups(const SubgroupBounds& bounds, Launch* launch) {
  const bool is_exact = bounds.least == bounds.most;
  launch->subgroup_size = is_exact ? bounds.least : 0;
  launch->min_subgroup_size = is_exact ? 0 : bounds.least;
  launch->max_subgroup_size = is_exact ? 0 : bounds.most;
}

/// A file that --exports names. It may be a pipe, so it is read once for all that it describes.
struct DescriptionFile {
  std::string path;  ///< empty if there is none
  Json document;
};

/// Reads the file, or none for an empty path. Throws Failure (kInput).
DescriptionFile ReadDescriptionFile(const std::string& path);

/// The exports of a description: none without a file, or if it has specialisation constants alone
/// (support/specialization.h). Throws Failure (kInput), with the file's name and the place in it.
std::vector<ExportDescription> ReadExportDescriptions(const DescriptionFile& file);
/// The same of the file at `path`.
std::vector<ExportDescription> ReadExportDescriptions(const std::string& path);

/// The same as hal_executable_create() takes it, for an image of `format`. Points into `exports`.
std::vector<hal_export_info_t> ToExportInfos(const std::vector<ExportDescription>& exports, const std::string& format);

/// The name of an access: "read", "write", "read_write"; and such a name read. Throws Failure (kInput).
const char* AccessText(hal_binding_access_t access);
hal_binding_access_t ReadAccess(const JsonValue& value);

/// An element type such as "f32". Throws Failure (kInput).
hal_element_type_t ReadElementType(const JsonValue& value);

/// The word for a calling convention: "wrapper", "expanded", "bare_pointer", "c".
const char* ConventionText(hal_calling_convention_t convention);

/// A type as MLIR or C writes it, and a function's: "(memref<?xf32>, index) -> (f32)", "(const f32*, f32*) ->
/// (status)".
std::string ValueTypeText(const hal_value_type_t& type);
std::string FunctionTypeText(const hal_function_signature_t& signature);

/// Parameters as a description has them.
/// @param maps  of those that are tensor maps
Json ToJson(std::span<const hal_parameter_t> parameters, std::span<const hal_tensor_map_t> maps);

/// The export as a description has it, so that what a tool prints can be read again.
Json ToJson(const hal_export_info_t& info);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_EXPORT_DESCRIPTION_H_
