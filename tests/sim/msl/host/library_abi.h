// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiled text and the program that loads it tell each other. Both compilers read it, so it includes nothing.
#ifndef HALYARD_SIM_MSL_LIBRARY_ABI_H_
#define HALYARD_SIM_MSL_LIBRARY_ABI_H_

namespace halyard::msl_host::abi {

// Work-items of a simdgroup.
inline constexpr unsigned kSimdWidth = 32;

// What one work-item is given: the addresses by their indices, and its place.
struct Item {
  void* const* buffers;
  void* const* threadgroup_arguments;
  void* const* threadgroup_variables;
  unsigned position[3], local[3], group[3], groups[3], size[3], grid[3];
  unsigned index;
};

struct MemberEntry {
  const char* name;
  unsigned id;
  unsigned long offset, size, alignment;
  bool pointer, writable;
};

struct Members {
  const MemberEntry* entries;
  unsigned long count;
};

struct ArgumentEntry {
  const char* name;
  unsigned space, index;
  bool writable;
  unsigned long size, alignment;
  Members members;
};

struct ConstantEntry {
  const char* name;
  unsigned index, type;
  void* value;
  unsigned long size;
  bool* defined;
};

struct KernelEntry {
  const char* name;
  void (*run)(const Item&);
  const ArgumentEntry* arguments;
  unsigned long argument_count;
  const unsigned long* const* variable_sizes;  // of its threadgroup variables, in bytes
  unsigned long variable_count;
  bool has_barriers;
};

// What the library calls.
struct Host {
  void (*threadgroup_barrier)();
  void (*simdgroup_barrier)();
};

struct LibraryEntry {
  const KernelEntry* kernels;
  unsigned long kernel_count;
  const ConstantEntry* constants;
  unsigned long constant_count;
  // Computes the constants that depend on function constants, which must have their values by then.
  void (*initialise)();
  const Host** host;
  // 0, 1 while a program sets the constants, and 2 when they are set.
  int* state;
};

// The one symbol of a compiled text.
using Entry = const LibraryEntry*();
#define HALYARD_MSL_ENTRY "halyard_msl_library"

}  // namespace halyard::msl_host::abi

#endif  // HALYARD_SIM_MSL_LIBRARY_ABI_H_
