// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compressed offload bundles, and which processors code of AMD fits.
#include <algorithm>
#include <concepts>

#include "image/reflection/amd/amd_target.h"
#include "image/reflection/amd/bundle_compression.h"
#include "image/reflection/amd/hsaco_reflection.h"
#include "reflection_images.h"

namespace halyard::testing {
namespace {

using ::testing::HasSubstr;

/// A file as it is built up.
class Bytewise {
 public:
  template <std::integral Number>
  Bytewise& Put(Number number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof(number));
    return *this;
  }
  Bytewise& Put(std::string_view text) {
    text_.append(text);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Bytes BytesOf(const std::string& text) { return std::as_bytes(std::span(text)); }

/// What zlib makes of bytes that it does not compress: blocks of at most 65,535 bytes, and Adler-32.
std::string Zlib(const std::string& contents) {
  Bytewise out;
  out.Put("\x78\x01");
  for (size_t at = 0; at < contents.size();) {
    const size_t size = std::min<size_t>(contents.size() - at, 65535);
    out.Put(static_cast<uint8_t>(at + size == contents.size() ? 1 : 0));
    out.Put(static_cast<uint16_t>(size)).Put(static_cast<uint16_t>(~size)).Put(contents.substr(at, size));
    at += size;
  }
  uint32_t a = 1;
  uint32_t b = 0;
  for (const char each : contents) {
    a = (a + static_cast<uint8_t>(each)) % 65521;
    b = (b + a) % 65521;
  }
  const uint32_t sum = b << 16 | a;
  for (const uint32_t shift : {24U, 16U, 8U, 0U}) out.Put(static_cast<uint8_t>(sum >> shift));
  return out.text();
}

constexpr uint16_t kZlib = 0;
constexpr uint16_t kZstd = 1;

/// A compressed bundle of a version.
std::string Compressed(uint16_t version, uint16_t method, const std::string& packed, uint64_t unpacked_size) {
  const auto size = [&](Bytewise* out, uint64_t value) {
    if (version == 3) {
      out->Put(value);
    } else {
      out->Put(static_cast<uint32_t>(value));
    }
  };
  const uint64_t header = version == 1 ? 20 : version == 2 ? 24 : 32;
  Bytewise out;
  out.Put("CCOB").Put(version).Put(method);
  if (version != 1) size(&out, header + packed.size());
  size(&out, unpacked_size);
  return out.Put(uint64_t{0x1234}).Put(packed).text();
}

std::string TextOf(const std::string& name) {
  const ReflectionImage image = ReadReflectionImage(name);
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

/// What LLVM has compressed of a bundle of 8,224 bytes, without the header of version 2.
std::string ZstdOfLlvm() { return TextOf("clang19_compressed.hipfb").substr(24); }
constexpr uint64_t kUnpackedSize = 8224;

std::vector<std::string> TargetsOf(const std::string& file) {
  OffloadBundle bundle;
  EXPECT_EQ(ReadOffloadBundle(BytesOf(file), &bundle), kOk) << LastErrorMessage();
  std::vector<std::string> targets;
  for (const OffloadBundleEntry& entry : bundle.entries) {
    if (!entry.target.empty()) targets.emplace_back(entry.target);
  }
  return targets;
}

TEST(CompressedBundle, OfLlvmIsRead) {
  const std::string file = TextOf("clang19_compressed.hipfb");
  EXPECT_THAT(TargetsOf(file), ::testing::ElementsAre("gfx90a"));
  ReflectedImage image;
  ASSERT_EQ(Reflect("hsaco", BytesOf(file), &image), kOk) << LastErrorMessage();
  EXPECT_EQ(ParametersText(KernelOf(image, "saxpy")), "c4@0 b0 b1 c4@4");
}

TEST(CompressedBundle, EachVersionAndMethodIsRead) {
  const std::string plain = TextOf("clang19.hipfb");
  for (const uint16_t version : {uint16_t{1}, uint16_t{2}, uint16_t{3}}) {
    EXPECT_THAT(TargetsOf(Compressed(version, kZstd, ZstdOfLlvm(), kUnpackedSize)), ::testing::ElementsAre("gfx90a"));
    EXPECT_THAT(TargetsOf(Compressed(version, kZlib, Zlib(plain), plain.size())),
                ::testing::ElementsAre("gfx1100", "gfx90a", "gfx942"));
  }
  // From version 2 on the file may have more behind it.
  EXPECT_THAT(TargetsOf(Compressed(2, kZstd, ZstdOfLlvm(), kUnpackedSize) + std::string(4096, '\0')),
              ::testing::ElementsAre("gfx90a"));
}

TEST(CompressedBundle, NamesWhatIsWrong) {
  const auto refusal = [](const std::string& file, hal_status_t status) {
    OffloadBundle bundle;
    EXPECT_EQ(Publish(ReadOffloadBundle(BytesOf(file), &bundle)), status);
    return std::string(LastErrorMessage());
  };
  const std::string packed = ZstdOfLlvm();
  EXPECT_THAT(refusal("CCOB", HAL_STATUS_DATA_LOSS), HasSubstr("(CCOB): its header exceeds the 4 bytes"));
  EXPECT_THAT(refusal(Compressed(2, kZstd, "", 0).substr(0, 20), HAL_STATUS_DATA_LOSS), HasSubstr("20 bytes"));
  EXPECT_THAT(refusal(Compressed(4, kZstd, packed, 1), HAL_STATUS_INCOMPATIBLE), HasSubstr("version 4"));
  EXPECT_THAT(refusal(Compressed(2, 2, packed, 1), HAL_STATUS_INCOMPATIBLE), HasSubstr("method 2"));
  EXPECT_THAT(refusal(Compressed(2, kZstd, packed, kUnpackedSize - 1), HAL_STATUS_DATA_LOSS), HasSubstr("8223 bytes"));
  EXPECT_THAT(refusal(Compressed(2, kZstd, packed, kUnpackedSize + 1), HAL_STATUS_DATA_LOSS), HasSubstr("8225 bytes"));
  EXPECT_THAT(refusal(Compressed(2, kZlib, packed, kUnpackedSize), HAL_STATUS_DATA_LOSS), HasSubstr("zlib"));
  EXPECT_THAT(refusal(Compressed(2, kZstd, packed, kUnpackedSize).substr(0, 500), HAL_STATUS_DATA_LOSS),
              HasSubstr("of 500"));
  // A bundle in a bundle.
  const std::string twice = Compressed(2, kZstd, packed, kUnpackedSize);
  EXPECT_THAT(refusal(Compressed(2, kZlib, Zlib(twice), twice.size()), HAL_STATUS_DATA_LOSS),
              HasSubstr("no offload bundle"));
}

// Nothing is unpacked, and no memory taken, for a header that promises too much.
TEST(CompressedBundle, RefusesBombsByTheirHeader) {
  for (const uint64_t size : {uint64_t{2} << 20, uint64_t{1} << 40, UINT64_MAX}) {
    HostVector<std::byte> unpacked;
    const std::string file = Compressed(3, kZstd, ZstdOfLlvm(), size);
    EXPECT_EQ(Publish(UnpackBundle(BytesOf(file), &unpacked)), HAL_STATUS_INCOMPATIBLE) << size;
    EXPECT_THAT(std::string(LastErrorMessage()), HasSubstr("at most"));
  }
}

TEST(CompressedBundle, SurvivesDamage) {
  ExpectSurvivesDamage("hsaco", ReadReflectionImage("clang19_compressed.hipfb"));
}

struct Fit {
  const char* device;
  const char* target;
  bool fits;
};

TEST(AmdTarget, GenericTargetsFitTheirProcessors) {
  for (const Fit& each : {Fit{"gfx900", "gfx9-generic", true},
                          {"gfx90c", "gfx9-generic", true},
                          {"gfx908", "gfx9-generic", false},
                          {"gfx90a", "gfx9-generic", false},
                          {"gfx942:sramecc+:xnack-", "gfx9-generic", false},
                          {"gfx942:sramecc+:xnack-", "gfx9-4-generic", true},
                          {"gfx950:sramecc+:xnack-", "gfx9-4-generic:xnack-", true},
                          {"gfx950:sramecc+:xnack-", "gfx9-4-generic:xnack+", false},
                          {"gfx1010:xnack-", "gfx10-1-generic", true},
                          {"gfx1030", "gfx10-1-generic", false},
                          {"gfx1030", "gfx10-3-generic", true},
                          {"gfx1036", "gfx10-3-generic", true},
                          {"gfx1100", "gfx11-generic", true},
                          {"gfx1153", "gfx11-generic", true},
                          {"gfx1200", "gfx11-generic", false},
                          {"gfx1201", "gfx12-generic", true},
                          {"gfx1201", "gfx13-generic", false},
                          {"gfx1100", "gfx11-generi", false},
                          {"gfx11-generic", "gfx1100", false}}) {
    uint32_t rank = 0;
    EXPECT_EQ(Publish(RankAmdTarget(each.device, each.target, 1, &rank)),
              each.fits ? HAL_STATUS_OK : HAL_STATUS_INCOMPATIBLE)
        << each.target << " on " << each.device;
  }
}

TEST(AmdTarget, CodeForTheProcessorItselfComesFirst) {
  uint32_t generic = 0;
  uint32_t own = 0;
  ASSERT_EQ(RankAmdTarget("gfx942:sramecc+:xnack-", "gfx9-4-generic:sramecc+:xnack-", 1, &generic), kOk);
  ASSERT_EQ(RankAmdTarget("gfx942:sramecc+:xnack-", "gfx942", 0, &own), kOk);
  EXPECT_LT(own, generic);
}

TEST(AmdTarget, GenericCodeTellsItsVersion) {
  ReflectedImage image;
  const ReflectionImage generic = ReadReflectionImage("clang19_gfx11_generic_v6.hsaco");
  ASSERT_EQ(CheckHsaco(generic, &image), kOk) << LastErrorMessage();
  EXPECT_EQ(image.target, "gfx11-generic");
  EXPECT_EQ(image.generic_version, 1u);
  ASSERT_EQ(ReflectHsaco(ReadReflectionImage("clang19_gfx1100_v5.hsaco"), &image), kOk);
  EXPECT_EQ(image.generic_version, 0u);
}

}  // namespace
}  // namespace halyard::testing
