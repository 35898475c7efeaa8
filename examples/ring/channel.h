// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// How handles get from one process to another: over a socket, structs as bytes and descriptors as SCM_RIGHTS.
#ifndef HALYARD_EXAMPLES_RING_CHANNEL_H_
#define HALYARD_EXAMPLES_RING_CHANNEL_H_

#include "halyard/allocator.h"
#include "halyard/semaphore.h"

namespace examples {

/// One end of a connection, which it closes. All functions throw if the other end is gone.
class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  /// Sends what was exported, and closes this process's descriptor: the other one has its own.
  void Send(const hal_external_memory_t& memory) const;
  void Send(const hal_external_semaphore_t& semaphore) const;
  /// Receives it; `handle` is a descriptor of this process, which the caller closes.
  void Receive(hal_external_memory_t* memory) const;
  void Receive(hal_external_semaphore_t* semaphore) const;

 private:
  void SendBytes(const void* bytes, size_t size, int descriptor) const;
  int ReceiveBytes(void* bytes, size_t size) const;

  const int socket_;
};

}  // namespace examples

#endif  // HALYARD_EXAMPLES_RING_CHANNEL_H_
