// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole numbers as expressions of others: "cdiv(n, 1024)".
#ifndef HALYARD_TOOLS_RUN_EXPRESSION_H_
#define HALYARD_TOOLS_RUN_EXPRESSION_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

using Variables = std::map<std::string, int64_t, std::less<>>;

/// What an expression comes to: numbers, names of `variables`, + - * / % with their usual ranks, parentheses, cdiv(a,
/// b) (a / b rounded up), min and max of two. Divisions round towards zero. Throws Failure (kUsage) that shows the
/// place: what cannot be read, unknown names, division by 0, numbers beyond 64 bits.
int64_t Evaluate(std::string_view text, const Variables& variables);

/// Parts between the commas that no parentheses enclose.
std::vector<std::string_view> SplitExpressions(std::string_view text);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_EXPRESSION_H_
