// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device in a file in memory, so that another process can really have it.
#ifndef HALYARD_TESTS_SIM_ENGINE_FILE_MEMORY_H_
#define HALYARD_TESTS_SIM_ENGINE_FILE_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace halyard::sim {

// Names an open file of a process to all processes of its user, as the handles of 64 bytes do.
struct FileName {
  uint64_t magic = 0;
  int32_t process = 0;
  int32_t file = -1;   // the descriptor there
  uint64_t inode = 0;  // which tells a later file of that descriptor from this one
  uint64_t size = 0;   // bytes
  int32_t device = 0;  // the ordinal
  uint8_t rest[28] = {};
};
static_assert(sizeof(FileName) == 64);

// A new file; -1 if there is no room. `device` is in its name: see DeviceOfFile().
int MakeFile(int device, size_t bytes);
// The ordinal of the device of a file that MakeFile() made, in any process; -1 for another file.
int DeviceOfFile(int file);
// A new descriptor of the same file, with an opening of its own; -1 if that fails.
int ReopenFile(int file);
size_t SizeOfFile(int file);

FileName NameOf(int file, int device);
bool IsOfThisProcess(const FileName& name);
// A new descriptor; -1 if the name is no name or the file is gone.
int OpenNamed(const FileName& name);

// Maps a file at any address; null if that fails.
void* MapFile(int file, size_t bytes);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_FILE_MEMORY_H_
