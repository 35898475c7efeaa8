// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler says of a rewritten text, as it would of the original one.
#ifndef HALYARD_SIM_MSL_MESSAGES_H_
#define HALYARD_SIM_MSL_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace halyard::msl_host {

// The name of a text in messages, as Apple's compiler has it.
inline constexpr std::string_view kSourceName = "program_source";

// "file:line:column" of a place of a preprocessed text, by the lines '# 12 "file"' in front of it.
std::string PresumedPlace(std::string_view text, size_t place);

// The first messages, each with the line of the source that it is about.
std::string WithSourceLines(std::string_view messages, std::string_view source);

// The messages of the check of address spaces, without errors that valid texts have there, too.
std::string WithoutErrorsOfTheCheck(std::string_view messages);

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_MESSAGES_H_
