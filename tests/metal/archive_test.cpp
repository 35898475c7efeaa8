// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled pipelines beyond the process: Metal's archives in a blob store, and whatever can become of them.
#include "archive_test.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "cts/memory_blobs.h"
#include "metal_test.h"
#include "support/temporary_files.h"

namespace halyard::metal {
namespace {

namespace fs = std::filesystem;

using cts::Buffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Semaphore;
using testing::MatchesRegex;
using testing::SizeIs;

constexpr const char* kText = R"(#include <metal_stdlib>
using namespace metal;
constant uint kValue [[function_constant(3)]];
struct Arguments { device uint* target [[id(0)]]; };
kernel void one(constant Arguments& arguments [[buffer(0)]]) { arguments.target[0] = 1; }
kernel void value(constant Arguments& arguments [[buffer(0)]]) { arguments.target[0] = kValue; }
)";

const hal_parameter_t kTarget = hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE);

/// Both kernels, with `value` as what the second one stores.
class Kernels : public MetalSource {
 public:
  explicit Kernels(uint32_t value = 5) : Kernels(kText, "msl", value) {}
  Kernels(std::string image, const char* format, uint32_t value) : MetalSource(std::move(image), format) {
    Export("one", {kTarget}).Export("value", {kTarget}).Specialize(3, 4, value);
  }
};

/// Waits until the driver's own kernels are compiled, which begins in the background: a fill that no blit can do.
void AwaitOwnKernels(const Device& device) {
  const Buffer buffer = device.CreateBuffer(16);
  const Semaphore done = device.CreateSemaphore();
  cts::Check(device.QueueFill(kNoWaits, {{done, 1}}, cts::Ref(buffer, 1, 3), uint8_t{1}), "fill");
  cts::Check(done.Wait(1), "fill");
}

/// What a kernel stores.
uint32_t StoredBy(const Device& device, const Executable& kernels, std::string_view name) {
  const Buffer target = device.CreateBufferOf(std::vector<uint32_t>{0});
  const Semaphore done = device.CreateSemaphore();
  cts::Check(device.QueueDispatch(kNoWaits, {{done, 1}}, kernels, name, Dispatch().Bind(target)), "dispatch");
  cts::Check(done.Wait(1), "dispatch");
  return device.Download<uint32_t>(target)[0];
}

class ArchiveTest : public MetalTest {
 protected:
  ArchiveTest() { AwaitOwnKernels(device_); }
  ~ArchiveTest() override { sim().Reset(); }

  /// Makes the kernels as another process would, for whose compiler all is new. Returns how many functions it compiled.
  /// @param refused  a call of Metal's that fails, the first time
  uint64_t Compile(const MetalSource& kernels, Executable* out_executable, const char* refused = nullptr) {
    EXPECT_EQ(sim().Reports(), "");
    sim().Reset();
    if (refused) sim().Fail(refused, 1, 1);
    hal_executable_params_t params = kernels.params();
    params.blobs = &interface_;
    EXPECT_OK(hal_executable_create(device_, &params, out_executable->out()));
    return sim().CompiledFunctions();
  }
  /// The same for both kernels, which have to run.
  uint64_t CompileBoth(const char* refused = nullptr) {
    Executable kernels;
    const uint64_t compiled = Compile(Kernels(), &kernels, refused);
    EXPECT_EQ(StoredBy(device_, kernels, "one"), 1u);
    EXPECT_EQ(StoredBy(device_, kernels, "value"), 5u);
    return compiled;
  }

  const Device device_ = Open();
  cts::MemoryBlobs store_;
  const hal_blob_store_t interface_ = store_.Interface();
};

TEST_F(ArchiveTest, TheKeyNamesSystemDeviceAndContents) {
  EXPECT_EQ(CompileBoth(), 2u);
  ASSERT_THAT(store_.blobs, SizeIs(1));
  EXPECT_THAT(store_.blobs.begin()->first, MatchesRegex("metal/[!-.0-~]+/Simulated_GPU_0/[0-9a-f]{32}"));
  EXPECT_EQ(CompileBoth(), 0u);
  EXPECT_THAT(store_.blobs, SizeIs(1));
}

TEST_F(ArchiveTest, ALibraryOfTheCompilerIsArchivedToo) {
  const Kernels library(sim().MakeLibrary(kText), "metallib", 5);
  Executable kernels;
  EXPECT_EQ(Compile(library, &kernels), 2u);
  EXPECT_EQ(Compile(library, &kernels), 0u);
  EXPECT_EQ(StoredBy(device_, kernels, "value"), 5u);
}

TEST_F(ArchiveTest, EachValueOfAConstantHasItsOwn) {
  Executable kernels;
  EXPECT_EQ(Compile(Kernels(5), &kernels), 2u);
  EXPECT_EQ(Compile(Kernels(6), &kernels), 2u);
  EXPECT_EQ(StoredBy(device_, kernels, "value"), 6u);
  EXPECT_EQ(Compile(Kernels(6), &kernels), 0u);
  EXPECT_THAT(store_.blobs, SizeIs(2));
}

TEST_F(ArchiveTest, EachExportListHasItsOwn) {
  MetalSource one(kText);
  MetalSource value(kText);
  one.Export("one", {kTarget});
  value.Export("value", {kTarget}).Specialize(3, 4, 5);
  Executable kernels;
  EXPECT_EQ(Compile(one, &kernels), 1u);
  for (const uint64_t compiled : {1, 0}) EXPECT_EQ(Compile(value, &kernels), compiled);
  EXPECT_EQ(Compile(one, &kernels), 0u);
}

// What a store should not return costs a compilation at most, and is replaced.
TEST_F(ArchiveTest, DamageIsHarmless) {
  EXPECT_EQ(CompileBoth(), 2u);
  const std::function<std::string(const std::string&)> damages[] = {
      [](const std::string&) { return std::string(); },
      [](const std::string& blob) { return blob.substr(0, 7); },
      [](const std::string& blob) { return blob.substr(0, blob.size() / 2); },
      [](const std::string& blob) { return blob.substr(0, blob.size() - 1); },
      [](const std::string& blob) { return std::string(blob.size(), 'x'); },
      [](std::string blob) {
        blob[blob.size() / 2] ^= 1;
        return blob;
      },
  };
  for (const auto& damage : damages) {
    const std::string good = store_.blobs.begin()->second;
    store_.blobs.begin()->second = damage(good);
    EXPECT_EQ(CompileBoth(), 2u);
    EXPECT_THAT(store_.blobs, testing::ElementsAre(testing::Pair(testing::_, good)));
    EXPECT_EQ(CompileBoth(), 0u);
  }
}

TEST_F(ArchiveTest, AnotherDevicesArchiveIsHarmless) {
  EXPECT_EQ(CompileBoth(), 2u);
  const std::string own = store_.blobs.begin()->second;
  const Device other = cts::OpenDevice("metal://1");
  AwaitOwnKernels(other);
  const Kernels kernels;
  hal_executable_params_t params = kernels.params();
  params.blobs = &interface_;
  Executable executable;
  ASSERT_OK(hal_executable_create(other, &params, executable.out()));
  ASSERT_THAT(store_.blobs, SizeIs(2));
  const std::string foreign = store_.blobs.rbegin()->second;
  ASSERT_NE(foreign, own);
  store_.blobs.begin()->second = foreign;
  EXPECT_EQ(CompileBoth(), 2u);
  EXPECT_EQ(store_.blobs.begin()->second, own);
}

// Metal takes it. What it lacks is compiled each time.
TEST_F(ArchiveTest, AnArchiveOfOtherKernelsIsHarmless) {
  Executable kernels;
  EXPECT_EQ(Compile(Kernels(6), &kernels), 2u);
  std::string foreign = store_.blobs.begin()->second;
  store_.alter = [&](const std::string&) { return foreign; };
  store_.blobs.clear();
  EXPECT_EQ(CompileBoth(), 2u);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(CompileBoth(), 1u);  // it has `one`
}

TEST_F(ArchiveTest, RefusalsCostACompilation) {
  for (const char* call : {"newBinaryArchiveWithDescriptor:error:", "serializeToURL:error:"}) {
    EXPECT_EQ(CompileBoth(call), 2u) << call;
    EXPECT_THAT(store_.blobs, testing::IsEmpty()) << call;
  }
  EXPECT_EQ(CompileBoth("addComputePipelineFunctionsWithDescriptor:error:"), 2u);
  EXPECT_EQ(CompileBoth(), 1u);  // the one that was not added
  EXPECT_EQ(CompileBoth("newBinaryArchiveWithDescriptor:error:"), 2u);
  EXPECT_EQ(CompileBoth(), 0u);  // it was stored again, as a whole
}

TEST_F(ArchiveTest, KernelsThatCannotBeMadeAreNotStored) {
  MetalSource broken(kText);
  broken.Export("one", {kTarget}).Export("two", {kTarget});
  hal_executable_params_t params = broken.params();
  params.blobs = &interface_;
  Executable executable;
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, hal_executable_create(device_, &params, executable.out()));
  EXPECT_THAT(store_.blobs, testing::IsEmpty());
}

/// Processes that share a folder, and in which Metal's temporary files go to another one.
class ArchiveProcessTest : public MetalTest {
 protected:
  /// How many functions the process compiled.
  int Prepare() const {
    const std::string program = fs::read_symlink("/proc/self/exe").string();
    const std::string command =
        "TMP='" + temporary_.path().string() + "' '" + program + "' --prepare='" + (folder_ / "kernels'");
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): the test made all of its parts
    return WIFEXITED(status) ? WEXITSTATUS(status) : kPreparedWrongly;
  }
  /// Does something to every blob.
  void Damage(const std::function<void(const fs::path&)>& damage) const {
    for (const auto& entry : fs::directory_iterator(folder_ / "kernels")) damage(entry.path());
  }
  void ExpectNoTemporaryFiles() const {
    for (const auto& entry : fs::recursive_directory_iterator(temporary_.path())) {
      EXPECT_NE(entry.path().extension(), ".halyard-archive") << entry.path();
    }
  }

  const TemporaryFolder folder_;
  const TemporaryFolder temporary_;
};

TEST_F(ArchiveProcessTest, TheSecondCompilesNothing) {
  EXPECT_EQ(Prepare(), 2);
  EXPECT_EQ(Prepare(), 0);
  ExpectNoTemporaryFiles();
}

TEST_F(ArchiveProcessTest, DamagedFilesAreMadeAgain) {
  EXPECT_EQ(Prepare(), 2);
  Damage([](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); });
  EXPECT_EQ(Prepare(), 2);
  EXPECT_EQ(Prepare(), 0);
  ExpectNoTemporaryFiles();
}

}  // namespace

int PrepareWithCache(const std::string& folder) {
  const Device device = cts::OpenDevice("metal://0");
  AwaitOwnKernels(device);
  MetalSim::Get().Reset();
  hal_executable_cache_params_t params = HAL_INIT(hal_executable_cache_params_t);
  params.directory = cts::View(folder);
  cts::ExecutableCache cache;
  cts::Check(hal_executable_cache_create(device, &params, cache.out()), "cache");
  const Kernels kernels;
  const hal_executable_params_t kernel_params = kernels.params();
  Executable executable;
  cts::Check(hal_executable_cache_prepare(cache, &kernel_params, executable.out()), "prepare");
  const bool right = StoredBy(device, executable, "one") == 1 && StoredBy(device, executable, "value") == 5;
  return right ? static_cast<int>(MetalSim::Get().CompiledFunctions()) : kPreparedWrongly;
}

}  // namespace halyard::metal
