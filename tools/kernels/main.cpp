// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-kernels: turns one source of kernels into the languages that the compilers for devices know.
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "emitters.h"
#include "kernel_source.h"
#include "support/failure.h"
#include "support/input_file.h"
#include "support/output_file.h"
#include "support/program/command_line.h"
#include "support/program/tool.h"

namespace halyard::tools {
namespace {

constexpr size_t kMostSource = 16 << 20;

constexpr const char* kPurpose =
    "Turns one source of kernels into what compilers for hosts and devices take.\n"
    "\n"
    "halyard_add_kernels() of Halyard's CMake package does it, compiles the results and packs them\n"
    "into one executable file (.halx).\n";

constexpr const char* kExamples =
    "Examples:\n"
    "  halyard-kernels --source=scale.kernel --exports=scale.json --host=scale.cpp --gpu=scale.cu\n"
    "  c++ -std=c++17 -O2 -shared -fPIC scale.cpp -o scale.so\n"
    "  clang++ -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -O2 -S scale.cu -o scale.ptx\n"
    "  halyard-pack --local=scale.so --cuda=scale.ptx --exports=scale.json -o scale.halx\n"
    "\n"
    "A source:\n"
    "  kernel scale(64)                // work-items in a workgroup\n"
    "    constant float a;\n"
    "    constant uint32_t count;\n"
    "    read float x[];\n"
    "    write float y[];\n"
    "  {\n"
    "    const uint32_t i = global_id.x;\n"
    "    if (i < count) y[i] = a * x[i];\n"
    "  }\n";

struct Options {
  std::string source;
  std::string host;
  std::string host_c;
  std::string gpu;
  std::string glsl;
  std::string exports;
  Replace replace = Replace::kSameKind;
};

void WriteText(const std::string& path, const FileKind& kind, Replace replace, const std::string& text) {
  WriteFile(path, kind, replace, std::as_bytes(std::span(text)));
}

// A file for each kernel; those of kernels that the source has no more are removed.
void WriteGlsl(const std::string& folder, const KernelSource& source, Replace replace) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) Fail(ExitCode::kOutput, "cannot make the folder '", folder, "': ", error.message());
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    const bool generated = file.path().extension() == ".comp" && IsOfKind(file.path().string(), kGeneratedSource);
    if (generated) std::filesystem::remove(file.path(), error);
  }
  for (const Kernel& kernel : source.kernels) {
    const std::string path = (std::filesystem::path(folder) / (kernel.name + ".comp")).string();
    WriteText(path, kGeneratedSource, replace, GlslText(source, kernel));
  }
}

ExitCode Run(int argc, char** argv) {
  Options options;
  CommandLine line("halyard-kernels",
                   "--source=FILE [--host=FILE] [--host-c=FILE] [--gpu=FILE] [--glsl=FOLDER] [--exports=FILE]",
                   kPurpose);
  line.Text("--source,-s", "FILE", &options.source, "the kernels, in the language of docs/kernels.md");
  line.Text("--host", "FILE", &options.host, "write C++17 for the local driver");
  line.Text("--host-c", "FILE", &options.host_c, "write C11 for the local driver");
  line.Text("--gpu", "FILE", &options.gpu, "write CUDA and HIP in one, for clang");
  line.Text("--glsl", "FOLDER", &options.glsl, "write GLSL for Vulkan 1.2 to this folder, NAME.comp for each kernel");
  line.Text("--exports,-e", "FILE", &options.exports, "write what is exported, as halyard-pack reads it");
  line.AddForce(&options.replace);
  line.SetEpilogue(kExamples);
  if (!line.Parse(argc, argv)) return ExitCode::kOk;
  if (options.source.empty()) FailMissing("--source=FILE");
  const KernelSource source = ParseKernelSource(options.source, ReadTextFile(options.source, kMostSource));
  if (!options.host.empty()) WriteText(options.host, kGeneratedSource, options.replace, HostText(source));
  if (!options.host_c.empty()) WriteText(options.host_c, kGeneratedSource, options.replace, HostCText(source));
  if (!options.gpu.empty()) WriteText(options.gpu, kGeneratedSource, options.replace, GpuText(source));
  if (!options.glsl.empty()) WriteGlsl(options.glsl, source, options.replace);
  if (!options.exports.empty()) WriteText(options.exports, kExportsFile, options.replace, ExportsText(source));
  return ExitCode::kOk;
}

}  // namespace
}  // namespace halyard::tools

int main(int argc, char** argv) { return halyard::tools::RunTool("halyard-kernels", argc, argv, halyard::tools::Run); }
