// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling PTX, once for all processes that share a blob store.
//
// cuModuleLoadDataEx() compiles PTX too, but keeps what it makes to itself. So PTX that is to be kept goes through
// CUDA's linker, which gives the machine code back.
#include "cuda/cuda_jit.h"

#include <xxhash.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "cuda/cuda_api.h"
#include "driver_kit/object/vtable.h"

namespace halyard::cuda {
namespace {

// Of ELF files of 64 bits, such as cubins are: where a header says that its tables are.
constexpr size_t kElfHeaderSize = 64;  // bytes
constexpr std::array<unsigned char, 4> kElfMagic = {0x7F, 'E', 'L', 'F'};

// Of fatbins: magic, version, bytes of this header, bytes of what follows it.
constexpr size_t kFatbinHeaderSize = 16;  // bytes, at least
constexpr uint32_t kFatbinMagic = 0xBA55ED50;

/// A link under way, and with it the machine code that it made. It goes before the log that it writes.
struct Link {
  explicit Link(const CudaFunctions& functions) : cuda(functions) {}
  ~Link() {
    if (state) static_cast<void>(cuda.cuLinkDestroy(state));
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const CudaFunctions& cuda;
  CUlinkState state = nullptr;
};

template <class Number>
Number Read(std::span<const std::byte> image, size_t offset) {
  Number number;
  std::memcpy(&number, image.data() + offset, sizeof(number));
  return number;
}

// Whether a table of `count` entries lies inside; where it is and how large stands at these places of the header.
bool TableFits(std::span<const std::byte> image, size_t offset_at, size_t size_at, size_t count_at) {
  const auto offset = Read<uint64_t>(image, offset_at);
  const uint64_t length = uint64_t{Read<uint16_t>(image, size_t{size_at})} * Read<uint16_t>(image, count_at);
  return offset <= image.size() && length <= image.size() - offset;
}

// Whether what each section has in the file lies inside.
bool SectionsFit(std::span<const std::byte> image) {
  constexpr uint32_t kNoBits = 8;
  const auto offset = Read<uint64_t>(image, 40);
  const auto size = Read<uint16_t>(image, 58);
  const auto count = Read<uint16_t>(image, 60);
  if (count > 0 && size < kElfHeaderSize) return false;
  for (uint64_t i = 0; i < count; ++i) {
    const auto section = image.subspan(static_cast<size_t>(offset + i * size));
    if (Read<uint32_t>(section, 4) == kNoBits) continue;
    const auto begin = Read<uint64_t>(section, 24);
    const auto length = Read<uint64_t>(section, 32);
    if (begin > image.size() || length > image.size() - begin) return false;
  }
  return true;
}

/// What a store found, copied, as it is good during the call only and loading is no business of the store's.
struct FoundBlob {
  bool found = false;
  HostVector<std::byte> bytes;

  static void Take(void* user_data, const void* data, size_t size) noexcept {
    auto* const blob = static_cast<FoundBlob*>(user_data);
    const auto* const bytes = static_cast<const std::byte*>(data);
    blob->found = Succeeds(Guard([&] {
      blob->bytes.assign(bytes, bytes + size);
      return kOk;
    }));
  }
};

}  // namespace

std::string_view JitLog::text() const {
  std::string_view text(text_.data(), strnlen(text_.data(), text_.size()));
  while (!text.empty() && std::strchr("\r\n ", text.back())) text.remove_suffix(1);
  return text;
}

Status JitLog::Explain(Status status) const {
  if (status == kOk || text().empty()) return status;
  const Failure failure(status);
  return Fail(failure.code(), "%s; the compiler says: %.*s", failure.message().data(), HALYARD_SV(text()));
}

Status CheckCubin(std::span<const std::byte> image) {
  const bool elf = image.size() >= kElfHeaderSize && std::memcmp(image.data(), kElfMagic.data(), kElfMagic.size()) == 0;
  if (!elf) {
    return Fail(HAL_STATUS_DATA_LOSS, "the image of %zu bytes is no cubin: it does not begin as an ELF file does",
                image.size());
  }
  if (TableFits(image, 32, 54, 56) && TableFits(image, 40, 58, 60) && SectionsFit(image)) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "the cubin of %zu bytes is cut short: what its header names lies outside",
              image.size());
}

Status CheckFatbin(std::span<const std::byte> image) {
  if (image.size() < kFatbinHeaderSize || Read<uint32_t>(image, 0) != kFatbinMagic) {
    return Fail(HAL_STATUS_DATA_LOSS, "the image of %zu bytes is no fatbin: it does not begin as one does",
                image.size());
  }
  const size_t header = Read<uint16_t>(image, 6);
  const auto contents = Read<uint64_t>(image, 8);
  if (header >= kFatbinHeaderSize && header <= image.size() && contents <= image.size() - header) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "the fatbin of %zu bytes is cut short: its header tells of %zu and %" PRIu64,
              image.size(), header, contents);
}

Status CudaApi::LoadPtx(const HostString& text, const hal_blob_store_t& blobs, NativeModule* out_module) {
  int version = 0;
  HAL_TRY(HALYARD_CUDA(library_, cuDriverGetVersion, (&version)));
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  std::array<char, 128> key;
  std::snprintf(key.data(), key.size(), "cuda/driver-%d.%d/sm_%d/ptx/%016" PRIx64 "%016" PRIx64, version / 1000,
                version % 1000 / 10, compute_capability_, hash.high64, hash.low64);
  if (Succeeds(LoadKept(key.data(), blobs, out_module))) return kOk;
  return CompilePtx(text, key.data(), blobs, out_module);
}

// A blob that is damaged or that CUDA refuses is as good as none: it is made again.
Status CudaApi::LoadKept(std::string_view key, const hal_blob_store_t& blobs, NativeModule* out_module) {
  FoundBlob blob;
  blobs.load(blobs.context, ToC(key), FoundBlob::Take, &blob);
  if (!blob.found) return FailWith(HAL_STATUS_NOT_FOUND, "no blob is kept");
  HAL_TRY(CheckCubin(blob.bytes));
  return LoadImage(blob.bytes.data(), out_module);
}

Status CudaApi::CompilePtx(const HostString& text, std::string_view key, const hal_blob_store_t& blobs,
                           NativeModule* out_module) {
  JitLog log;
  Link link(library_);
  void* cubin = nullptr;
  size_t size = 0;
  auto* const data = const_cast<char*>(text.c_str());  // only read
  Status status = kOk;
  {
    const Exemption exempt(library_);  // not for the application's blob store
    status = HALYARD_CUDA(library_, cuLinkCreate_v2, (JitLog::kOptions, log.options(), log.values(), &link.state));
    if (status != kOk) return status;
    status = HALYARD_CUDA(library_, cuLinkAddData_v2,
                          (link.state, CU_JIT_INPUT_PTX, data, text.size() + 1, "ptx", 0, nullptr, nullptr));
    if (status == kOk) status = HALYARD_CUDA(library_, cuLinkComplete, (link.state, &cubin, &size));
  }
  status = log.Explain(status);
  if (status == kOk) status = LoadImage(cubin, out_module);
  if (status == kOk) blobs.store(blobs.context, ToC(key), cubin, size);
  return status;
}

}  // namespace halyard::cuda
