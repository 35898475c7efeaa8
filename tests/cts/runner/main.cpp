// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-cts: runs the conformance suite against one device.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "cts/cts.h"
#include "cts/runner/exclusions.h"
#include "cts/runner/watchdog.h"
#include "platform/program_path.h"

namespace halyard::cts {
namespace {

constexpr int kExitCannotRun = 2;

constexpr char kHelp[] = R"(Usage: halyard-cts [options] [--gtest_filter=PATTERN] [other GoogleTest flags]

Runs the conformance suite against a device: does it do what Halyard's headers promise?

Options:
  --device=URI              device to test (default: local://task)
  --second-device=URI       other device of cross-device tests (default: the other mode of the local driver)
  --more-device=URI         a further device for channels, no other one's hardware; may be repeated
  --plugin=LIBRARY          load a driver from a shared library first; may be repeated
  --kernels=DIR             folder of the compiled kernels of the suite
  --exclusions=FILE         what the device cannot do: lines of 'fail' or 'skip', a pattern, a reason
  --list-exclusions         print the exclusions and how many tests each names, then stop
  --seed=N                  seed of random tests (default: 1); 'random' for a new one, which is printed
  --deadline=SECONDS        what a wait may take before it counts as a hang (default: 30, more under sanitizers)

Common options:
  --help                    print this text and stop
  --version                 print the version and stop
  --gtest_help              print the flags of GoogleTest and stop

Examples:
  halyard-cts --device=local://sync
  halyard-cts --device=local://task --gtest_filter='Semaphore*' --seed=42
  halyard-cts --plugin=./libmy_driver.so --device=my://0 --exclusions=my_exclusions.txt

Exit codes:
  0  all tests passed
  1  a test failed
  2  nothing could be run: the command line, the device or the exclusions are at fault
)";

/// Kernels lie beside an installed program; otherwise where the build put them.
std::string DefaultKernelFolder() {
  std::error_code unknown;
  const std::filesystem::path program = ProgramPath();
  const std::filesystem::path installed = program.parent_path() / "../lib/halyard/kernels";
  if (!program.empty() && std::filesystem::is_directory(installed, unknown)) {
    return installed.lexically_normal().string();
  }
  return HALYARD_CTS_KERNEL_DIR;
}

/// If `argument` is "--name=value", stores the value.
bool Take(std::string_view argument, std::string_view name, std::string* value) {
  if (argument.substr(0, name.size()) != name || argument.substr(name.size(), 1) != "=") return false;
  *value = argument.substr(name.size() + 1);
  return true;
}

uint64_t ParseNumber(const char* option, const std::string& text) try {
  size_t used = 0;
  const uint64_t number = std::stoull(text, &used);
  if (used == text.size()) return number;
  throw std::invalid_argument(text);
} catch (const std::exception&) {
  throw std::runtime_error(std::string(option) + " takes a number, not '" + text + "'");
}

/// Reads what GoogleTest left of the command line.
void ParseOptions(int argc, char** argv) {
  Options& parsed = options();
  parsed.kernels = DefaultKernelFolder();
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    std::string value;
    if (Take(argument, "--device", &parsed.device) || Take(argument, "--second-device", &parsed.second_device) ||
        Take(argument, "--kernels", &parsed.kernels) || Take(argument, "--exclusions", &parsed.exclusions)) {
      continue;
    }
    if (Take(argument, "--plugin", &value)) {
      parsed.plugins.push_back(value);
    } else if (Take(argument, "--more-device", &value)) {
      parsed.more_devices.push_back(value);
    } else if (Take(argument, "--seed", &value)) {
      parsed.seed = value == "random" ? std::random_device()() : ParseNumber("--seed", value);
    } else if (Take(argument, "--deadline", &value)) {
      kForever = ParseNumber("--deadline", value) * 1'000'000'000;
    } else if (argument == "--list-exclusions") {
      parsed.list_exclusions = true;
    } else {
      throw std::runtime_error("unknown argument '" + std::string(argument) + "'; --help lists those there are");
    }
  }
}

void ListExclusions(const std::vector<Exclusion>& exclusions) {
  for (const Exclusion& exclusion : exclusions) {
    std::cout << (exclusion.skip ? "skip " : "fail ") << exclusion.pattern << " (" << CountMatches(exclusion.pattern)
              << " tests): " << exclusion.reason << "\n";
  }
  std::cout << exclusions.size() << " exclusions\n";
}

/// Opens the device before the first test and closes it after the last, so that leak checkers see a clean end.
class DeviceEnvironment : public testing::Environment {
 public:
  void TearDown() override { CloseDeviceUnderTest(); }
};

/// Prints what --help or --version ask for; false if neither is given.
bool Explain(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::cout << kHelp;
      return true;
    }
    if (argument == "--version") {
      const uint32_t version = hal_version();
      std::cout << "halyard-cts (Halyard) " << (version >> 16) << "." << ((version >> 8) & 0xFFu) << "."
                << (version & 0xFFu) << "\n";
      return true;
    }
  }
  return false;
}

int RunTests() {
  const int result = RUN_ALL_TESTS();
  // A shard of several may well be empty.
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 0 || std::getenv("GTEST_TOTAL_SHARDS")) return result;
  CloseDeviceUnderTest();  // GoogleTest has not come to that
  throw std::runtime_error("no test matches --gtest_filter=" + GTEST_FLAG_GET(filter));
}

int Run() {
  std::vector<Exclusion> exclusions;
  if (!options().exclusions.empty()) exclusions = ReadExclusions(options().exclusions);
  if (options().list_exclusions) {
    ListExclusions(exclusions);
    return 0;
  }
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  if (!OpenDeviceUnderTest()) return kExitCannotRun;
  std::cout << "halyard-cts: " << options().device << ", --seed=" << options().seed << std::endl;
  InstallExclusions(std::move(exclusions));
  InstallWatchdog();
  testing::AddGlobalTestEnvironment(new DeviceEnvironment);  // GoogleTest takes it over
  return RunTests();
}

}  // namespace
}  // namespace halyard::cts

int main(int argc, char** argv) {
  if (halyard::cts::Explain(argc, argv)) return 0;
  testing::InitGoogleMock(&argc, argv);
  try {
    halyard::cts::ParseOptions(argc, argv);
    return halyard::cts::Run();
  } catch (const std::exception& error) {
    std::cerr << "halyard-cts: " << error.what() << "\n";
    return halyard::cts::kExitCannotRun;
  }
}
