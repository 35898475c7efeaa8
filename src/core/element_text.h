// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes and elements as text, for people.
#ifndef HALYARD_CORE_ELEMENT_TEXT_H_
#define HALYARD_CORE_ELEMENT_TEXT_H_

#include <cstddef>
#include <string_view>

#include "halyard/buffer_view.h"

namespace halyard {

/// Writes text into memory of the caller as far as it goes, and counts what it would have taken.
class BoundedText {
 public:
  /// `size` includes the closing zero byte.
  BoundedText(char* text, size_t size) : text_(text), size_(text ? size : 0) {
    if (size_ > 0) text_[0] = '\0';
  }

  void Append(std::string_view part);
  /// The length of the whole text without the zero byte, cut or not.
  size_t Length() const { return length_; }
  bool IsCut() const { return length_ >= size_; }

 private:
  char* text_;
  size_t size_;
  size_t length_ = 0;
};

/// Appends one element of a known type, from its bytes in the host's byte order: the shortest decimal number that is
/// read back as the same value; complex numbers as "1-2i", opaque bytes as hexadecimal digits in their order in memory.
void AppendElement(hal_element_type_t type, const void* element, BoundedText* out);

/// Appends "2x3xf32".
void AppendShape(const hal_shape_t& shape, BoundedText* out);

/// Appends dense row-major elements, of which `shown` are at `elements`: "[1 2][3 4]"; then "..." if these are not all.
void AppendElements(const hal_shape_t& shape, const void* elements, size_t shown, BoundedText* out);

}  // namespace halyard

#endif  // HALYARD_CORE_ELEMENT_TEXT_H_
