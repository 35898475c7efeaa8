// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exclusions: what a device cannot do, with a written reason each. An excluded test still runs and must fail; once it
// passes, the exclusion is out of date and that is the failure. README.md describes the file.
#ifndef HALYARD_TESTS_CTS_RUNNER_EXCLUSIONS_H_
#define HALYARD_TESTS_CTS_RUNNER_EXCLUSIONS_H_

#include <string>
#include <vector>

namespace halyard::cts {

struct Exclusion {
  std::string pattern;  ///< test names, with * and ? as in --gtest_filter
  bool skip = false;    ///< do not even run it: it would crash or hang
  std::string reason;   ///< why, for people
};

/// Reads an exclusions file; throws, with the line, if it is malformed.
std::vector<Exclusion> ReadExclusions(const std::string& path);

/// How many tests of this program a pattern names.
size_t CountMatches(const std::string& pattern);

/// Makes GoogleTest honour the exclusions. Throws if a pattern names no test.
void InstallExclusions(std::vector<Exclusion> exclusions);

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_RUNNER_EXCLUSIONS_H_
