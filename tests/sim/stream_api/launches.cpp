// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/launches.h"

#include <string>
#include <utility>
#include <vector>

namespace halyard::sim {
namespace {

Error Complain(const Function& function, const std::string& text) {
  Runtime::Get().reports.Add(Rule::kKernelParameters, "launch of '" + function.entry.name + "': " + text);
  return Error::kInvalidValue;
}

// One pointer for each parameter. How many there are cannot be seen; a null among them can.
Error ReadPointers(void** params, const Function& function, std::vector<std::byte>* arguments) {
  for (size_t i = 0; i < function.entry.parameters.size(); ++i) {
    const ParameterPlace& place = function.entry.parameters[i];
    if (params == nullptr || params[i] == nullptr) {
      return Complain(function, "parameter " + std::to_string(i) + " of " +
                                    std::to_string(function.entry.parameters.size()) + " is missing");
    }
    std::memcpy(arguments->data() + place.offset, params[i], place.size);
  }
  return Error::kSuccess;
}

// A list of markers, each with its value behind it.
Error ReadBlock(void** extra, const Function& function, std::vector<std::byte>* arguments) {
  const ExtraMarkers markers = VendorExtraMarkers();
  const void* block = nullptr;
  size_t size = 0;
  for (; reinterpret_cast<uintptr_t>(*extra) != markers.end; extra += 2) {
    if (reinterpret_cast<uintptr_t>(*extra) == markers.buffer) {
      block = extra[1];
    } else if (reinterpret_cast<uintptr_t>(*extra) == markers.size) {
      size = *static_cast<const size_t*>(extra[1]);
    } else {
      return Complain(function, "an unknown marker among the extra parameters");
    }
  }
  // Padding at the end is allowed.
  const size_t needed = arguments->size();
  if (block == nullptr || size < needed || size > (needed + 15) / 16 * 16) {
    return Complain(function, std::to_string(size) + " bytes of parameters, expected " + std::to_string(needed));
  }
  std::memcpy(arguments->data(), block, needed);
  return Error::kSuccess;
}

}  // namespace

Error MakeLaunch(const LaunchParams& params, Launch* launch) {
  launch->function = Runtime::Get().functions.Find(params.function);
  if (launch->function == nullptr) return Error::kInvalidHandle;
  launch->grid = params.grid;
  launch->block = params.block;
  launch->dynamic_shared = params.shared_bytes;
  const Error error = CheckLaunch(*launch);
  if (error != Error::kSuccess) return error;
  const Function& function = *launch->function;
  launch->arguments.resize(function.ArgumentSize());
  if (params.params != nullptr && params.extra != nullptr) return Complain(function, "parameters come twice");
  return params.extra != nullptr ? ReadBlock(params.extra, function, &launch->arguments)
                                 : ReadPointers(params.params, function, &launch->arguments);
}

Error SubmitLaunch(const LaunchParams& params, const void* stream) {
  const auto queue = FindStream(stream);
  if (queue == nullptr) return Error::kInvalidHandle;
  Launch launch;
  const Error error = MakeLaunch(params, &launch);
  if (error != Error::kSuccess) return error;
  if (launch.function->context != queue->context()) return Error::kInvalidHandle;
  queue->Submit(LaunchWork(std::move(launch)));
  return Error::kSuccess;
}

Error MakeWork(const LaunchParams* params, Work* work) {
  if (params == nullptr) return Error::kInvalidValue;
  Launch launch;
  const Error error = MakeLaunch(*params, &launch);
  if (error != Error::kSuccess) return error;
  *work = LaunchWork(launch);
  work->launch = std::make_shared<const Launch>(std::move(launch));
  return error;
}

}  // namespace halyard::sim
