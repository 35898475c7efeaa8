// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/host_object/linked_object.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace halyard {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kThisMachine = ObjectFile::kX86_64;
#elif defined(__aarch64__)
constexpr uint16_t kThisMachine = ObjectFile::kAarch64;
#else
constexpr uint16_t kThisMachine = 0;
#endif

/// Puts an object together, and writes it to its memory.
Status Place(ObjectLink& link, const CodeBlock& block) {
  constexpr CodePart kFilled[] = {CodePart::kCode, CodePart::kConstants};
  std::array<HostVector<std::byte>, kCodeParts> bytes;
  LinkTarget target;
  for (size_t i = 0; i < kCodeParts; ++i) {
    const auto part = static_cast<CodePart>(i);
    target.addresses[i] = reinterpret_cast<uintptr_t>(block.Begin(part));
    if (part == CodePart::kData) {
      target.bytes[i] = {block.Begin(part), link.Sizes()[i].size};
    } else {
      bytes[i].resize(link.Sizes()[i].size);
      target.bytes[i] = bytes[i];
    }
  }
  HAL_TRY(link.Build(target));
  for (const CodePart part : kFilled) HAL_TRY(block.Write(part, bytes[static_cast<size_t>(part)]));
  block.Publish();
  return kOk;
}

}  // namespace

Status LinkedObject::Link(Bytes image, Externals& externals, CodeArenas& arenas) {
  ObjectFile file;
  HAL_TRY(file.Read(image));
  if (file.Machine() != kThisMachine) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the object is for machine %u, this host is machine %u", file.Machine(),
                kThisMachine);
  }
  ObjectLink link(file, externals);
  HAL_TRY(link.Plan());
  CodeBlock block;
  HAL_TRY((link.NeedsLowMemory() ? arenas.low : arenas.anywhere).Allocate(link.Sizes(), &block));
  HAL_TRY(Place(link, block));
  block_ = std::move(block);
  TakeSymbols(file);
  return kOk;
}

void LinkedObject::TakeSymbols(const ObjectFile& file) {
  HostVector<LinkedSymbol> symbols;
  for (const ElfSymbol& symbol : file.Symbols()) {
    const auto place = file.SymbolPlace(symbol);
    if (!place || symbol.binding == ObjectFile::kLocal || symbol.name.empty()) continue;
    symbols.push_back({HostString(symbol.name), block_.Begin(place->part) + place->offset, symbol.size, place->part,
                       symbol.type == ObjectFile::kVariable});
  }
  std::ranges::stable_sort(symbols, {}, &LinkedSymbol::name);
  symbols_ = std::move(symbols);
}

const LinkedSymbol* LinkedObject::Find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(symbols_, name, {},
                                              [](const LinkedSymbol& symbol) { return std::string_view(symbol.name); });
  return found == symbols_.end() || found->name != name ? nullptr : &*found;
}

}  // namespace halyard
