// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/other_process.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cts/cts.h"

namespace halyard::cts {
namespace {

constexpr char kSocket[] = "HALYARD_CTS_OTHER_PROCESS";  // the number of its socket
constexpr size_t kMostBytes = 65'536;

struct Request {
  bool release = false;  // and import nothing
  bool has_descriptor = false;
  uint8_t fill = 0;
  hal_external_memory_t memory{};
};

struct Reply {
  hal_status_t status = HAL_STATUS_OK;
  std::array<char, 512> message{};
  std::array<uint8_t, kMostBytes> bytes{};
};

bool HasDescriptor(hal_external_memory_type_t type) {
  return type != HAL_EXTERNAL_MEMORY_TYPE_IPC && type != HAL_EXTERNAL_MEMORY_TYPE_FABRIC;
}

/// One message with room for a descriptor.
class Letter {
 public:
  explicit Letter(Request* request) : part_{request, sizeof(*request)} {
    header_.msg_iov = &part_;
    header_.msg_iovlen = 1;
    header_.msg_control = control_;
    header_.msg_controllen = sizeof(control_);
  }

  bool Send(int socket, int descriptor) {
    if (descriptor < 0) {
      header_.msg_control = nullptr;
      header_.msg_controllen = 0;
    } else {
      cmsghdr* const rights = CMSG_FIRSTHDR(&header_);
      *rights = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
      std::memcpy(CMSG_DATA(rights), &descriptor, sizeof(descriptor));
    }
    return sendmsg(socket, &header_, MSG_NOSIGNAL) == static_cast<ssize_t>(part_.iov_len);
  }
  bool Receive(int socket, int* out_descriptor) {
    if (recvmsg(socket, &header_, MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(part_.iov_len)) return false;
    const cmsghdr* const rights = CMSG_FIRSTHDR(&header_);
    *out_descriptor = -1;
    if (rights) std::memcpy(out_descriptor, CMSG_DATA(rights), sizeof(*out_descriptor));
    return true;
  }

 private:
  iovec part_;
  msghdr header_{};
  alignas(cmsghdr) char control_[CMSG_SPACE(sizeof(int))] = {};
};

/// This program's arguments, except for what chooses tests.
std::vector<std::string> Arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> all;
  for (std::string argument; std::getline(file, argument, '\0');) {
    if (argument.rfind("--gtest_", 0) != 0) all.push_back(argument);
  }
  return all;
}

pid_t Start(int socket) {
  std::vector<std::string> texts = Arguments();
  std::vector<char*> arguments;
  arguments.reserve(texts.size() + 1);
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  setenv(kSocket, std::to_string(socket).c_str(), 1);
  pid_t process = -1;
  const int error = posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ);
  unsetenv(kSocket);
  if (error != 0) throw std::runtime_error("the program does not start again: " + std::string(std::strerror(error)));
  return process;
}

hal_status_t ImportThere(const Device& device, const Request& request, std::vector<Buffer>* kept, Reply* reply) {
  const hal_buffer_params_t params = DeviceLocal();
  Buffer buffer;
  const hal_status_t status =
      hal_allocator_import(device.allocator(), &params, &request.memory, nullptr, nullptr, buffer.out());
  if (status != HAL_STATUS_OK) return status;
  const std::vector<uint8_t> found = device.Download<uint8_t>(buffer);
  std::copy_n(found.begin(), std::min(found.size(), kMostBytes), reply->bytes.begin());
  const Semaphore done = device.CreateSemaphore();
  const hal_status_t filled = device.QueueFill(kNoWaits, {{done, 1}}, buffer, request.fill);
  kept->push_back(std::move(buffer));
  return filled == HAL_STATUS_OK ? done.Wait(1) : filled;
}

void Serve(const Device& device, int socket) {
  std::vector<Buffer> kept;
  Request request;
  for (int descriptor = -1; Letter(&request).Receive(socket, &descriptor);) {
    auto reply = std::make_unique<Reply>();
    if (request.has_descriptor) request.memory.handle = static_cast<uint64_t>(descriptor);
    if (request.release) {
      kept.clear();
    } else {
      reply->status = ImportThere(device, request, &kept, reply.get());
      if (reply->status != HAL_STATUS_OK) {
        std::strncpy(reply->message.data(), hal_last_error_message(), reply->message.size() - 1);
      }
    }
    if (descriptor >= 0) close(descriptor);
    if (write(socket, reply.get(), sizeof(*reply)) != static_cast<ssize_t>(sizeof(*reply))) return;
  }
}

}  // namespace

OtherProcess::OtherProcess() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no sockets");
  socket_ = ends[0];
  const int theirs = dup(ends[1]);  // which goes through exec
  close(ends[1]);
  process_ = Start(theirs);
  close(theirs);
}

OtherProcess::~OtherProcess() {
  if (socket_ >= 0) close(socket_);
  if (process_ <= 0) return;
  int status = -1;
  waitpid(process_, &status, 0);
  EXPECT_EQ(status, 0) << "of the other process";
}

Imported OtherProcess::Import(const hal_external_memory_t& memory, uint8_t fill) {
  Request request;
  request.memory = memory;
  request.fill = fill;
  request.has_descriptor = HasDescriptor(memory.type);
  auto reply = std::make_unique<Reply>();
  const int descriptor = request.has_descriptor ? static_cast<int>(memory.handle) : -1;
  const bool answered = Letter(&request).Send(socket_, descriptor) &&
                        read(socket_, reply.get(), sizeof(*reply)) == static_cast<ssize_t>(sizeof(*reply));
  if (!answered) throw std::runtime_error("the other process does not answer");
  const size_t length = std::min<uint64_t>(memory.length, kMostBytes);
  return {reply->status, reply->message.data(), {reply->bytes.begin(), reply->bytes.begin() + length}};
}

void OtherProcess::Release() {
  Request request;
  request.release = true;
  auto reply = std::make_unique<Reply>();
  const bool answered = Letter(&request).Send(socket_, -1) && read(socket_, reply.get(), sizeof(*reply)) > 0;
  if (!answered) throw std::runtime_error("the other process does not answer");
}

void OtherProcess::Kill() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

bool IsOtherProcess() { return std::getenv(kSocket) != nullptr; }

void RunOtherProcess(Device device) {
  Serve(device, std::atoi(std::getenv(kSocket)));
  device.reset();
  std::exit(0);
}

}  // namespace halyard::cts
