// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/file_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

namespace halyard::sim {
namespace {

constexpr std::string_view kFileName = "halyard-sim-memory-";
constexpr uint64_t kMagic = 0x6d697320796c6148;  // "Haly sim"

struct stat Describe(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) status = {};
  return status;
}

std::string PathOf(const std::string& process, int file) { return "/proc/" + process + "/fd/" + std::to_string(file); }

}  // namespace

int MakeFile(int device, size_t bytes) {
  const int file = memfd_create((std::string(kFileName) + std::to_string(device)).c_str(), MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  close(file);
  return -1;
}

int DeviceOfFile(int file) {
  std::array<char, 128> link{};
  const ssize_t length = readlink(PathOf("self", file).c_str(), link.data(), link.size() - 1);
  const std::string_view text(link.data(), length > 0 ? static_cast<size_t>(length) : 0);
  const size_t found = text.find(kFileName);
  int ordinal = -1;
  if (found == std::string_view::npos) return ordinal;
  std::from_chars(text.data() + found + kFileName.size(), text.data() + text.size(), ordinal);
  return ordinal;
}

int ReopenFile(int file) { return open(PathOf("self", file).c_str(), O_RDWR | O_CLOEXEC); }

size_t SizeOfFile(int file) { return static_cast<size_t>(Describe(file).st_size); }

FileName NameOf(int file, int device) {
  FileName name;
  name.magic = kMagic;
  name.process = getpid();
  name.file = file;
  name.inode = Describe(file).st_ino;
  name.size = SizeOfFile(file);
  name.device = device;
  return name;
}

bool IsOfThisProcess(const FileName& name) { return name.magic == kMagic && name.process == getpid(); }

int OpenNamed(const FileName& name) {
  if (name.magic != kMagic || name.file < 0) return -1;
  const int file = open(PathOf(std::to_string(name.process), name.file).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return -1;
  const struct stat status = Describe(file);
  if (status.st_ino == name.inode && static_cast<uint64_t>(status.st_size) == name.size) return file;
  close(file);
  return -1;
}

void* MapFile(int file, size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace halyard::sim
