// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The command line of halyard-digits.
#ifndef HALYARD_EXAMPLES_DIGITS_OPTIONS_H_
#define HALYARD_EXAMPLES_DIGITS_OPTIONS_H_

#include <cstdint>
#include <stdexcept>
#include <string>

namespace digits {

struct Options {
  bool help = false;
  bool list_devices = false;
  std::string device = "local://task";
  uint32_t batch = 64;   ///< images that one execution of the command buffer takes
  uint32_t show = 8;     ///< digits to draw
  uint32_t repeat = 20;  ///< passes over the images
  std::string data;      ///< folder of the two data files; empty to look in the usual places
  std::string kernels;   ///< file with the kernels; empty to look in the usual places
  std::string trace;     ///< where to write a trace; empty for none
};

/// The command line makes no sense. The message says what to write instead.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads the command line; throws UsageError.
Options ParseOptions(int argc, const char* const* argv);

/// What `--help` prints.
std::string HelpText();

}  // namespace digits

#endif  // HALYARD_EXAMPLES_DIGITS_OPTIONS_H_
