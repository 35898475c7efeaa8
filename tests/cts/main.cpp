// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-cts: runs the conformance suite against one device.
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "cts/cts.h"
#include "cts/exclusions.h"
#include "cts/watchdog.h"

namespace halyard::cts {
namespace {

constexpr int kExitCannotRun = 2;

constexpr char kUsage[] = R"(usage: halyard-cts [options] [--gtest_filter=PATTERN] [other GoogleTest flags]
  --device=URI         device to test; default local://task
  --second-device=URI  other device of cross-device tests; default: the other mode of the local driver
  --plugin=PATH        load a driver from a shared library first; may be given several times
  --kernels=DIR        folder of the compiled kernels of the suite
  --exclusions=FILE    what the device cannot do; see tests/cts/README.md
  --list-exclusions    print the exclusions and how many tests each names, then stop
  --seed=N             seed of random tests; default: a new one for each run, which is printed
  --deadline=SECONDS   what a wait may take before it counts as a hang; default 30, more under sanitizers
  --version            print the version of the library and stop
Ends with 0 if all tests passed, 1 if not, 2 if nothing could be run.
)";

/// Kernels lie beside an installed program; otherwise where the build put them.
std::string DefaultKernelFolder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path installed = program.parent_path() / "../lib/halyard/kernels";
  if (!error && std::filesystem::is_directory(installed, error)) return installed.lexically_normal().string();
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
  parsed.seed = std::random_device()();
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    std::string value;
    if (Take(argument, "--device", &parsed.device) || Take(argument, "--second-device", &parsed.second_device) ||
        Take(argument, "--kernels", &parsed.kernels) || Take(argument, "--exclusions", &parsed.exclusions)) {
      continue;
    }
    if (Take(argument, "--plugin", &value)) {
      parsed.plugins.push_back(value);
    } else if (Take(argument, "--seed", &value)) {
      parsed.seed = ParseNumber("--seed", value);
    } else if (Take(argument, "--deadline", &value)) {
      kForever = ParseNumber("--deadline", value) * 1'000'000'000;
    } else if (argument == "--list-exclusions") {
      parsed.list_exclusions = true;
    } else {
      throw std::runtime_error("unknown argument '" + std::string(argument) + "'\n" + kUsage);
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

void PrintVersion() {
  const uint32_t version = hal_version();
  std::cout << "halyard-cts " << (version >> 16) << "." << (version >> 8 & 0xFF) << "." << (version & 0xFF) << "\n";
}

/// Opens the device before the first test and closes it after the last, so that leak checkers see a clean end.
class DeviceEnvironment : public testing::Environment {
 public:
  void TearDown() override { CloseDeviceUnderTest(); }
};

int Run() {
  std::vector<Exclusion> exclusions;
  if (!options().exclusions.empty()) exclusions = ReadExclusions(options().exclusions);
  if (options().list_exclusions) {
    ListExclusions(exclusions);
    return 0;
  }
  if (!GTEST_FLAG_GET(list_tests)) {
    if (!OpenDeviceUnderTest()) return kExitCannotRun;
    std::cout << "halyard-cts: " << options().device << ", --seed=" << options().seed << std::endl;
    InstallExclusions(std::move(exclusions));
    InstallWatchdog();
    testing::AddGlobalTestEnvironment(new DeviceEnvironment);  // GoogleTest takes it over
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace halyard::cts

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--version") {
    halyard::cts::PrintVersion();
    return 0;
  }
  if (first == "--help") std::cout << halyard::cts::kUsage << std::endl;
  testing::InitGoogleMock(&argc, argv);  // adds the help on GoogleTest's own flags
  if (first == "--help") return 0;
  try {
    halyard::cts::ParseOptions(argc, argv);
    return halyard::cts::Run();
  } catch (const std::exception& error) {
    std::cerr << "halyard-cts: " << error.what() << "\n";
    return halyard::cts::kExitCannotRun;
  }
}
