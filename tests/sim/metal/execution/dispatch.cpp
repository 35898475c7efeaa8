// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution/dispatch.h"

#include <algorithm>
#include <cstring>

#include "framework/pipeline/argument_layout.h"
#include "framework/reports.h"
#include "framework/settings.h"

namespace halyard::metal_sim {
namespace {

std::string Name(const Dispatch& dispatch) { return "'" + dispatch.kernel->name + "'"; }

bool IsResident(const Dispatch& dispatch, const Storage* storage) {
  if (std::ranges::any_of(*dispatch.resident, [&](const auto& set) { return set->contains(storage); })) return true;
  return std::ranges::any_of(dispatch.state.buffers, [&](const auto& bound) { return bound.storage.get() == storage; });
}

void CheckResidency(const Dispatch& dispatch, const Storage& storage, bool written, const std::string& what) {
  if (IsResident(dispatch, &storage)) return;
  const auto used = dispatch.state.used->find(&storage);
  if (used == dispatch.state.used->end()) {
    Report("not-resident", what);
  } else if (written && !used->second) {
    Report("resource-usage", what + " is written, but useResource: said that it is read");
  }
}

// Each address in an argument buffer has to lie in memory that lives and is resident.
std::string CheckPointers(const Dispatch& dispatch, const msl_host::Argument& argument, const std::byte* plain,
                          std::vector<std::shared_ptr<Storage>>* keep) {
  for (const msl_host::Member& member : argument.members) {
    if (!member.pointer) continue;
    uint64_t address = 0;
    std::memcpy(&address, plain + member.offset, sizeof(address));
    if (address == 0) continue;
    std::shared_ptr<Storage> storage = Storage::Find(address);
    const std::string what = Name(dispatch) + ", member '" + member.name + "' of '" + argument.name + "'";
    if (!storage) {
      Report("invalid-argument-pointer", what);
      return what + " points to no memory; ";
    }
    CheckResidency(dispatch, *storage, member.writable, what);
    keep->push_back(std::move(storage));
  }
  return {};
}

/// The bytes of an argument, for the host.
std::string Resolve(const Dispatch& dispatch, const msl_host::Argument& argument, msl_host::Launch* launch,
                    std::vector<std::shared_ptr<Storage>>* keep, std::vector<std::vector<std::byte>>* decoded) {
  const BoundArgument& bound = dispatch.state.buffers[argument.index];
  const std::string what = Name(dispatch) + ", argument '" + argument.name + "'";
  std::byte* data = nullptr;
  size_t length = 0;
  if (bound.storage) {
    if (!bound.storage->alive()) {
      Report("buffer-gone", what);
      return what + " is gone; ";
    }
    data = reinterpret_cast<std::byte*>(bound.storage->device()) + bound.offset;
    length = bound.storage->length() - bound.offset;
  } else if (bound.bytes) {
    data = const_cast<std::byte*>(bound.bytes->data());
    length = bound.bytes->size();
  } else {
    Report("unbound-argument", what);
    return what + " is not bound; ";
  }
  const size_t needed = IsArgumentBuffer(argument) ? EncodedLength(argument) : argument.data_size;
  if (length < needed) {
    Report("short-argument", what + " has " + std::to_string(length) + " bytes of " + std::to_string(needed));
    return what + " is too short; ";
  }
  if (IsArgumentBuffer(argument)) {
    auto& plain = decoded->emplace_back(argument.data_size);
    if (TheSettings().tier >= 2) {
      std::memcpy(plain.data(), data, plain.size());
    } else if (!DecodeArguments(argument, data, plain.data())) {
      Report("argument-buffer", what + " was not written by an encoder");
      return what + " is damaged; ";
    }
    data = plain.data();
    if (std::string error = CheckPointers(dispatch, argument, data, keep); !error.empty()) return error;
  }
  launch->buffers[argument.index] = data;
  return {};
}

std::string ReadCounts(const Dispatch& dispatch, msl_host::Launch* launch) {
  const BoundArgument& counts = dispatch.counts;
  if (!counts.storage->alive()) {
    Report("buffer-gone", Name(dispatch) + ", the counts");
    return Name(dispatch) + ": the counts are gone; ";
  }
  std::memcpy(launch->threadgroups.data(), counts.storage->device() + counts.offset, sizeof(launch->threadgroups));
  return {};
}

}  // namespace

std::string Run(const Dispatch& dispatch) {
  msl_host::Launch launch;
  launch.threadgroups = dispatch.groups;
  launch.threads_per_threadgroup = dispatch.threads;
  launch.threadgroup_lengths = dispatch.state.threadgroup_lengths;
  std::vector<std::shared_ptr<Storage>> keep;
  std::vector<std::vector<std::byte>> decoded;
  decoded.reserve(dispatch.kernel->arguments.size());
  for (const msl_host::Argument& argument : dispatch.kernel->arguments) {
    if (argument.space == msl_host::AddressSpace::kThreadgroup) {
      if (launch.threadgroup_lengths[argument.index] != 0) continue;
      Report("threadgroup-length", Name(dispatch) + " has none");
      return Name(dispatch) + " has no threadgroup memory; ";
    }
    if (std::string error = Resolve(dispatch, argument, &launch, &keep, &decoded); !error.empty()) return error;
  }
  if (dispatch.counts.storage) {
    if (std::string error = ReadCounts(dispatch, &launch); !error.empty()) return error;
  }
  if (std::ranges::find(launch.threadgroups, 0u) != launch.threadgroups.end()) return {};
  dispatch.program->Run(dispatch.kernel->name, launch);
  return {};
}

}  // namespace halyard::metal_sim
