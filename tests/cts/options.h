// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the command line of the conformance suite says.
#ifndef HALYARD_TESTS_CTS_OPTIONS_H_
#define HALYARD_TESTS_CTS_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace halyard::cts {

struct Options {
  std::string device = "local://task";  ///< URI of the device under test
  std::string second_device;            ///< URI of the other device of cross-device tests; empty: see SecondDeviceUri()
  std::vector<std::string> more_devices;  ///< URIs of further ones, each another piece of hardware
  std::string kernels;                    ///< folder of the compiled kernels
  std::string exclusions;                 ///< file that says what the device cannot do; empty for nothing
  std::vector<std::string> plugins;       ///< shared libraries with drivers
  uint64_t seed = 1;                      ///< of every SeededRandom
  bool list_exclusions = false;           ///< print the exclusions and stop
};

/// The options of this run, set once by main().
Options& options();

/// The URI that OpenSecondDevice() opens: as asked for, else the other mode of the local driver.
std::string SecondDeviceUri();

/// How much longer things may take in this build: 1, or more under a sanitizer.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr uint64_t kTimeScale = 3;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr uint64_t kTimeScale = 3;
#else
inline constexpr uint64_t kTimeScale = 1;
#endif
#else
inline constexpr uint64_t kTimeScale = 1;
#endif

/// Nanoseconds after which a wait that should have ended counts as a hang. Ends in a failed test, not in a dead one.
/// Changed by --deadline, before the first test.
inline uint64_t kForever = UINT64_C(30'000'000'000) * kTimeScale;

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_OPTIONS_H_
