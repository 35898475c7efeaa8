// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds and bits of the API as text.
#ifndef HALYARD_TOOLS_INFO_FLAG_WORDS_H_
#define HALYARD_TOOLS_INFO_FLAG_WORDS_H_

#include <string>
#include <vector>

#include "halyard/allocator.h"
#include "halyard/device_properties.h"

namespace halyard::tools {

/// "device-local", "host-visible", …
std::vector<std::string> MemoryTypeWords(hal_memory_type_t type);
/// "transfer-source", "storage", …
std::vector<std::string> BufferUsageWords(hal_buffer_usage_t usage);
/// "float16", "int64-atomics", …
std::vector<std::string> DataTypeWords(hal_data_types_t types);
/// "cpu", "discrete", …
const char* DeviceKindWord(hal_device_kind_t kind);
/// "0000:1a:00.0".
std::string PciText(const hal_pci_address_t& address);
/// "3d1f8a60-…", of 16 bytes.
std::string UuidText(const uint8_t* uuid);
/// "none", "access", "same".
const char* PeerRelationWord(hal_peer_relation_t relation);
const char* CopyRouteWord(hal_copy_route_t route);
const char* PeerShareWord(hal_peer_share_t share);
const char* PeerLinkWord(hal_peer_link_t link);
std::vector<std::string> PeerHandleWords(hal_peer_handles_t handles);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_INFO_FLAG_WORDS_H_
