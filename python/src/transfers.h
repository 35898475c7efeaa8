// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between arrays of the host and buffers. Arrays are kept until the library no longer uses them.
#ifndef HALYARD_PYTHON_TRANSFERS_H_
#define HALYARD_PYTHON_TRANSFERS_H_

#include "buffer.h"
#include "stream.h"

namespace halyard::python {

/// A view of an array through the buffer protocol, given up when it goes.
class HostView {
 public:
  /// Throws BufferError or TypeError as the array says, and ValueError for one that is not dense.
  HostView(nb::handle array, bool writable);
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;
  ~HostView();

  void* data() const { return view_->buf; }
  uint64_t length() const { return static_cast<uint64_t>(view_->len); }
  const Py_buffer& view() const { return *view_; }
  /// A memoryview that keeps the array in place for as long as it is referenced.
  nb::object Keeper() const;

 private:
  nb::object array_;
  Py_buffer* view_;
};

void Upload(const Stream& stream, nb::handle source, const Buffer& target);
void Download(const Stream& stream, const Buffer& source, nb::handle target);

/// Copies at once: waits for what uses the buffer, and for the copy.
void CopyFromHost(nb::handle source, const Buffer& target);
void CopyToHost(const Buffer& source, nb::handle target);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_TRANSFERS_H_
