// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of the system are made up: what containers and their managers write differs.
#include "driver_kit/device/usable_processors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#if defined(__linux__)
#include <sched.h>
#endif

#include "base/status.h"
#include "support/temporary_files.h"

namespace halyard {
namespace {

class UsableProcessorsTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_ / path.substr(1);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void MountVersion2(const std::string& root, const std::string& group, const std::string& point = "/sys/fs/cgroup") {
    Write("/proc/self/cgroup", "0::" + group + "\n");
    Write("/proc/self/mountinfo",
          "22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw\n"
          "33 24 0:28 " +
              root + " " + point + " rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
  }
  void MountVersion1(const std::string& root, const std::string& group) {
    Write("/proc/self/cgroup", "9:name=systemd:/elsewhere\n3:cpuset:/\n2:cpuacct,cpu:" + group + "\n0::/\n");
    Write("/proc/self/mountinfo",
          "35 24 0:32 / /sys/fs/cgroup/cpuset rw shared:9 - cgroup cgroup rw,cpuset\n"
          "36 24 0:33 " +
              root + " /sys/fs/cgroup/cpu,cpuacct rw shared:10 - cgroup cgroup rw,cpu,cpuacct\n");
  }
  uint32_t Quota() const { return ProcessorsOfQuota(std::string(folder_ / "")); }

  TemporaryFolder folder_;
};

TEST_F(UsableProcessorsTest, WithoutFilesThereIsNoQuota) {
  Publish(FailWith(HAL_STATUS_ABORTED, "before"));
  EXPECT_EQ(Quota(), UINT32_MAX);
  EXPECT_EQ(LastErrorMessage(), "before");
}

TEST_F(UsableProcessorsTest, Version2QuotasRoundUp) {
  const std::pair<const char*, uint32_t> quotas[] = {
      {"50000 100000\n", 1},  {"100000 100000\n", 1}, {"100001 100000\n", 2},       {"150000 100000\n", 2},
      {"400000 100000\n", 4}, {"1000 10000\n", 1},    {"max 100000\n", UINT32_MAX},
  };
  MountVersion2("/", "/app.slice");
  for (const auto& [text, expected] : quotas) {
    Write("/sys/fs/cgroup/app.slice/cpu.max", text);
    EXPECT_EQ(Quota(), expected) << text;
  }
}

TEST_F(UsableProcessorsTest, OddFilesAreNoQuota) {
  MountVersion2("/", "/app.slice");
  for (const char* text : {"", "\n", "max", "0 100000", "-1 100000", "50000", "50000 0", "50000 x", "x 100000",
                           "99999999999999999999 100000"}) {
    Write("/sys/fs/cgroup/app.slice/cpu.max", text);
    EXPECT_EQ(Quota(), UINT32_MAX) << "'" << text << "'";
  }
}

TEST_F(UsableProcessorsTest, AGroupAroundItCounts) {
  MountVersion2("/", "/pod/container/leaf");
  Write("/sys/fs/cgroup/pod/cpu.max", "300000 100000\n");
  Write("/sys/fs/cgroup/pod/container/cpu.max", "max 100000\n");
  Write("/sys/fs/cgroup/pod/container/leaf/cpu.max", "800000 100000\n");
  EXPECT_EQ(Quota(), 3u);
  Write("/sys/fs/cgroup/pod/container/cpu.max", "200000 100000\n");
  EXPECT_EQ(Quota(), 2u);
}

TEST_F(UsableProcessorsTest, AContainerSeesItsOwnGroupAlone) {
  for (const auto& [root, group] :
       {std::pair("/", "/"), std::pair("/docker/abc", "/docker/abc"), std::pair("/docker/abc", "/"),
        std::pair("/", "/../../kubepods/abc"), std::pair("/docker/abc", "/docker/abcdef")}) {
    MountVersion2(root, group);
    Write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    EXPECT_EQ(Quota(), 2u) << root << " " << group;
  }
}

TEST_F(UsableProcessorsTest, AGroupBelowTheMountedOne) {
  MountVersion2("/docker/abc", "/docker/abc/inner");
  Write("/sys/fs/cgroup/inner/cpu.max", "100000 100000\n");
  EXPECT_EQ(Quota(), 1u);
}

TEST_F(UsableProcessorsTest, AMountPointWithASpace) {
  MountVersion2("/", "/", "/mnt/c\\040groups");
  Write("/mnt/c groups/cpu.max", "100000 100000\n");
  EXPECT_EQ(Quota(), 1u);
}

TEST_F(UsableProcessorsTest, Version1) {
  MountVersion1("/", "/batch/job");
  Write("/sys/fs/cgroup/cpu,cpuacct/batch/job/cpu.cfs_quota_us", "-1\n");
  Write("/sys/fs/cgroup/cpu,cpuacct/batch/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Quota(), UINT32_MAX);
  Write("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "250000\n");
  Write("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Quota(), 3u);
  Write("/sys/fs/cgroup/cpu,cpuacct/batch/job/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(Quota(), 1u);
}

TEST_F(UsableProcessorsTest, Version1SeenFromInsideAContainer) {
  MountVersion1("/docker/abc", "/docker/abc");
  Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Quota(), 2u);
}

#if defined(__linux__)
TEST(UsableProcessors, AThreadMayBeHeldToOne) {
  uint32_t found = 0;
  std::thread([&] {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    EXPECT_LE(UsableProcessors(), static_cast<uint32_t>(CPU_COUNT(&all)));
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    found = UsableProcessors();
  }).join();
  EXPECT_EQ(found, 1u);
}
#endif

}  // namespace
}  // namespace halyard
