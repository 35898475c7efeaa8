// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Buffers, views, allocators and files in C++.
#ifndef HALYARD_CPP_MEMORY_HPP_
#define HALYARD_CPP_MEMORY_HPP_

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/allocator.h"
#include "halyard/buffer.h"
#include "halyard/buffer_view.h"
#include "halyard/cpp/handle.hpp"
#include "halyard/cpp/macros_begin.hpp"
#include "halyard/file.h"

HAL_CPP_BEGIN

/// What can be copied as bytes.
template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

/// A range of host memory, mapped from a buffer, until it is destroyed.
template <Plain T>
class Mapping {
 public:
  Mapping() = default;
  Mapping(hal_buffer_t* buffer, std::span<T> elements) : buffer_(buffer), elements_(elements) {
    hal_buffer_retain(buffer_);
  }
  Mapping(Mapping&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)), elements_(std::exchange(other.elements_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(elements_, other.elements_);
    return *this;
  }
  ~Mapping() {
    if (!buffer_) return;
    static_cast<void>(hal_buffer_unmap(buffer_));
    hal_buffer_release(buffer_);
  }

  std::span<T> elements() const { return elements_; }
  T& operator[](size_t index) const { return elements_[index]; }
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }

 private:
  hal_buffer_t* buffer_ = nullptr;
  std::span<T> elements_;
};

/// Memory that a device can use.
class Buffer : public Handle<hal_buffer_t, hal_buffer_retain, hal_buffer_release> {
 public:
  using Handle::Handle;
  Buffer Share() const { return Buffer(Retained()); }

  uint64_t length() const { return hal_buffer_length(get()); }
  Returned<hal_buffer_info_t> Info() const {
    hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
    const hal_status_t code = hal_buffer_query_info(get(), &info);
    return detail::Finish(code, std::move(info));
  }
  /// A range of it, in bytes.
  hal_buffer_ref_t Range(uint64_t offset, uint64_t length = HAL_WHOLE_SIZE) const {
    return hal_buffer_ref(get(), offset, length);
  }
  Returned<Buffer> Subspan(uint64_t offset, uint64_t length = HAL_WHOLE_SIZE) const {
    return detail::Make<Buffer>([&](auto** out) { return hal_buffer_subspan(get(), offset, length, out); });
  }

  /// The same bytes as a buffer of another device: see hal_buffer_share().
  Returned<Buffer> ShareWith(hal_device_t* device) const {
    return detail::Make<Buffer>([&](auto** out) { return hal_buffer_share(get(), device, out); });
  }

  /// Copies to the buffer, from byte `offset` on.
  template <Plain T>
  Done Write(std::span<const T> elements, uint64_t offset = 0) const {
    return detail::Finish(hal_buffer_write(get(), offset, elements.data(), elements.size_bytes()));
  }
  /// Copies from the buffer, from byte `offset` on.
  template <Plain T>
  Done Read(std::span<T> elements, uint64_t offset = 0) const {
    return detail::Finish(hal_buffer_read(get(), offset, elements.data(), elements.size_bytes()));
  }
  /// As spans: vectors, arrays.
  template <class Container>
  Done Write(const Container& elements, uint64_t offset = 0) const {
    return Write(std::span<const typename Container::value_type>(elements), offset);
  }
  template <class Container>
  Done Read(Container& elements, uint64_t offset = 0) const {
    return Read(std::span<typename Container::value_type>(elements), offset);
  }

  /// Maps a range, in bytes; what is left of the last element is not in the span.
  template <Plain T = std::byte>
  Returned<Mapping<T>> Map(hal_map_access_t access, uint64_t offset = 0, uint64_t length = HAL_WHOLE_SIZE) const {
    void* memory = nullptr;
    const hal_status_t code = hal_buffer_map(get(), access, offset, length, &memory);
    if (code != HAL_STATUS_OK) return detail::Finish(code, Mapping<T>());
    const uint64_t bytes = length == HAL_WHOLE_SIZE ? this->length() - offset : length;
    return Mapping<T>(get(), std::span<T>(static_cast<T*>(memory), static_cast<size_t>(bytes / sizeof(T))));
  }
  Done Flush(uint64_t offset = 0, uint64_t length = HAL_WHOLE_SIZE) const {
    return detail::Finish(hal_buffer_flush(get(), offset, length));
  }
  Done Invalidate(uint64_t offset = 0, uint64_t length = HAL_WHOLE_SIZE) const {
    return detail::Finish(hal_buffer_invalidate(get(), offset, length));
  }
  Returned<hal_external_memory_t> Export(hal_external_memory_type_t type) const {
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    const hal_status_t code = hal_buffer_export(get(), type, &memory);
    return detail::Finish(code, std::move(memory));
  }
};

/// A range of a buffer, or of what the binding table holds in a slot; a buffer alone stands for all of it.
class Ref {
 public:
  Ref(const Buffer& buffer) : ref_(hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE)) {}  // NOLINT
  Ref(const hal_buffer_ref_t& ref) : ref_(ref) {}                                       // NOLINT
  operator hal_buffer_ref_t() const { return ref_; }                                    // NOLINT

 private:
  hal_buffer_ref_t ref_;
};
static_assert(sizeof(Ref) == sizeof(hal_buffer_ref_t));
/// A range of what the binding table holds in a slot.
inline Ref Slot(uint32_t slot, uint64_t offset = 0, uint64_t length = HAL_WHOLE_SIZE) {
  return hal_slot_ref(slot, offset, length);
}

/// Ranges as an argument, which is where it lives: `{}`, `{input, output.Range(0, 16)}`, a vector.
class Refs {
 public:
  Refs() = default;
  Refs(std::initializer_list<Ref> refs) : list_{reinterpret_cast<const hal_buffer_ref_t*>(refs.begin()), refs.size()} {}
  Refs(std::span<const hal_buffer_ref_t> refs) : list_{refs.data(), refs.size()} {}  // NOLINT
  Refs(const std::convertible_to<std::span<const hal_buffer_ref_t>> auto& refs)      // NOLINT
      : Refs(std::span<const hal_buffer_ref_t>(refs)) {}
  operator hal_buffer_ref_list_t() const { return list_; }  // NOLINT
  const hal_buffer_ref_t* begin() const { return list_.refs; }
  const hal_buffer_ref_t* end() const { return list_.refs + list_.count; }

 private:
  hal_buffer_ref_list_t list_ = {nullptr, 0};
};

/// A buffer with element type and shape.
class BufferView : public Handle<hal_buffer_view_t, hal_buffer_view_retain, hal_buffer_view_release> {
 public:
  using Handle::Handle;
  static Returned<BufferView> Create(hal_buffer_t* buffer, hal_element_type_t type, std::span<const int64_t> sizes) {
    return detail::Make<BufferView>(
        [&](auto** out) { return hal_buffer_view_create(buffer, type, sizes.size(), sizes.data(), out); });
  }
  BufferView Share() const { return BufferView(Retained()); }

  /// Its buffer, with a reference of the caller's own.
  Buffer SharedBuffer() const {
    hal_buffer_t* const buffer = hal_buffer_view_buffer(get());
    hal_buffer_retain(buffer);
    return Buffer(buffer);
  }
  hal_element_type_t element_type() const { return hal_buffer_view_shape(get()).element_type; }
  std::span<const int64_t> sizes() const {
    const hal_shape_t shape = hal_buffer_view_shape(get());
    return {shape.sizes, shape.rank};
  }
  uint64_t element_count() const { return hal_buffer_view_element_count(get()); }
  /// Bytes.
  uint64_t length() const { return hal_buffer_view_length(get()); }
  Returned<uint64_t> ElementOffset(std::span<const int64_t> indices) const {
    uint64_t offset = 0;
    const hal_status_t code = hal_buffer_view_element_offset(get(), indices.size(), indices.data(), &offset);
    return detail::Finish(code, std::move(offset));
  }
  /// "2x2xf32=[1 2][3 4]".
  Returned<std::string> Format(size_t max_elements) const {
    std::string text;
    size_t length = 0;
    hal_status_t code = hal_buffer_view_format(get(), max_elements, nullptr, 0, &length);
    while (code == HAL_STATUS_OUT_OF_RANGE && length > text.size()) {
      text.resize(length);
      code = hal_buffer_view_format(get(), max_elements, text.data(), text.size() + 1, &length);
    }
    return detail::Finish(code, std::move(text));
  }
};

/// A device's memory.
class Allocator : public Handle<hal_allocator_t, hal_allocator_retain, hal_allocator_release> {
 public:
  using Handle::Handle;
  Allocator Share() const { return Allocator(Retained()); }

  Returned<Buffer> Allocate(uint64_t length, const hal_buffer_params_t& params = HAL_BUFFER_PARAMS_INIT) const {
    return detail::Make<Buffer>([&](auto** out) { return hal_allocator_allocate(get(), &params, length, out); });
  }
  /// Makes a buffer of memory that is not the library's. `release()` is called once, when it is no longer used.
  template <std::invocable Function>
  Returned<Buffer> Import(const hal_external_memory_t& memory, const hal_buffer_params_t& params,
                          Function release) const {
    detail::Once<Function> once(std::move(release));
    Buffer buffer;
    const hal_status_t code =
        hal_allocator_import(get(), &params, &memory, detail::CallOnce<Function>, once.get(), buffer.out());
    once.Handed(code);
    return detail::Finish(code, std::move(buffer));
  }
  Returned<std::vector<hal_memory_heap_t>> Heaps() const {
    std::vector<hal_memory_heap_t> heaps;
    const hal_memory_heap_t blank = HAL_INIT(hal_memory_heap_t);
    const auto query = [&](size_t* count, hal_memory_heap_t* out) {
      return hal_allocator_query_heaps(get(), count, out);
    };
    const hal_status_t code = detail::ReadList(blank, query, &heaps);
    return detail::Finish(code, std::move(heaps));
  }
  Returned<hal_allocator_statistics_t> Statistics() const {
    hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
    const hal_status_t code = hal_allocator_query_statistics(get(), &statistics);
    return detail::Finish(code, std::move(statistics));
  }
  Done Trim() const { return detail::Finish(hal_allocator_trim(get())); }
};

/// A source or target of queue operations.
class File : public Handle<hal_file_t, hal_file_retain, hal_file_release> {
 public:
  using Handle::Handle;
  static Returned<File> Open(std::string_view path, hal_file_access_t access) {
    return detail::Make<File>([&](auto** out) { return hal_file_open(View(path), access, out); });
  }
  static Returned<File> FromDescriptor(int descriptor, hal_file_access_t access) {
    return detail::Make<File>([&](auto** out) { return hal_file_from_descriptor(descriptor, access, out); });
  }
  /// `release()` is called once, when the memory is no longer used.
  template <std::invocable Function>
  static Returned<File> FromMemory(std::span<std::byte> memory, hal_file_access_t access, Function release) {
    detail::Once<Function> once(std::move(release));
    File file;
    const hal_status_t code =
        hal_file_from_memory(memory.data(), memory.size(), access, detail::CallOnce<Function>, once.get(), file.out());
    once.Handed(code);
    return detail::Finish(code, std::move(file));
  }
  File Share() const { return File(Retained()); }

  uint64_t length() const { return hal_file_length(get()); }
};

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_MEMORY_HPP_
