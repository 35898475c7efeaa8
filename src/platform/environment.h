// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's environment variables. No other file reads the environment.
#ifndef HALYARD_PLATFORM_ENVIRONMENT_H_
#define HALYARD_PLATFORM_ENVIRONMENT_H_

namespace halyard {

/// Whether the program has rights that the user who started it does not have: setuid, setgid or file capabilities. That
/// user chose the environment, so no variable may decide what such a program loads or writes.
bool EnvironmentIsForeign() noexcept;

/// The value of a variable; NULL if it is not set or empty, or if the environment is foreign.
const char* EnvironmentVariable(const char* name) noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_ENVIRONMENT_H_
