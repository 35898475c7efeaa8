// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of Python: memory of a device with element type and shape, dense and row-major.
#ifndef HALYARD_PYTHON_BUFFER_H_
#define HALYARD_PYTHON_BUFFER_H_

#include <memory>
#include <string>
#include <vector>

#include "device_memory.h"
#include "element_type.h"
#include "live.h"
#include "stream.h"

namespace halyard::python {

/// Dense rows of elements in a part of some memory.
class Buffer : Live<Buffer> {
 public:
  static constexpr const char* kKind = "buffer";

  Buffer(std::shared_ptr<Memory> memory, uint64_t offset, hal_element_type_t type, std::vector<int64_t> shape);

  const std::shared_ptr<Memory>& memory() const { return memory_; }
  hal_buffer_ref_t ref() const { return hal_buffer_ref(memory_->buffer(), offset_, length_); }
  hal_element_type_t type() const { return type_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  uint64_t offset() const { return offset_; }
  uint64_t length() const { return length_; }
  /// Where the host reaches it; throws what says why it does not.
  std::byte* Map() const { return memory_->Map() + offset_; }
  /// "float32[2, 3]".
  std::string Describe() const;

 private:
  std::shared_ptr<Memory> memory_;
  uint64_t offset_;
  uint64_t length_;
  hal_element_type_t type_;
  std::vector<int64_t> shape_;
};

/// One element as bytes, as a fill takes it.
struct Pattern {
  unsigned char bytes[16];
  size_t size;
};
Pattern MakePattern(const Buffer& target, nb::handle value);

/// Remembers that a stream uses the memory of a buffer.
inline void Note(const Stream& stream, const Buffer& buffer, uint64_t value) {
  buffer.memory()->Note(stream.core()->timeline, value);
}

/// A shape from a number or a sequence of numbers. Throws ValueError for negative ones.
std::vector<int64_t> ParseShape(nb::handle shape);
/// Bytes of a shape. Throws OverflowError.
uint64_t ByteLength(hal_element_type_t type, const std::vector<int64_t>& shape);
nb::tuple ToTuple(const std::vector<int64_t>& numbers);

/// The class of buffers, for quick checks.
extern PyTypeObject* g_buffer_class;

/// The buffer that an object of Python is. Throws TypeError, which says what takes it.
const Buffer& TakeBuffer(nb::handle object, const char* what);

void BindBuffer(nb::module_& module);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_BUFFER_H_
