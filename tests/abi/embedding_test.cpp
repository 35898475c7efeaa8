// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The static library in shared objects: two copies in one process know nothing of each other.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <string>

namespace halyard::abi {
namespace {

/// A shared object that embeds the library (embedded.c). Stays loaded, as the code of the library must.
class Embedded {
 public:
  explicit Embedded(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_GLOBAL)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  void* Find(const char* name) const { return dlsym(handle_, name); }
  /// What running the library fails with; empty if all is well.
  std::string Run() const { return reinterpret_cast<const char* (*)()>(Find("embedded_run"))(); }
  /// How often its own copy asked it for memory.
  size_t Allocations() const { return reinterpret_cast<size_t (*)()>(Find("embedded_allocations"))(); }

 private:
  void* handle_;
};

TEST(Embedding, LeavesNoNameOfTheLibraryToOthers) {
  const Embedded one(HALYARD_EMBEDDED_ONE);
  ASSERT_NE(one.Find("embedded_run"), nullptr);
  EXPECT_EQ(one.Find("hal_version"), nullptr);
  EXPECT_EQ(one.Find("hal_device_create"), nullptr);
}

TEST(Embedding, CopiesAreIndependent) {
  const Embedded one(HALYARD_EMBEDDED_ONE);
  const Embedded two(HALYARD_EMBEDDED_TWO);
  const size_t of_two = two.Allocations();
  EXPECT_EQ(one.Run(), "");
  const size_t of_one = one.Allocations();
  EXPECT_GT(of_one, 0u);
  EXPECT_EQ(two.Allocations(), of_two);
  EXPECT_EQ(two.Run(), "");
  EXPECT_GT(two.Allocations(), of_two);
  EXPECT_EQ(one.Allocations(), of_one);
}

}  // namespace
}  // namespace halyard::abi
