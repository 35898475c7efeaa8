// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What halyard-run refuses, with which messages and exit codes; nothing is written then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_files.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::IsEmpty;

constexpr const char* kCorpus = HALYARD_TOOL_TEST_DATA "/npy/";

ToolResult RunWith(std::vector<std::string> arguments) { return RunProgram("halyard-run", arguments); }

// Saxpy on local://sync with these arguments in addition; both inputs are given unless they are among them.
ToolResult Saxpy(std::vector<std::string> arguments, bool with_inputs = true) {
  arguments.insert(arguments.begin(),
                   {"--device=local://sync", kKernels, kExports, "--function=saxpy", "--workgroups=1"});
  if (with_inputs) arguments.insert(arguments.end(), {"--input=f32[4]=1", "--input=f32[4]=2"});
  return RunWith(std::move(arguments));
}

TEST(RunRefusalTest, WhatIsMissing) {
  ExpectRefused(RunWith({}), ExitCode::kUsage, {"--device=URI is missing"});
  ExpectRefused(RunWith({"--device=local"}), ExitCode::kUsage, {"--executable=FILE is missing"});
  ExpectRefused(RunWith({"--device=local", kKernels, kExports, "--function=saxpy"}), ExitCode::kUsage,
                {"--workgroups=X,Y,Z is missing"});
  ExpectRefused(RunWith({"--device=local", kKernels, "--workgroups=1"}), ExitCode::kUsage,
                {"--exports=FILE", "halyard-pack"});
  ExpectRefused(RunWith({"--device=local", kKernels, kExports, "--workgroups=1"}), ExitCode::kUsage,
                {"--function=NAME is missing", "saxpy, divide, ignore, fail"});
}

TEST(RunRefusalTest, NumbersThatAreNone) {
  ExpectRefused(Saxpy({"--repeat=0"}), ExitCode::kUsage, {"--repeat takes a number from 1"});
  ExpectRefused(Saxpy({"--repeat=many"}), ExitCode::kUsage, {"not 'many'"});
  ExpectRefused(Saxpy({"--workgroup-size=1,2,3,4"}), ExitCode::kUsage, {"--workgroup-size takes X[,Y[,Z]]"});
  ExpectRefused(Saxpy({"--workgroup-size=0"}), ExitCode::kUsage, {"at least 1"});
  ExpectRefused(Saxpy({"--tolerance=-1", "--expect=x"}), ExitCode::kUsage, {"ABSOLUTE[,RELATIVE]"});
  ExpectRefused(Saxpy({"--tolerance=1"}), ExitCode::kUsage, {"without --expect"});
}

TEST(RunRefusalTest, Functions) {
  ExpectRefused(RunWith({"--device=local", kKernels, kExports, "--workgroups=1", "--function=saxpi"}), ExitCode::kInput,
                {"no export 'saxpi'; did you mean 'saxpy'?"});
}

TEST(RunRefusalTest, Executables) {
  const TemporaryFolder folder;
  const std::string text = folder.Write("kernels.txt", "no executable at all");
  ExpectRefused(RunWith({"--device=local", "--executable=" + text, kExports, "--workgroups=1"}), ExitCode::kInput,
                {"no kind of executable", "--format"});
  ExpectRefused(RunWith({"--device=local", "--executable=missing.so", kExports, "--workgroups=1"}), ExitCode::kInput,
                {"cannot read 'missing.so'"});
  ExpectRefused(RunWith({"--device=local", "--executable=" + text, "--format=ptx", kExports, "--workgroups=1"}),
                ExitCode::kInput, {"INCOMPATIBLE"});
  const std::string cut = folder.Write("cut.so", ReadText(HALYARD_TOOL_TEST_KERNELS).substr(0, 1000));
  ExpectRefused(RunWith({"--device=local", "--executable=" + cut, kExports, "--workgroups=1"}), ExitCode::kInput,
                {"cannot load", "DATA_LOSS"});
}

TEST(RunRefusalTest, ConstantsThatDoNotFit) {
  ExpectRefused(Saxpy({}), ExitCode::kUsage, {"takes 4 bytes of constants, but --constant gives 0 bytes", "saxpy("});
  ExpectRefused(Saxpy({"--constant=f64:1"}), ExitCode::kUsage, {"has 8 bytes, but constant 0 of 'saxpy' has 4 bytes"});
  ExpectRefused(Saxpy({"--constant=f32:1", "--constant=f32:1"}), ExitCode::kUsage, {"gives 8 bytes"});
  ExpectRefused(Saxpy({"--constant=f32"}), ExitCode::kUsage, {"TYPE:VALUE"});
  ExpectRefused(Saxpy({"--constant=float:1"}), ExitCode::kUsage, {"float", "f32"});
  ExpectRefused(Saxpy({"--constant=u8:256"}), ExitCode::kUsage, {"'256' is out of range for ui8"});
  ExpectRefused(Saxpy({"--constant=hex:123"}), ExitCode::kUsage, {"two hexadecimal digits"});
}

TEST(RunRefusalTest, TooManyOrTooFewArrays) {
  const std::string one = "--constant=f32:1";
  ExpectRefused(Saxpy({one, "--input=f32[4]=1"}, false), ExitCode::kUsage,
                {"--input is given 1 time, but the kernel has 2 bindings that are read", "saxpy(binding 0: read"});
  ExpectRefused(Saxpy({one, "--input=f32[4]=1"}), ExitCode::kUsage, {"--input is given 3 times"});
  ExpectRefused(Saxpy({one, "--output=a.npy", "--output=b.npy"}), ExitCode::kUsage, {"--output is given 2 times"});
  ExpectRefused(Saxpy({one, "--output=0=a.npy"}), ExitCode::kUsage, {"binding 0 is not written"});
  ExpectRefused(Saxpy({one, "--output=2=a.npy"}), ExitCode::kUsage, {"there is no binding 2"});
  ExpectRefused(Saxpy({one, "--input=0=f32[4]=1"}), ExitCode::kUsage, {"always or never"});
  ExpectRefused(Saxpy({one, "--input=0=f32[4]=1", "--input=0=f32[4]=1"}, false), ExitCode::kUsage, {"twice"});
  ExpectRefused(Saxpy({one, "--input=1=f32[4]=1"}, false), ExitCode::kUsage, {"binding 0 is read, but has no --input"});
  ExpectRefused(Saxpy({one, "--input=0=f32[4]=1"}, false), ExitCode::kUsage, {"shape of binding 1 are not known"});
}

TEST(RunRefusalTest, ArraysThatDoNotFit) {
  const std::string one = "--constant=f32:1";
  ExpectRefused(Saxpy({one, std::string("--expect=") + kCorpus + "f4_little.npy"}), ExitCode::kInput,
                {"is f32[2,3], but the result is f32[4]"});
  ExpectRefused(Saxpy({one, "--output=a.npy:f64[4]"}), ExitCode::kUsage, {"given 16 bytes of input", "32 bytes"});
  ExpectRefused(Saxpy({one, "--output=a.npy:bf16[8]"}), ExitCode::kUsage, {"NumPy has no bf16"});
  ExpectRefused(Saxpy({one, "--output=a.npy:f99[4]"}), ExitCode::kUsage, {"f99"});
  ExpectRefused(Saxpy({one, "--output=a.npy:f32[9223372036854775807]"}), ExitCode::kUsage, {"more than 2^63 bytes"});
}

TEST(RunRefusalTest, NumpyFiles) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"bad_object", "Python objects"}, {"bad_record", "record"}, {"bad_archive", ".npz"}, {"missing", "No such file"}};
  for (const auto& [name, words] : cases) {
    ExpectRefused(Saxpy({"--constant=f32:1", "--input=" + (kCorpus + name) + ".npy", "--input=f32[4]=1"}, false),
                  ExitCode::kInput, {kCorpus + name, words});
  }
}

TEST(RunRefusalTest, MoreMemoryThanThereIs) {
  ExpectRefused(Saxpy({"--constant=f32:1", "--input=f32[1000000000000]=1", "--input=f32[4]=1"}, false),
                ExitCode::kUsage, {"3.64 TiB", "more than this machine has memory"});
  ExpectRefused(RunWith({"--device=local://sync?memory=1MiB", kKernels, kExports, "--function=saxpy", "--workgroups=1",
                         "--constant=f32:1", "--input=f32[4]=1", "--input=f32[1000000]=1"}),
                ExitCode::kDevice, {"cannot allocate", "RESOURCE_EXHAUSTED"});
}

TEST(RunRefusalTest, OutputsThatCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string out = folder / "a.npy";
  const std::string lost = folder / "missing/b.npy";
  ExpectRefused(Saxpy({"--constant=f32:1", "--output=" + lost}), ExitCode::kOutput, {"there is no folder"});
  ExpectRefused(Saxpy({"--constant=f32:1", "--output=" + out, "--trace=" + out}), ExitCode::kUsage,
                {"two results go to"});
  // None is written if one cannot be.
  ExpectRefused(
      RunWith({"--device=local://sync", kKernels, kExports, "--function=divide", "--workgroups=1", "--constant=u32:1",
               "--input=i32[1]=1", "--output=" + out + ":i32[1]", "--output=" + lost + ":i32[1]"}),
      ExitCode::kOutput, {"there is no folder"});
  ExpectRefused(Saxpy({"--constant=f32:1", "--output=" + out, "--trace=" + lost}), ExitCode::kOutput,
                {"there is no folder"});
  EXPECT_THAT(folder.Names(), IsEmpty());
}

}  // namespace
}  // namespace halyard::tools
