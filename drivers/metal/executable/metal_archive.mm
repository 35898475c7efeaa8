// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/executable/metal_archive.h"

#include <xxhash.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "metal/native/metal_errors.h"
#include "metal/native/metal_library.h"
#include "platform/folder.h"

namespace halyard::metal {
namespace {

// Keys have no spaces.
HostString Word(std::string_view text) {
  HostString word(text);
  std::replace_if(
      word.begin(), word.end(), [](char c) { return c <= ' ' || c > '~' || c == '/'; }, '_');
  return word;
}

HostString MakeKey(const MetalTraits& traits, std::span<const std::byte> image,
                   std::span<const std::string_view> functions, std::span<const hal_specialization_t> specializations) {
  HostString choices;
  for (const std::string_view function : functions) choices.append(function).push_back('\0');
  choices.append(reinterpret_cast<const char*>(specializations.data()), specializations.size_bytes());
  const uint64_t seed = XXH3_64bits(choices.data(), choices.size());
  const XXH128_hash_t hash = XXH3_128bits_withSeed(image.data(), image.size(), seed);
  char text[40];
  std::snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
  NSString* const system = [[NSProcessInfo processInfo] operatingSystemVersionString];
  const HostString& device = traits.architecture.empty() ? traits.name : traits.architecture;
  return "metal/" + Word(FromNSString(system)) + "/" + Word(device) + "/" + text;
}

id<MTLBinaryArchive> OpenArchive(NativeDevice device, NSString* path) {
  MTLBinaryArchiveDescriptor* const descriptor =
      [[[HALYARD_METAL_CLASS(MTLBinaryArchiveDescriptor) alloc] init] autorelease];
  if (path) [descriptor setUrl:[NSURL fileURLWithPath:path]];
  NSError* error = nil;
  return [Id(device) newBinaryArchiveWithDescriptor:descriptor error:&error];
}

void TakeFile(void* user_data, const void* data, size_t size) {
  NSData* const bytes = [NSData dataWithBytes:data length:size];
  const auto* const path = static_cast<const HostString*>(user_data);
  [bytes writeToFile:ToNSString(*path) atomically:NO];
}

}  // namespace

MetalArchive::~MetalArchive() {
  const AutoreleaseScope scope;
  archive_ = {};
  if (!path_.empty()) static_cast<void>(Remove(-1, path_.c_str()));
}

void MetalArchive::NamePath() {
  NSString* const name = [[NSProcessInfo processInfo] globallyUniqueString];
  NSString* const path = [NSTemporaryDirectory() stringByAppendingPathComponent:name];
  path_ = HostString(FromNSString(path)) + ".halyard-archive";
}

bool MetalArchive::Load(const HostString& key) {
  if (!blobs_->load(blobs_->context, ToC(key), TakeFile, &path_)) return false;
  archive_ =
      Owned<NativeBinaryArchive>::Adopting(ToNative<NativeBinaryArchive>(OpenArchive(device_, ToNSString(path_))));
  return static_cast<bool>(archive_);
}

void MetalArchive::Open(std::span<const std::byte> image, std::span<const std::string_view> functions,
                        std::span<const hal_specialization_t> specializations) {
  if (!blobs_ || !blobs_->load || !blobs_->store) return;
  const AutoreleaseScope scope;
  key_ = MakeKey(traits_, image, functions, specializations);
  NamePath();
  found_ = Load(key_);
  if (!found_) {
    archive_ = Owned<NativeBinaryArchive>::Adopting(ToNative<NativeBinaryArchive>(OpenArchive(device_, nil)));
  }
}

void MetalArchive::Store() noexcept {
  if (!collects()) return;
  const AutoreleaseScope scope;
  NSError* error = nil;
  NSString* const path = ToNSString(path_);
  if (![Id(archive_.get()) serializeToURL:[NSURL fileURLWithPath:path] error:&error]) return;
  NSData* const bytes = [NSData dataWithContentsOfFile:path];
  if (bytes) blobs_->store(blobs_->context, ToC(key_), [bytes bytes], [bytes length]);
}

}  // namespace halyard::metal
