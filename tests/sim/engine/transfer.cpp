// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/transfer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/runtime.h"

namespace halyard::sim {
namespace {

std::array<Access, 2> Accesses(const Copy& copy) {
  return {Access{copy.target, copy.size, copy.host_target, !copy.any_device, "a copy's target"},
          Access{copy.source, copy.size, copy.host_source, !copy.any_device, "a copy's source"}};
}

// Each side from its first byte to its last, which the vendors look at.
Copy WholeOf(const CopyRows& copy, bool target) {
  const size_t pitch = target ? copy.target_pitch : copy.source_pitch;
  const size_t slice = target ? copy.target_slice : copy.source_slice;
  Copy whole = copy.row;
  whole.size += (copy.height - 1) * pitch + (copy.depth - 1) * slice;
  return whole;
}

std::array<Access, 2> Accesses(const CopyRows& copy) {
  return {Accesses(WholeOf(copy, true))[0], Accesses(WholeOf(copy, false))[1]};
}

bool PitchesFit(const CopyRows& copy, size_t pitch, size_t slice) {
  constexpr size_t kMaxPitch = 2147483647;
  if (copy.height > 1 && (pitch < copy.row.size || pitch > kMaxPitch)) return false;
  return copy.depth == 1 || slice >= (copy.height - 1) * pitch + copy.row.size;
}

void RunCopy(const CopyRows& copy) {
  for (size_t z = 0; z < copy.depth; ++z) {
    for (size_t y = 0; y < copy.height; ++y) {
      std::memmove(reinterpret_cast<void*>(copy.row.target + z * copy.target_slice + y * copy.target_pitch),
                   reinterpret_cast<const void*>(copy.row.source + z * copy.source_slice + y * copy.source_pitch),
                   copy.row.size);
    }
  }
}

Access AccessOf(const Fill& fill) { return {fill.target, fill.count * fill.element_size, false, true, "a fill"}; }

template <typename Element>
void FillElements(const Fill& fill) {
  const auto value = static_cast<Element>(fill.value);
  if (fill.target % sizeof(value) == 0) {
    std::fill_n(reinterpret_cast<Element*>(fill.target), fill.count, value);
    return;
  }
  auto* const target = reinterpret_cast<std::byte*>(fill.target);
  for (size_t i = 0; i < fill.count; ++i) std::memcpy(target + i * sizeof(value), &value, sizeof(value));
}

void RunFill(const Fill& fill) {
  if (fill.element_size == 1) FillElements<uint8_t>(fill);
  if (fill.element_size == 2) FillElements<uint16_t>(fill);
  if (fill.element_size == 4) FillElements<uint32_t>(fill);
}

}  // namespace

Error CheckCopy(const Copy& copy) {
  for (const Access& access : Accesses(copy)) {
    const Error error = Runtime::Get().memory.CheckAtSubmission(access);
    if (error != Error::kSuccess) return error;
  }
  return Error::kSuccess;
}

Work CopyWork(const Copy& copy) {
  Work work;
  work.addresses = {copy.target, copy.source};
  work.run = [copy](Lock& lock, Context& context) {
    for (const Access& access : Accesses(copy)) {
      const Error error = Runtime::Get().memory.Check(access, context);
      if (error != Error::kSuccess) return error;
    }
    lock.unlock();
    std::memmove(reinterpret_cast<void*>(copy.target), reinterpret_cast<const void*>(copy.source), copy.size);
    lock.lock();
    return Error::kSuccess;
  };
  return work;
}

Error CheckCopy(const CopyRows& copy) {
  if (!PitchesFit(copy, copy.target_pitch, copy.target_slice)) return Error::kInvalidValue;
  if (!PitchesFit(copy, copy.source_pitch, copy.source_slice)) return Error::kInvalidValue;
  for (const Access& access : Accesses(copy)) {
    const Error error = Runtime::Get().memory.CheckAtSubmission(access);
    if (error != Error::kSuccess) return error;
  }
  return Error::kSuccess;
}

Work CopyWork(const CopyRows& copy) {
  Work work;
  work.addresses = {copy.row.target, copy.row.source};
  work.run = [copy](Lock& lock, Context& context) {
    for (const Access& access : Accesses(copy)) {
      const Error error = Runtime::Get().memory.Check(access, context);
      if (error != Error::kSuccess) return error;
    }
    lock.unlock();
    RunCopy(copy);
    lock.lock();
    return Error::kSuccess;
  };
  return work;
}

Error CheckFill(const Fill& fill) {
  const uint32_t size = fill.element_size;
  if (size != 1 && size != 2 && size != 4) return Error::kInvalidValue;
  if (fill.target % size != 0 && !Runtime::Get().rules.fills_unaligned) return Error::kInvalidValue;
  if (fill.count > SIZE_MAX / size) return Error::kInvalidValue;
  return Runtime::Get().memory.CheckAtSubmission(AccessOf(fill));
}

Work FillWork(const Fill& fill) {
  Work work;
  work.addresses = {fill.target};
  work.run = [fill](Lock& lock, Context& context) {
    const Error error = Runtime::Get().memory.Check(AccessOf(fill), context);
    if (error != Error::kSuccess) return error;
    lock.unlock();
    RunFill(fill);
    lock.lock();
    return Error::kSuccess;
  };
  return work;
}

// The pattern lies in a ring that the fills of all executable graphs share.
Work GraphFillWork(const Fill& fill) {
  Work work = FillWork(fill);
  if (Runtime::Get().rules.graph_fill_patterns == 0) return work;
  work.instantiated = [fill] {
    Runtime& runtime = Runtime::Get();
    auto& patterns = runtime.graph_fill_patterns;
    patterns.resize(runtime.rules.graph_fill_patterns);
    const size_t place = runtime.graph_fills++ % patterns.size();
    patterns[place] = fill.value;
    Work kept = FillWork(fill);
    kept.run = [fill, place](Lock& lock, Context& context) {
      Fill now = fill;
      now.value = Runtime::Get().graph_fill_patterns[place];
      return FillWork(now).run(lock, context);
    };
    return kept;
  };
  return work;
}

}  // namespace halyard::sim
