// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// File descriptors, for tests of handles.
#ifndef HALYARD_TESTS_CTS_HANDLES_DESCRIPTORS_H_
#define HALYARD_TESTS_CTS_HANDLES_DESCRIPTORS_H_

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <utility>

namespace halyard::cts {

/// The bytes of a buffer that leaves: no whole number of pages.
inline constexpr uint64_t kHandleLength = 10'000;

/// How many this process has open.
inline size_t CountDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

/// What the library's own threads may have open for a moment, such as a file of /proc. A leak of each of many calls is
/// more.
inline constexpr size_t kDescriptorsInPassing = 10;

/// Closes a descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { Close(); }
  int get() const { return number_; }
  void Close() {
    if (number_ >= 0) close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_HANDLES_DESCRIPTORS_H_
