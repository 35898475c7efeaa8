// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Putting sources in Metal's language together that SPIRV-Cross made of one kernel each.
#ifndef HALYARD_TOOLS_REFLECT_MSL_PIECES_H_
#define HALYARD_TOOLS_REFLECT_MSL_PIECES_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

/// The declarations of a source: includes, constants, structs, functions, each with the lines before it that belong to
/// it.
std::vector<std::string_view> SplitMsl(std::string_view source);

/// Replaces a word wherever it stands alone.
std::string ReplaceWord(std::string_view text, std::string_view word, std::string_view replacement);

/// Gives everything that SPIRV-Cross names itself, the same in each source, the name of the kernel as a prefix.
/// Function constants have one name in all kernels, made of number and type: `function_constant_3` is an uint, and
/// `function_constant_3_int` one of another type with the same number.
std::string MakeNamesUnique(std::string text, const std::string& kernel);

/// Makes the built-in WorkgroupSize, which SPIRV-Cross does not know as a variable, the size that a dispatch gives.
std::string UseWorkgroupSize(std::string text);

/// Vectors of bool in workgroup memory are vectors of short, whose parts SPIRV-Cross takes for bool: makes them short.
std::string MendBoolVectors(std::string text);

/// Makes a kernel's `threadgroup T name[1];` its argument `threadgroup T* name [[threadgroup(0)]]`.
/// @param name  in the text; nothing else has it
/// @return false if the text has the name otherwise; true if it does not have it at all
bool UseDynamicMemory(std::string_view name, std::string* text);

/// One source out of several: what stands in more than one of them alike appears once.
class MslJoiner {
 public:
  void Add(std::string_view source);
  const std::string& text() const { return text_; }

 private:
  std::set<std::string, std::less<>> seen_;
  std::string text_;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_REFLECT_MSL_PIECES_H_
