// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable caches with a folder: later processes get what works, whatever has become of the files.
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "cts/cts.h"
#include "support/temporary_files.h"

namespace halyard::cts {
namespace {

namespace fs = std::filesystem;

class ExecutablePersistenceTest : public DeviceTest {
 protected:
  /// Prepares the kernels with a new cache of that folder, as another process would, and runs one.
  void PrepareAndRun() const {
    const std::string directory = folder_ / "kernels";
    hal_executable_cache_params_t params = HAL_INIT(hal_executable_cache_params_t);
    params.directory = View(directory);
    ExecutableCache cache;
    ASSERT_OK(hal_executable_cache_create(device(), &params, cache.out()));
    Executable executable;
    ASSERT_OK(hal_executable_cache_prepare(cache, &source_.params(), executable.out()));
    cache.reset();
    const Buffer numbers = device().CreateBufferOf(std::vector<uint32_t>(64, 7));
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, executable, "add_one", Dispatch().Bind(numbers)));
    ASSERT_OK(done.Wait(1));
    EXPECT_EQ(Download<uint32_t>(numbers), std::vector<uint32_t>(64, 8));
  }

  /// Does something to every file that the device has left.
  void Damage(const std::function<void(const fs::path&)>& damage) const {
    for (const auto& entry : fs::directory_iterator(folder_ / "kernels")) damage(entry.path());
  }

 private:
  const TemporaryFolder folder_;
  const KernelSource source_{device(), "basic"};
};

TEST_F(ExecutablePersistenceTest, TheNextCacheGetsWhatWorks) {
  PrepareAndRun();
  PrepareAndRun();
}

TEST_F(ExecutablePersistenceTest, TornFilesAreHarmless) {
  PrepareAndRun();
  Damage([](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); });
  PrepareAndRun();
  Damage([](const fs::path& file) { fs::resize_file(file, 0); });
  PrepareAndRun();
}

TEST_F(ExecutablePersistenceTest, DamagedFilesAreHarmless) {
  PrepareAndRun();
  Damage([](const fs::path& file) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));
    stream.put('\x5A').put('\xA5');
  });
  PrepareAndRun();
}

TEST_F(ExecutablePersistenceTest, StrangeFilesAreHarmless) {
  PrepareAndRun();
  Damage([](const fs::path& file) { std::ofstream(file, std::ios::binary) << "not what it was"; });
  PrepareAndRun();
  Damage([](const fs::path& file) {
    fs::remove(file);
    fs::create_directory(file);
  });
  PrepareAndRun();
}

TEST_F(ExecutablePersistenceTest, CachesShareAFolder) {
  OnThreads(4, [&](size_t) {
    for (int i = 0; i < 3; ++i) PrepareAndRun();
  });
}

// A store that always finds nothing and keeps nothing costs only time.
TEST_F(ExecutablePersistenceTest, StoresMayForget) {
  hal_blob_store_t store = HAL_INIT(hal_blob_store_t);
  store.load = [](void*, hal_string_view_t, hal_blob_found_fn_t, void*) { return false; };
  store.store = [](void*, hal_string_view_t key, const void* data, size_t size) {
    EXPECT_GT(key.size, 0u);
    EXPECT_TRUE(data != nullptr || size == 0);
  };
  const KernelSource source(device(), "basic");
  hal_executable_params_t params = source.params();
  params.blobs = &store;
  Executable executable;
  EXPECT_OK(hal_executable_create(device(), &params, executable.out()));
  EXPECT_EQ(hal_executable_export_count(executable), 4u);
}

}  // namespace
}  // namespace halyard::cts
