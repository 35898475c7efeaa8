// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/amd/bundle_compression.h"

#include <array>

#include "base/dynamic_library.h"
#include "base/text/printf_number.h"

namespace halyard {
namespace {

constexpr std::string_view kMagic = "CCOB";
// An image takes at most 64 times its size and 16 MiB while it is read, which leaves room for its lists. A head of a
// few bytes is not worth more than a moment.
constexpr uint64_t kMostGrowth = 48;
constexpr uint64_t kFreeGrowth = uint64_t{1} << 20;

/// What the header says (clang's OffloadBundler.cpp, CompressedOffloadBundle).
struct Header {
  uint16_t method = 0;
  uint64_t file_size = 0;  ///< bytes, with the header
  uint64_t unpacked_size = 0;
  uint64_t contents = 0;  ///< where the packed bytes begin
};

// Version 1: the size unpacked, 32 bits. 2: before it the size of the file, also 32 bits. 3: both have 64 bits. A hash
// of 64 bits ends the header.
Status ReadHeader(Bytes image, Header* out) {
  constexpr uint64_t kVersionAt = 4;
  constexpr uint64_t kMethodAt = 6;
  constexpr uint64_t kSizesAt = 8;
  constexpr uint64_t kHashSize = 8;
  if (!IsInside(image, 0, kSizesAt)) {
    return Fail(HAL_STATUS_DATA_LOSS, "its header exceeds the %zu bytes", image.size());
  }
  const auto version = ReadUint<uint16_t>(image, kVersionAt);
  if (version < 1 || version > 3) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "it has version %u; versions 1 to 3 are known", version);
  }
  const uint64_t width = version == 3 ? 8 : 4;
  const uint64_t count = version == 1 ? 1 : 2;
  out->method = ReadUint<uint16_t>(image, kMethodAt);
  out->contents = kSizesAt + count * width + kHashSize;
  if (!IsInside(image, 0, out->contents)) {
    return Fail(HAL_STATUS_DATA_LOSS, "its header exceeds the %zu bytes", image.size());
  }
  const auto read = [&](uint64_t at) {
    return width == 8 ? ReadUint<uint64_t>(image, at) : uint64_t{ReadUint<uint32_t>(image, at)};
  };
  out->file_size = version == 1 ? image.size() : read(kSizesAt);
  out->unpacked_size = read(kSizesAt + (count - 1) * width);
  if (out->file_size >= out->contents && out->file_size <= image.size()) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "it has %llu bytes by its header, of %zu", Number(out->file_size), image.size());
}

/// What a method is unpacked with. The library stays loaded.
struct Unpacker {
  const char* method;
  std::array<const char*, 2> files;
  const char* function;
  /// Whether it has written `size` bytes to `target`.
  bool (*unpack)(void* function, std::byte* target, uint64_t size, Bytes packed);
};

// uncompress() of zlib.h: the size is in and out; 0 if all went well.
bool UnpackZlib(void* function, std::byte* target, uint64_t size, Bytes packed) {
  using Uncompress = int (*)(unsigned char*, unsigned long*, const unsigned char*, unsigned long);
  auto written = static_cast<unsigned long>(size);
  return reinterpret_cast<Uncompress>(function)(reinterpret_cast<unsigned char*>(target), &written,
                                                reinterpret_cast<const unsigned char*>(packed.data()),
                                                static_cast<unsigned long>(packed.size())) == 0 &&
         written == size;
}

// ZSTD_decompress() of zstd.h: the bytes written, or an error, which is above each size.
bool UnpackZstd(void* function, std::byte* target, uint64_t size, Bytes packed) {
  using Decompress = size_t (*)(void*, size_t, const void*, size_t);
  return reinterpret_cast<Decompress>(function)(target, size, packed.data(), packed.size()) == size;
}

// In the order of llvm::compression::Format.
constexpr Unpacker kUnpackers[] = {
    {"zlib", {"libz.so.1", "libz.1.dylib"}, "uncompress", UnpackZlib},
    {"zstd", {"libzstd.so.1", "libzstd.1.dylib"}, "ZSTD_decompress", UnpackZstd},
};

Status FindFunction(const Unpacker& unpacker, void** out_function) {
  HostString reason;
  for (const char* file : unpacker.files) {
    DynamicLibrary library;
    const Failure failure(library.Open(file));
    *out_function = failure ? nullptr : library.Find(unpacker.function);
    library.Keep();
    if (*out_function) return kOk;
    if (reason.empty()) reason = failure ? failure.message() : HostString(file) + " lacks " + unpacker.function;
  }
  return Fail(HAL_STATUS_UNIMPLEMENTED,
              "it is compressed with %s, and the library for that cannot be loaded (%s): install it, or unpack the "
              "bundle with clang-offload-bundler --unbundle",
              unpacker.method, reason.c_str());
}

Status Unpack(Bytes image, HostVector<std::byte>* out_bundle) {
  Header header;
  HAL_TRY(ReadHeader(image, &header));
  if (header.method >= std::size(kUnpackers)) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "it is compressed by method %u; 0 (zlib) and 1 (zstd) are known",
                header.method);
  }
  const uint64_t most = kMostGrowth * image.size() + kFreeGrowth;
  if (header.unpacked_size > most) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "it has %llu bytes unpacked by its header; at most %llu are taken of a bundle of %zu",
                Number(header.unpacked_size), Number(most), image.size());
  }
  const Unpacker& unpacker = kUnpackers[header.method];
  void* function = nullptr;
  HAL_TRY(FindFunction(unpacker, &function));
  HostVector<std::byte> bundle(header.unpacked_size);
  const Bytes packed = image.subspan(header.contents, header.file_size - header.contents);
  if (!unpacker.unpack(function, bundle.data(), bundle.size(), packed)) {
    return Fail(HAL_STATUS_DATA_LOSS, "its %zu bytes of %s do not give the %zu bytes that its header promises",
                packed.size(), unpacker.method, bundle.size());
  }
  *out_bundle = std::move(bundle);
  return kOk;
}

}  // namespace

bool LooksLikeCompressedBundle(Bytes image) { return AsText(image).starts_with(kMagic); }

Status UnpackBundle(Bytes image, HostVector<std::byte>* out_bundle) {
  const Status status = Unpack(image, out_bundle);
  return status == kOk ? kOk : Annotate(status, "the compressed offload bundle (CCOB): ");
}

}  // namespace halyard
