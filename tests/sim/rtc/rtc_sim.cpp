// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVRTC or hipRTC as far as the drivers call it. It compiles nothing: the source names the file of what it makes, in a
// line `// image: PATH`. It takes options and includes as strictly as the vendors' libraries do, and writes their logs.
//
//   #error TEXT      fails, with the text in the log
//   #warning TEXT    succeeds, with the text in the log
//   #pragma options  writes the options to the log
//
// HALYARD_RTC_SIM_FAIL names a function, without its prefix, that fails for want of memory.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "stream/native/runtime_compiler_abi.h"

/// What a handle points to.
struct halyard::stream::RuntimeProgramTag {
  std::string source, name, log, code;
  std::map<std::string, std::string> headers;
};

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define JOINED(a, b) a##b
#define NAMED(prefix, name) JOINED(prefix, name)
#define RTC(name) NAMED(HALYARD_RTC_PREFIX, name)

namespace {

using Program = halyard::stream::RuntimeProgramTag;

enum Result {
  kSuccess = 0,
  kOutOfMemory = 1,
  kInvalidInput = 3,
  kInvalidProgram = 4,
  kInvalidOption = 5,
  kCompilation = 6
};

bool IsToFail(const char* function) {
  const char* const chosen = std::getenv("HALYARD_RTC_SIM_FAIL");
  return chosen && std::strcmp(chosen, function) == 0;
}

bool IsKnown(const std::string& option) {
  for (const char* const known : {"-D", "-I", "-U", "--std=", "-std=", "--gpu-architecture=", "-arch=",
                                  "--offload-arch=", "--use_fast_math", "-ffast-math", "-O", "-w", "-lineinfo"}) {
    if (option.starts_with(known)) return true;
  }
  return false;
}

/// Whether the architecture is one that the library compiles for.
bool IsArchitecture(const std::string& option) {
  const std::string value = option.substr(option.find('=') + 1);
#if HALYARD_RTC_IS_HIP
  return value.starts_with("gfx");
#else
  return (value.starts_with("compute_") || value.starts_with("sm_")) &&
         std::atoi(value.c_str() + value.find('_') + 1) <= 120;
#endif
}

class Compilation {
 public:
  Compilation(Program& program, std::vector<std::string> options) : program_(program), options_(std::move(options)) {}

  Result Run() {
    bool has_architecture = false;
    for (const std::string& option : options_) {
      const bool names_one = option.starts_with("--gpu-architecture=") || option.starts_with("-arch=") ||
                             option.starts_with("--offload-arch=");
      if (IsKnown(option) && (!names_one || IsArchitecture(option))) {
        has_architecture = has_architecture || names_one;
        continue;
      }
      program_.log = "error: unrecognized option " + option + " found\n";
      return kInvalidOption;
    }
    if (!has_architecture) Say("error", 1, "no architecture");
    Read(program_.source);
    if (has_errors_) return kCompilation;
    if (program_.code.empty()) Say("error", 1, "the source names no image");
    return has_errors_ ? kCompilation : kSuccess;
  }

 private:
  void Say(const char* kind, int line, const std::string& text) {
    program_.log += program_.name + "(" + std::to_string(line) + "): " + kind + ": " + text + "\n";
    has_errors_ = has_errors_ || std::strcmp(kind, "error") == 0;
  }

  void Read(const std::string& text) {
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) ReadLine(line, ++number);
  }

  void ReadLine(const std::string& line, int number) {
    const auto rest = [&](const char* beginning) { return line.substr(std::strlen(beginning)); };
    if (line.starts_with("#error ")) Say("error", number, rest("#error "));
    if (line.starts_with("#warning ")) Say("warning", number, rest("#warning "));
    if (line.starts_with("#pragma options")) {
      for (const std::string& option : options_) Say("note", number, option);
    }
    if (line.starts_with("#include \"")) {
      std::string name = rest("#include \"");
      name.resize(name.find('"'));
      const auto found = program_.headers.find(name);
      if (found == program_.headers.end()) return Say("error", number, "cannot open source file \"" + name + "\"");
      Read(found->second);
    }
    if (!line.starts_with("// image: ")) return;
    std::ifstream file(rest("// image: "), std::ios::binary);
    program_.code.assign(std::istreambuf_iterator<char>(file), {});
#if !HALYARD_RTC_IS_HIP
    program_.code.push_back('\0');  // PTX is text
#endif
  }

  Program& program_;
  const std::vector<std::string> options_;
  bool has_errors_ = false;
};

}  // namespace

EXPORTED const char* RTC(GetErrorString)(int result) {
  switch (result) {
    case kOutOfMemory:
      return "RTC_ERROR_OUT_OF_MEMORY";
    case kInvalidOption:
      return "RTC_ERROR_INVALID_OPTION";
    case kCompilation:
      return "RTC_ERROR_COMPILATION";
    default:
      return result == kSuccess ? "RTC_SUCCESS" : "RTC_ERROR";
  }
}

EXPORTED int RTC(CreateProgram)(Program** program, const char* source, const char* name, int count,
                                const char* const* headers, const char* const* names) {
  if (IsToFail("CreateProgram")) return kOutOfMemory;
  if (!program || !source || count < 0 || (count > 0 && (!headers || !names))) return kInvalidInput;
  *program = new Program{source, name ? name : "default_program", "", "", {}};
  for (int i = 0; i < count; ++i) (*program)->headers[names[i]] = headers[i];
  return kSuccess;
}

EXPORTED int RTC(DestroyProgram)(Program** program) {
  if (!program || !*program) return kInvalidProgram;
  delete *program;
  *program = nullptr;
  return kSuccess;
}

EXPORTED int RTC(CompileProgram)(Program* program, int count, const char* const* options) {
  if (!program) return kInvalidProgram;
  if (IsToFail("CompileProgram")) return kOutOfMemory;
  return Compilation(*program, std::vector<std::string>(options, options + count)).Run();
}

EXPORTED int RTC(GetProgramLogSize)(Program* program, size_t* size) {
  *size = program->log.size() + 1;
  return kSuccess;
}

EXPORTED int RTC(GetProgramLog)(Program* program, char* log) {
  *std::copy(program->log.begin(), program->log.end(), log) = 0;
  return kSuccess;
}

#if HALYARD_RTC_IS_HIP
#define CODE_SIZE GetCodeSize
#define CODE GetCode
#else
#define CODE_SIZE GetPTXSize
#define CODE GetPTX
EXPORTED int nvrtcGetNumSupportedArchs(int* count) {
  *count = 3;
  return kSuccess;
}
EXPORTED int nvrtcGetSupportedArchs(int* architectures) {
  architectures[0] = 50;
  architectures[1] = 70;
  architectures[2] = 80;
  return kSuccess;
}
#endif

EXPORTED int RTC(CODE_SIZE)(Program* program, size_t* size) {
  if (IsToFail("GetCode")) return kOutOfMemory;
  *size = program->code.size();
  return kSuccess;
}

EXPORTED int RTC(CODE)(Program* program, char* code) {
  std::ranges::copy(program->code, code);
  return kSuccess;
}
