// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/native/metal_options.h"

#include <array>

#include "driver_kit/device/wait_option.h"
#include "submission/queue_point.h"

namespace halyard::metal {
namespace {

constexpr std::array<std::string_view, 2> kDispatches = {"concurrent", "serial"};
constexpr std::array<std::string_view, 3> kArguments = {"auto", "direct", "encoder"};
constexpr std::array<std::string_view, 3> kResidencies = {"auto", "set", "use"};
constexpr std::array<std::string_view, 3> kTransfers = {"auto", "blit", "kernel"};  // in the order of TransferMode

Status CheckTraits(const MetalTraits& traits, const MetalOptions& options) {
  if (!options.argument_encoder && !traits.gpu_addresses) {
    return FailWith(HAL_STATUS_UNAVAILABLE,
                    "arguments=direct: the device is not of the family Metal 3, so argument buffers need an encoder");
  }
  if (options.residency_set && !traits.residency_sets) {
    return FailWith(HAL_STATUS_UNAVAILABLE, "residency=set: residency sets came with macOS 15 and iOS 18");
  }
  return kOk;
}

}  // namespace

Status ReadOptions(Options& options, const MetalTraits& traits, MetalOptions* out) {
  uint64_t queues = out->queue_count;
  uint64_t in_flight = out->in_flight;
  size_t dispatch = 0;
  size_t arguments = 0;
  size_t residency = 0;
  size_t transfers = 0;
  std::string_view capture;
  std::string_view trace;
  out->memory = traits.working_set;
  HAL_TRY(options.Uint("queues", 1, kMaxQueues, &queues));
  HAL_TRY(options.Word("dispatch", kDispatches, &dispatch));
  HAL_TRY(options.Word("arguments", kArguments, &arguments));
  HAL_TRY(options.Word("residency", kResidencies, &residency));
  HAL_TRY(options.Word("transfers", kTransfers, &transfers));
  HAL_TRY(options.Uint("in_flight", 1, 4096, &in_flight));
  HAL_TRY(options.Bytes("memory", &out->memory));
  HAL_TRY(options.Bytes("pool", &out->pool));
  HAL_TRY(options.Text("capture", &capture));
  HAL_TRY(ReadWaitMode(options, &out->wait));
  HAL_TRY(options.Text("trace", &trace));
  out->queue_count = static_cast<uint32_t>(queues);
  out->in_flight = static_cast<uint32_t>(in_flight);
  out->concurrent = dispatch == 0;
  out->argument_encoder = arguments == 2 || (arguments == 0 && !traits.gpu_addresses);
  out->residency_set = residency == 1 || (residency == 0 && traits.residency_sets);
  out->transfers = static_cast<TransferMode>(transfers);
  out->capture = capture;
  out->trace = trace;
  return CheckTraits(traits, *out);
}

}  // namespace halyard::metal
