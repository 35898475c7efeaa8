// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX in the manner of compilers that pass arrays as structures or as many numbers (tests/corpus/sources/manners), on
// the simulated CUDA: the host's code beside takes the same bytes as a GPU would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <ostream>

#include "sim/host_code/kernel_code.h"
#include "support/temporary_files.h"
#include "tools/arrays.h"
#include "tools/tool_process.h"

#ifdef HALYARD_SIM_LIBRARY

namespace halyard::tools {
namespace {

struct CudaManner {
  const char* label;
  std::string image;  // below the corpus
  std::string kernel;
  const char* host;                  // the host's kernel
  std::vector<uint32_t> parameters;  // bytes of each; 0 is an address
  std::vector<std::string> packing;
  std::vector<std::string> options;  // of the run
  float added = 0;                   // to 3 * x
};

void PrintTo(const CudaManner& manner, std::ostream* out) { *out << manner.label; }

class RunCudaMannersTest : public testing::TestWithParam<CudaManner> {
 protected:
  std::string Image() const { return HALYARD_CORPUS "/images/" + GetParam().image; }

  // What the simulation finds by the image's bytes.
  void WriteHostCode() const {
    sim::KernelCode code;
    code.name = GetParam().kernel;
    code.symbol = GetParam().host;
    code.workgroup = {0, 1, 1};
    for (const uint32_t size : GetParam().parameters) {
      if (size == 0) {
        code.parameters.push_back({true, code.binding_count++, 8});
        continue;
      }
      const uint32_t alignment = size % 8 == 0 ? 8 : 4;
      const uint32_t offset = (code.constants_size + alignment - 1) / alignment * alignment;
      code.parameters.push_back({false, offset, size});
      code.constants_size = offset + size;
    }
    const std::string image = ReadText(Image());
    const std::string name = sim::ImageName(std::as_bytes(std::span(image)));
    host_code_.Write(name + ".kernels", sim::KernelText(code));
    std::filesystem::copy_file(HALYARD_MANNERS_HOST, host_code_ / (name + ".so"));
  }

  const TemporaryFolder folder_;
  const TemporaryFolder host_code_;
};

TEST_P(RunCudaMannersTest, ComputesWhatItShould) {
  constexpr size_t kCount = 96;
  const std::string halx = folder_ / "k.halx";
  std::vector<std::string> packing = {"--cuda=" + Image(), "--output=" + halx};
  for (const std::string& one : GetParam().packing) packing.push_back("--parameter=" + GetParam().kernel + one);
  const ToolResult packed = RunProgram("halyard-pack", packing);
  ExpectSuccess(packed);
  EXPECT_THAT(packed.out, testing::Not(testing::HasSubstr("note")));
  WriteHostCode();
  std::vector<float> numbers(kCount);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  WriteNpyFile(folder_ / "x.npy", Array(HAL_ELEMENT_TYPE_F32, {kCount}, numbers));
  std::vector<std::string> arguments = {"--device=cuda://0",
                                        "--executable=" + halx,
                                        "--workgroup-size=32",
                                        "--input=0=" + (folder_ / "x.npy"),
                                        "--input=1=f32[96]=" + std::to_string(GetParam().added),
                                        "--output=1=" + (folder_ / "y.npy")};
  arguments.insert(arguments.end(), GetParam().options.begin(), GetParam().options.end());
  const ToolResult run = RunProgram(
      "halyard-run", arguments,
      {"HALYARD_CUDA_LIBRARY=" HALYARD_SIM_LIBRARY, "HALYARD_SIM_KERNELS=" + std::string(host_code_.path())});
  ASSERT_EQ(run.exit, 0) << run.error;
  const std::vector<float> result = Values<float>(ReadNpyFile(folder_ / "y.npy"));
  ASSERT_EQ(result.size(), kCount);
  for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(result[i], 3 * numbers[i] + GetParam().added) << "element " << i;
}

// Bytes of little-endian words, as --constant takes them.
std::string Hex(const std::vector<uint32_t>& words) {
  std::string text = "--constant=hex:";
  for (const uint32_t word : words) {
    char digits[9];
    std::snprintf(digits, sizeof(digits), "%02x%02x%02x%02x", word & 0xFF, word >> 8 & 0xFF, word >> 16 & 0xFF,
                  word >> 24);
    text += digits;
  }
  return text;
}

// 96 numbers, 4 bytes apart; the addresses are the driver's to write.
const std::string kWarpArray = Hex({0, 0, 0, 0, 96, 0, 0, 0, 4, 0, 0, 0, 1, 0});
const std::string kCuteTensor = Hex({0, 0, 3, 32, 32, 0});
const std::string kFactor = "--constant=f32:3";
// Of an array of Numba: two objects, count and bytes of an element; then, behind the data, shape and stride.
std::vector<std::string> NumbaOptions() {
  std::vector<std::string> options = {"--workgroups=3", kFactor};
  for (int array = 0; array < 2; ++array) {
    for (const char* const number : {"0", "0", "96", "4", "96", "4"}) {
      options.push_back(std::string("--constant=i64:") + number);
    }
  }
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, RunCudaMannersTest,
    testing::Values(
        CudaManner{"warp",
                   "manners/warp.sm_80.ptx",
                   "scale_3f5a_cuda_kernel_forward",
                   "warp_scale",
                   {32, 56, 56, 4},
                   {":1+0=binding", ":2+0=binding"},
                   {"--workgroups=2", Hex({96, 0, 0, 0, 1, 0, 96, 0}), kWarpArray, kWarpArray, kFactor}},
        CudaManner{"cute",
                   "manners/cute.sm_80.ptx",
                   "kernel_cutlass_scale_tensorptrf32gmemo11_tensorptrf32gmemo11_0",
                   "cute_scale",
                   {24, 24, 4},
                   {":0+0=binding", ":1+0=binding"},
                   {"--workgroups=1", kCuteTensor, kCuteTensor, kFactor}},
        CudaManner{"numba_cuda",
                   "numba_cuda0.30/axpy.ptx",
                   "_ZN6cudapy8__main__4axpyB2v1B96cw51cXTLSUwv1sCUt9Ww0FEw0NRRQPKiLTj0gIGIFp_2b2oLQFEYYkHSQB1OQAk0Bynm"
                   "21OizQ1K0UoIGvDpQE8oxrNQE_3dEf5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE",
                   "numba_axpy",
                   {4, 8, 8, 8, 8, 0, 8, 8, 8, 8, 8, 8, 0, 8, 8},
                   {},
                   NumbaOptions(),
                   1000}),
    [](const auto& manner) { return std::string(manner.param.label); });

}  // namespace
}  // namespace halyard::tools

#endif  // HALYARD_SIM_LIBRARY
