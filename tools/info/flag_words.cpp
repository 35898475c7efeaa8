// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flag_words.h"

#include <array>
#include <cstdio>
#include <span>
#include <string_view>

namespace halyard::tools {
namespace {

struct Word {
  uint64_t bit;
  std::string_view text;
};

constexpr Word kMemoryTypes[] = {
    {HAL_MEMORY_TYPE_DEVICE_LOCAL, "device-local"}, {HAL_MEMORY_TYPE_HOST_LOCAL, "host-local"},
    {HAL_MEMORY_TYPE_HOST_VISIBLE, "host-visible"}, {HAL_MEMORY_TYPE_HOST_COHERENT, "host-coherent"},
    {HAL_MEMORY_TYPE_HOST_CACHED, "host-cached"},
};

constexpr Word kUsages[] = {
    {HAL_BUFFER_USAGE_TRANSFER_SOURCE, "transfer-source"},
    {HAL_BUFFER_USAGE_TRANSFER_TARGET, "transfer-target"},
    {HAL_BUFFER_USAGE_STORAGE, "storage"},
    {HAL_BUFFER_USAGE_INDIRECT, "indirect"},
    {HAL_BUFFER_USAGE_MAPPING, "mapping"},
    {HAL_BUFFER_USAGE_EXPORT, "export"},
};

constexpr Word kDataTypes[] = {
    {HAL_DATA_TYPE_FLOAT16, "float16"},
    {HAL_DATA_TYPE_BFLOAT16, "bfloat16"},
    {HAL_DATA_TYPE_FLOAT64, "float64"},
    {HAL_DATA_TYPE_INT64_ATOMICS, "int64-atomics"},
    {HAL_DATA_TYPE_FLOAT16_ATOMIC_ADD, "float16-atomic-add"},
    {HAL_DATA_TYPE_BFLOAT16_ATOMIC_ADD, "bfloat16-atomic-add"},
    {HAL_DATA_TYPE_FLOAT32_ATOMIC_ADD, "float32-atomic-add"},
    {HAL_DATA_TYPE_FLOAT64_ATOMIC_ADD, "float64-atomic-add"},
};

constexpr Word kPeerHandles[] = {
    {HAL_PEER_HANDLE_HOST_POINTER, "host-pointer"},
    {HAL_PEER_HANDLE_DEVICE_POINTER, "device-pointer"},
    {HAL_PEER_HANDLE_OPAQUE_FD, "opaque-fd"},
    {HAL_PEER_HANDLE_DMA_BUF, "dma-buf"},
    {HAL_PEER_HANDLE_NATIVE_OBJECT, "native-object"},
    {HAL_PEER_HANDLE_HOST_FD, "host-fd"},
    {HAL_PEER_HANDLE_VIRTUAL_FD, "virtual-fd"},
    {HAL_PEER_HANDLE_FABRIC, "fabric"},
    {HAL_PEER_HANDLE_IPC, "ipc"},
    {HAL_PEER_HANDLE_WIN32, "win32"},
};

std::vector<std::string> WordsOf(uint64_t bits, std::span<const Word> words) {
  std::vector<std::string> texts;
  for (const Word& word : words) {
    if (bits & word.bit) texts.emplace_back(word.text);
  }
  return texts;
}

}  // namespace

std::vector<std::string> MemoryTypeWords(hal_memory_type_t type) { return WordsOf(type, kMemoryTypes); }

std::vector<std::string> BufferUsageWords(hal_buffer_usage_t usage) { return WordsOf(usage, kUsages); }

std::vector<std::string> DataTypeWords(hal_data_types_t types) { return WordsOf(types, kDataTypes); }

const char* DeviceKindWord(hal_device_kind_t kind) {
  switch (kind) {
    case HAL_DEVICE_KIND_CPU:
      return "cpu";
    case HAL_DEVICE_KIND_INTEGRATED:
      return "integrated";
    case HAL_DEVICE_KIND_DISCRETE:
      return "discrete";
    case HAL_DEVICE_KIND_VIRTUAL:
      return "virtual";
    default:
      return "unknown";
  }
}

std::string PciText(const hal_pci_address_t& address) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", address.domain, address.bus, address.device,
                address.function);
  return text.data();
}

std::string UuidText(const uint8_t* uuid) {
  std::string text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 4> byte;
    std::snprintf(byte.data(), byte.size(), "%02x", uuid[i]);
    text += byte.data();
  }
  return text;
}

const char* PeerShareWord(hal_peer_share_t share) {
  switch (share) {
    case HAL_PEER_SHARE_ALL:
      return "all";
    case HAL_PEER_SHARE_HOST:
      return "host";
    default:
      return "none";
  }
}

const char* CopyRouteWord(hal_copy_route_t route) {
  switch (route) {
    case HAL_COPY_ROUTE_DIRECT:
      return "direct";
    case HAL_COPY_ROUTE_STAGED:
      return "staged";
    case HAL_COPY_ROUTE_HOST:
      return "host";
    default:
      return "unknown";
  }
}

const char* PeerLinkWord(hal_peer_link_t link) {
  switch (link) {
    case HAL_PEER_LINK_SAME:
      return "same";
    case HAL_PEER_LINK_FABRIC:
      return "fabric";
    case HAL_PEER_LINK_PCIE:
      return "pcie";
    case HAL_PEER_LINK_HOST:
      return "host";
    default:
      return "unknown";
  }
}

std::vector<std::string> PeerHandleWords(hal_peer_handles_t handles) { return WordsOf(handles, kPeerHandles); }

const char* PeerRelationWord(hal_peer_relation_t relation) {
  switch (relation) {
    case HAL_PEER_RELATION_ACCESS:
      return "access";
    case HAL_PEER_RELATION_SAME:
      return "same";
    default:
      return "none";
  }
}

}  // namespace halyard::tools
