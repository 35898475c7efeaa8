// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs Metal Shading Language on the host: the text of a library is rewritten into C++, compiled and called.
// The simulated Metal uses it; so do tests that run one kernel alone.
#ifndef HALYARD_SIM_MSL_MSL_HOST_H_
#define HALYARD_SIM_MSL_MSL_HOST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halyard::msl_host {

// Buffer indices of a kernel's arguments, as Metal numbers them.
inline constexpr size_t kBufferIndices = 31;

// What a pointer argument or member points to, and whether the kernel may write there.
enum class AddressSpace { kDevice, kConstant, kThreadgroup };

// A member of the struct that an argument points to. Argument buffers have pointers with [[id(n)]].
struct Member {
  std::string name;
  uint32_t id = 0;  // from [[id(n)]], else the member's position
  size_t offset = 0, size = 0, alignment = 0;
  bool pointer = false;
  bool writable = false;  // of a pointer: what it points to is not const
};

// One argument of a kernel with [[buffer(n)]] or [[threadgroup(n)]].
struct Argument {
  std::string name;
  AddressSpace space = AddressSpace::kDevice;
  uint32_t index = 0;
  bool writable = false;
  size_t data_size = 0, alignment = 0;  // of what it points to, in bytes
  std::vector<Member> members;          // if that is a struct
};

// Types of function constants.
enum class ConstantType { kBool, kInt, kUint, kShort, kUshort, kChar, kUchar, kFloat, kHalf, kLong, kUlong };

struct FunctionConstant {
  std::string name;
  uint32_t index = 0;
  ConstantType type = ConstantType::kUint;
};

struct Kernel {
  std::string name;
  std::vector<Argument> arguments;
  bool has_barriers = false;
};

// A constant's value: its bytes, as long as its type.
struct ConstantValue {
  uint32_t index = 0;
  std::vector<std::byte> bytes;
};

struct Launch {
  std::array<uint32_t, 3> threadgroups = {1, 1, 1};
  std::array<uint32_t, 3> threads_per_threadgroup = {1, 1, 1};
  std::array<void*, kBufferIndices> buffers = {};               // host addresses by [[buffer(n)]]
  std::array<size_t, kBufferIndices> threadgroup_lengths = {};  // bytes by [[threadgroup(n)]]
};

// A compiled library with the values of its function constants. Runs may overlap. Thread-safe.
class Program {
 public:
  virtual ~Program() = default;
  // Runs a kernel to its end. One thread for each work-item where the kernel has barriers or threadgroup memory, else
  // plain loops. Threadgroup memory starts with a pattern, never with zeros. Throws std::invalid_argument for a kernel
  // that the library has not, and std::system_error if threads cannot be made.
  virtual void Run(std::string_view kernel, const Launch& launch) const = 0;
  // Bytes of the threadgroup variables that a kernel declares itself; 0 for a kernel that the library has not.
  virtual size_t ThreadgroupVariables(std::string_view kernel) const = 0;
};

// A compiled text. Thread-safe.
class Library {
 public:
  virtual ~Library() = default;
  virtual std::span<const Kernel> Kernels() const = 0;
  virtual std::span<const FunctionConstant> Constants() const = 0;
  // A copy of the library in which the constants have these values; others have zero. Equal values share one copy.
  // Throws std::runtime_error if the copy cannot be written or loaded.
  virtual std::shared_ptr<const Program> Specialise(std::span<const ConstantValue> values) const = 0;
};

struct CompileResult {
  std::shared_ptr<const Library> library;  // null if the text does not compile
  std::string messages;                    // the compiler's, with line numbers of the given text
};

// Compiles a text: once with address spaces as types, which refuses mixed ones as Apple's compiler does, once to run.
// Results are kept in a folder by the hash of rewritten text and compiler, so that a text is compiled once per machine:
// HALYARD_SIM_MSL_CACHE names it, else a folder of the temporary directory. Safe between processes.
CompileResult Compile(std::string_view source, std::span<const std::pair<std::string, std::string>> macros = {});

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_MSL_HOST_H_
