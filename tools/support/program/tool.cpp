// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/program/tool.h"

#include <cstdio>
#include <exception>
#include <new>

namespace halyard::tools {
namespace {

void Report(const char* name, const char* message) { std::fprintf(stderr, "%s: %s\n", name, message); }

ExitCode RunGuarded(const char* name, int argc, char** argv, ExitCode (*body)(int argc, char** argv)) {
  try {
    return body(argc, argv);
  } catch (const Failure& failure) {
    Report(name, failure.what());
    if (failure.code() == ExitCode::kUsage) std::fprintf(stderr, "Try '%s --help'.\n", name);
    return failure.code();
  } catch (const std::bad_alloc&) {
    Report(name, "out of memory");
  } catch (const std::exception& error) {
    Report(name, error.what());
  }
  return ExitCode::kInternal;
}

}  // namespace

int RunTool(const char* name, int argc, char** argv, ExitCode (*body)(int argc, char** argv)) {
  ExitCode code = RunGuarded(name, argc, argv, body);
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (lost && code == ExitCode::kOk) {
    Report(name, "cannot write to the standard output");
    code = ExitCode::kOutput;
  }
  return static_cast<int>(code);
}

void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace halyard::tools
