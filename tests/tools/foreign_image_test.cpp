// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that no device loads, and text that editors marked, as halyard-pack and halyard-run take them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_files.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;

constexpr const char* kPtx =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry scale(.param .u64 .ptr x) { ret; }\n";

struct ForeignFile {
  std::string_view begin;
  const char* words;
};

TEST(ForeignImageTest, NamesWhatCompilersWriteForOtherTools) {
  const TemporaryFolder folder;
  const std::string output = "--output=" + (folder / "k.halx");
  for (const auto& [begin, words] : {ForeignFile{"\xed\x43\x4e\x7f", "NVIDIA's LTO-IR"},
                                     {"BC\xc0\xde", "LLVM bitcode"},
                                     {"\xde\xc0\x17\x0b", "LLVM bitcode"},
                                     {"ML\xefR", "a module of MLIR"},
                                     {"!<arch>\n", "a static library"},
                                     {"DXBC", "a DirectX shader"},
                                     {"\xff\xfe.\0v", "text in UTF-16"},
                                     {"\xcf\xfa\xed\xfe", "a Mach-O object"}}) {
    const std::string path = folder.Write("foreign", std::string(begin) + std::string(64, '\0'));
    for (const char* const option : {"--cuda=", "--hip=", "--local=", "--spirv=", "--image="}) {
      ExpectRefused(RunProgram("halyard-pack", {option + path, output}), ExitCode::kInput, {"foreign' is ", words});
    }
    ExpectRefused(RunProgram("halyard-run", {"--device=null", "--executable=" + path, "--workgroups=1"}),
                  ExitCode::kInput, {"foreign' is ", words});
  }
}

// halyard-pack says the same of what is in a bundle.
TEST(ForeignImageTest, BundlesAreImagesForAmdDevices) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("bundle", "CCOB" + std::string(64, '\1'));
  const ToolResult run = RunProgram("halyard-run", {"--device=null", "--executable=" + path, "--workgroups=1"});
  EXPECT_NE(run.exit, 0);
  EXPECT_THAT(run.error, HasSubstr("CCOB"));
  ExpectRefused(RunProgram("halyard-pack", {"--cuda=" + path, "--output=" + (folder / "k.halx")}), ExitCode::kInput,
                {"is of format 'hsaco'; expected ptx or cubin or fatbin"});
}

TEST(ForeignImageTest, PtxMayBeginWithAByteOrderMark) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("marked.ptx", std::string("\xef\xbb\xbf") + kPtx);
  const std::string halx = folder / "k.halx";
  ExpectSuccess(RunProgram("halyard-pack", {"--cuda=" + path, "--output=" + halx}));
  for (const std::string& file : {path, halx}) {
    ExpectSuccess(RunProgram("halyard-run", {"--device=null", "--executable=" + file, "--workgroups=1",
                                             "--workgroup-size=1", "--input=f32[4]=1"}));
  }
}

#ifdef HALYARD_SIM_LIBRARY

// The compiler of the simulated driver refuses the mark, as CUDA's does.
TEST(ForeignImageTest, DriversGetPtxWithoutItsByteOrderMark) {
  const TemporaryFolder folder;
  const std::string plain = ReadText(HALYARD_KERNEL_DIR "/bench_kernels.ptx");
  const std::string path = folder.Write("marked.ptx", "\xef\xbb\xbf" + plain);
  const ToolResult loaded =
      RunProgram("halyard-run", {"--properties", "--device=cuda://0", "--executable=" + path},
                 {"HALYARD_CUDA_LIBRARY=" HALYARD_SIM_LIBRARY, "HALYARD_SIM_KERNELS=" HALYARD_SIM_KERNEL_DIR});
  EXPECT_EQ(loaded.exit, 0) << loaded.error;  // where the simulation says its seed
}

#endif  // HALYARD_SIM_LIBRARY

// The C API has other names for what the options say.
TEST(ForeignImageTest, MessagesHaveTheNamesOfOptions) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("k.ptx", kPtx);
  const auto run = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"--device=null", "--executable=" + path, "--workgroups=1", "--input=f32[4]=1"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return RunProgram("halyard-run", all);
  };
  const ToolResult unsized_dispatch = run({});
  ExpectRefused(unsized_dispatch, ExitCode::kRun, {"--workgroup-size must be given"});
  EXPECT_THAT(unsized_dispatch.error, testing::Not(HasSubstr("params->")));
}

// A kernel that was compiled for 128 work-items at most, raw and packed, on a device that runs nothing.
TEST(ForeignImageTest, WorkgroupsHaveAtMostWhatTheImageSays) {
  const TemporaryFolder folder;
  const std::string ptx = folder.Write("k.ptx",
                                       ".version 8.0\n.target sm_80\n.address_size 64\n"
                                       ".visible .entry scale(.param .u64 .ptr x) .maxntid 64, 2 { ret; }\n");
  const std::string halx = folder / "k.halx";
  ExpectSuccess(RunProgram("halyard-pack", {"--cuda=" + ptx, "--output=" + halx}));
  EXPECT_THAT(RunProgram("halyard-pack", {"--dump=" + halx}).out, HasSubstr("workgroups of at most 128 work-items"));
  for (const std::string& file : {ptx, halx}) {
    const auto run = [&](const std::string& size) {
      return RunProgram("halyard-run",
                        {"--device=null", "--executable=" + file, "--workgroups=1", "--input=f32[4]=1", size});
    };
    ExpectSuccess(run("--workgroup-size=128"));
    ExpectRefused(run("--workgroup-size=129"), ExitCode::kRun,
                  {"--workgroup-size is (129, 1, 1), but \"scale\" was compiled for at most 128 work-items"});
    ExpectRefused(run("--json"), ExitCode::kRun, {"--workgroup-size must be given", "at most 128 work-items"});
  }
}

}  // namespace
}  // namespace halyard::tools
