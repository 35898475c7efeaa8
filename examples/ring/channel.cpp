// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ring/channel.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace examples {
namespace {

/// A message of one block of bytes and at most one descriptor.
struct Message {
  Message(void* bytes, size_t size) : block{bytes, size} {
    header.msg_iov = &block;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
  }

  iovec block;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
};

}  // namespace

Channel::~Channel() { close(socket_); }

void Channel::SendBytes(const void* bytes, size_t size, int descriptor) const {
  Message message(const_cast<void*>(bytes), size);
  cmsghdr* const rights = CMSG_FIRSTHDR(&message.header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(descriptor));
  std::memcpy(CMSG_DATA(rights), &descriptor, sizeof(descriptor));
  const ssize_t sent = sendmsg(socket_, &message.header, MSG_NOSIGNAL);
  close(descriptor);
  if (sent != static_cast<ssize_t>(size)) throw std::runtime_error("the other process takes no handles");
}

int Channel::ReceiveBytes(void* bytes, size_t size) const {
  Message message(bytes, size);
  const ssize_t received = recvmsg(socket_, &message.header, MSG_WAITALL | MSG_CMSG_CLOEXEC);
  const cmsghdr* const rights = CMSG_FIRSTHDR(&message.header);
  if (received != static_cast<ssize_t>(size) || !rights || rights->cmsg_type != SCM_RIGHTS) {
    throw std::runtime_error("the other process sent no handle");
  }
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(rights), sizeof(descriptor));
  return descriptor;
}

void Channel::Send(const hal_external_memory_t& memory) const {
  SendBytes(&memory, sizeof(memory), static_cast<int>(memory.handle));
}
void Channel::Send(const hal_external_semaphore_t& semaphore) const {
  SendBytes(&semaphore, sizeof(semaphore), static_cast<int>(semaphore.handle));
}
void Channel::Receive(hal_external_memory_t* memory) const {
  const int descriptor = ReceiveBytes(memory, sizeof(*memory));
  memory->handle = static_cast<uint64_t>(descriptor);
}
void Channel::Receive(hal_external_semaphore_t* semaphore) const {
  const int descriptor = ReceiveBytes(semaphore, sizeof(*semaphore));
  semaphore->handle = static_cast<uint64_t>(descriptor);
}

}  // namespace examples
