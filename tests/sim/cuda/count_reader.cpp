// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/count_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "cuda/call.h"

namespace halyard::cuda::abi {
namespace {

constexpr std::string_view kName = "halyard_read_counts";

using Grid = std::array<uint32_t, 3>;

// The parameters that are no addresses.
struct Constants {
  CUgraphDeviceNode node;
  Grid most;
};

bool Fits(const Grid& counts, const Grid& most) {
  return counts[0] <= most[0] && counts[1] <= most[1] && counts[2] <= most[2];
}

// A kernel that began before its context was lost may end after the graph was destroyed.
bool IsLeftOver(CUgraphDeviceNode node) {
  bool any_lost = false;
  Runtime::Get().contexts.ForEach([&](const auto& context) { any_lost |= context->lost != Error::kSuccess; });
  return any_lost && Runtime::Get().device_nodes.Peek(node) == nullptr;
}

// What the kernel does with the functions of the device runtime.
Error Update(const Constants& constants, const Grid& counts) {
  const Lock lock(Runtime::Get().mutex);
  if (IsLeftOver(constants.node)) return Error::kInvalidValue;
  const auto node = Runtime::Get().device_nodes.Find(constants.node);
  if (node == nullptr) return Error::kInvalidValue;
  node->enabled = Fits(counts, constants.most) && std::ranges::count(counts, 0U) == 0;
  return node->enabled ? node->SetGrid(counts) : Error::kSuccess;
}

int32_t ReadCounts(const hal_local_dispatch_t* dispatch, const hal_local_workgroup_t*) {
  Constants constants;
  Grid counts;
  std::memcpy(&constants.node, dispatch->constants, sizeof(constants.node));
  std::memcpy(&constants.most, static_cast<const std::byte*>(dispatch->constants) + 8, sizeof(constants.most));
  std::memcpy(&counts, dispatch->bindings[0], sizeof(counts));
  const Error error = Update(constants, counts);
  if (error == Error::kSuccess && Fits(counts, constants.most)) return 0;
  const uint32_t rejection[] = {counts[0], counts[1], counts[2], 1 + static_cast<uint32_t>(ToVendor(error))};
  std::memcpy(dispatch->bindings[1], rejection, sizeof(rejection));
  return 0;
}

}  // namespace

std::shared_ptr<const sim::HostCode> CountReaderCode(std::span<const std::byte> image) {
  const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  if (text.find(kName) == std::string_view::npos) return nullptr;
  sim::KernelCode code;
  code.name = code.symbol = kName;
  code.run = ReadCounts;
  code.constants_size = 20;
  code.binding_count = 2;
  code.parameters = {{false, 0, 8}, {true, 0, 8}, {true, 1, 8}, {false, 8, 4}, {false, 12, 4}, {false, 16, 4}};
  return sim::HostCode::Of({code});
}

}  // namespace halyard::cuda::abi
