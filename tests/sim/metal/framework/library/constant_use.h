// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function constants a kernel needs, read from the names in the library's text. Metal says it of each function.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_CONSTANT_USE_H_
#define HALYARD_SIM_METAL_FRAMEWORK_CONSTANT_USE_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace halyard::metal_sim {

// The names that a text declares outside braces, each with all names that its declarations mention.
class DeclaredNames {
 public:
  explicit DeclaredNames(std::string_view text);
  bool Declares(std::string_view name) const { return mentions_.contains(name); }
  // Everything that a declaration mentions, itself or through what it mentions.
  std::set<std::string, std::less<>> ReachedFrom(std::string_view name) const;
  // Whether the text asks if a constant is defined. Such a constant needs no value.
  bool IsOptional(std::string_view constant) const { return optional_.contains(constant); }

 private:
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> mentions_;
  std::set<std::string, std::less<>> optional_;
};

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_CONSTANT_USE_H_
