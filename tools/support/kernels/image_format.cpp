// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kernels/image_format.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "base/text/byte_order_mark.h"
#include "halyard/executable.h"
#include "support/bytes_text.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

// PTX may begin with a page of comments.
constexpr size_t kHeadSize = 4096;

struct Machine {
  unsigned number;  // e_machine of an ELF file
  const char* format;
  const char* target;
};

constexpr std::array kMachines = {
    Machine{62, HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, "x86_64"},
    Machine{183, HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, "aarch64"},
    Machine{243, HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, "riscv64"},
    Machine{21, HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, "ppc64le"},
    Machine{190, "cubin", ""},
    Machine{224, "hsaco", ""},
};

// The processors of AMD that code objects number in the low byte of e_flags.
struct Processor {
  unsigned number;
  const char* target;
};
constexpr std::array kProcessors = {
    Processor{0x2c, "gfx900"},          Processor{0x2d, "gfx902"},         Processor{0x2e, "gfx904"},
    Processor{0x2f, "gfx906"},          Processor{0x30, "gfx908"},         Processor{0x31, "gfx909"},
    Processor{0x32, "gfx90c"},          Processor{0x3f, "gfx90a"},         Processor{0x40, "gfx940"},
    Processor{0x4b, "gfx941"},          Processor{0x4c, "gfx942"},         Processor{0x4f, "gfx950"},
    Processor{0x33, "gfx1010"},         Processor{0x34, "gfx1011"},        Processor{0x35, "gfx1012"},
    Processor{0x42, "gfx1013"},         Processor{0x36, "gfx1030"},        Processor{0x37, "gfx1031"},
    Processor{0x38, "gfx1032"},         Processor{0x39, "gfx1033"},        Processor{0x3e, "gfx1034"},
    Processor{0x3d, "gfx1035"},         Processor{0x45, "gfx1036"},        Processor{0x41, "gfx1100"},
    Processor{0x46, "gfx1101"},         Processor{0x47, "gfx1102"},        Processor{0x44, "gfx1103"},
    Processor{0x43, "gfx1150"},         Processor{0x4a, "gfx1151"},        Processor{0x55, "gfx1152"},
    Processor{0x58, "gfx1153"},         Processor{0x48, "gfx1200"},        Processor{0x4e, "gfx1201"},
    Processor{0x51, "gfx9-generic"},    Processor{0x5f, "gfx9-4-generic"}, Processor{0x52, "gfx10-1-generic"},
    Processor{0x53, "gfx10-3-generic"}, Processor{0x54, "gfx11-generic"},  Processor{0x59, "gfx12-generic"},
};

// What compilers write that no device loads, by how it begins.
struct Foreigner {
  std::string_view begin;
  const char* what;
};
constexpr std::array kForeigners = {
    Foreigner{"\xed\x43\x4e\x7f",
              "NVIDIA's LTO-IR, which is for a linker: compile without -dlto, or link it to a cubin (nvlink -dlto)"},
    Foreigner{"BC\xc0\xde", "LLVM bitcode, which no device loads: compile it (llc, clang)"},
    Foreigner{"\xde\xc0\x17\x0b", "LLVM bitcode, which no device loads: compile it (llc, clang)"},
    Foreigner{"ML\xefR", "a module of MLIR, for which --mlir=FILE of halyard-pack is"},
    Foreigner{"!<arch>\n", "a static library: link it to a shared object (cc -shared -Wl,--whole-archive)"},
    Foreigner{"DXBC", "a DirectX shader, which no device loads: dxc -spirv makes SPIR-V"},
    Foreigner{"\xff\xfe", "text in UTF-16: iconv -f UTF-16 -t ASCII makes text of it that compilers of PTX take"},
    Foreigner{"\xfe\xff", "text in UTF-16: iconv -f UTF-16 -t ASCII makes text of it that compilers of PTX take"},
    Foreigner{"\xcf\xfa\xed\xfe", "a Mach-O object; devices of hosts load ELF objects"},
};

// The two bytes at 18, in the byte order that byte 5 tells.
unsigned ElfMachine(std::span<const std::byte> image) {
  const auto first = std::to_integer<unsigned>(image[18]);
  const auto second = std::to_integer<unsigned>(image[19]);
  const bool big_endian = image[5] == std::byte{2};
  return big_endian ? first << 8 | second : second << 8 | first;
}

// e_flags of a little-endian ELF file of 64 bits; 0 if the head is cut off before.
unsigned ElfFlags(std::span<const std::byte> image) {
  constexpr size_t kPlace = 48;
  unsigned flags = 0;
  for (size_t i = 0; i < 4 && kPlace + i < image.size(); ++i) {
    flags |= std::to_integer<unsigned>(image[kPlace + i]) << (8 * i);
  }
  return flags;
}

std::string AmdTarget(unsigned flags) {
  const auto* processor = std::ranges::find(kProcessors, flags & 0xff, &Processor::number);
  return processor == kProcessors.end() ? "" : processor->target;
}

// Newer cubins keep the number of the architecture in the second byte of e_flags, older ones in the first.
std::string NvidiaTarget(std::span<const std::byte> image) {
  constexpr size_t kAbiVersion = 8;
  const unsigned flags = ElfFlags(image);
  const bool is_new = image[kAbiVersion] >= std::byte{8};
  const unsigned number = (is_new ? flags >> 8 : flags) & 0xff;
  return number == 0 ? "" : "sm_" + std::to_string(number);
}

ImageFormat DetectElf(std::span<const std::byte> image) {
  const auto* machine = std::ranges::find(kMachines, ElfMachine(image), &Machine::number);
  if (machine == kMachines.end()) return {};
  const std::string_view format = machine->format;
  if (format == "hsaco") return {machine->format, AmdTarget(ElfFlags(image))};
  if (format == "cubin") return {machine->format, NvidiaTarget(image)};
  return {machine->format, machine->target};
}

// A library of Windows: the place of its header at 60, and there its machine behind a mark.
ImageFormat DetectPe(std::span<const std::byte> image) {
  constexpr size_t kPlace = 60;
  const auto number = [&](size_t at) {
    return std::to_integer<unsigned>(image[at]) | std::to_integer<unsigned>(image[at + 1]) << 8;
  };
  const size_t header = image.size() >= kPlace + 4 ? number(kPlace) : image.size();
  if (image.size() < header + 6 || AsText(image.subspan(header)).substr(0, 4) != std::string_view("PE\0\0", 4))
    return {};
  switch (number(header + 4)) {
    case 0x8664:
      return {HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, "x86_64-windows"};
    case 0xaa64:
      return {HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, "aarch64-windows"};
    default:
      return {};
  }
}

// PTX is text: comments, then ".version 7.0" and ".target sm_70, …" on lines of their own.
ImageFormat DetectPtx(std::string_view marked) {
  const std::string_view text = WithoutByteOrderMark(marked);
  constexpr std::string_view kTarget = "\n.target ";
  const size_t version = text.find(".version ");
  if (version == std::string_view::npos || (version > 0 && text[version - 1] != '\n')) return {};
  const size_t target = text.find(kTarget, version);
  if (target == std::string_view::npos) return {"ptx", ""};
  const std::string_view rest = text.substr(target + kTarget.size());
  return {"ptx", std::string(rest.substr(0, rest.find_first_of(", \t\r\n")))};
}

}  // namespace

ImageFormat DetectImageFormat(std::span<const std::byte> image) {
  const std::string_view text = AsText(image);
  if (text.size() >= 12 && text.substr(8, 4) == "HALX") return {kContainerFormat, ""};
  if (text.size() >= 20 && text.starts_with("\x7f"
                                            "ELF")) {
    return DetectElf(image);
  }
  if (text.starts_with("MZ")) return DetectPe(image);
  if (text.starts_with("\x03\x02\x23\x07") || text.starts_with("\x07\x23\x02\x03")) return {"spirv", ""};
  if (text.starts_with("\x50\xed\x55\xba")) return {"fatbin", ""};
  if (text.starts_with("__CLANG_OFFLOAD_BUNDLE__") || text.starts_with("CCOB")) return {"hsaco", ""};
  if (text.starts_with("MTLB")) return {"metallib", ""};
  if (text.starts_with("__CLANG_OFFLOAD_BUNDLE__") || text.starts_with("CCOB")) return {"hsaco", ""};
  return DetectPtx(text.substr(0, kHeadSize));
}

std::string ForeignKind(std::span<const std::byte> image) {
  const std::string_view text = AsText(image);
  const auto* const found =
      std::ranges::find_if(kForeigners, [&](const Foreigner& one) { return text.starts_with(one.begin); });
  return found == kForeigners.end() ? "" : found->what;
}

ImageFormat DetectFileFormat(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, kHeadSize> head = {};
  file.read(head.data(), head.size());
  if (file.gcount() == 0) Fail(ExitCode::kInput, "cannot read '", path, "': it is missing, a folder or empty");
  const auto bytes = std::as_bytes(std::span(head)).first(static_cast<size_t>(file.gcount()));
  ImageFormat format = DetectImageFormat(bytes);
  if (format.format.empty()) {
    const std::string foreign = ForeignKind(bytes);
    if (!foreign.empty()) Fail(ExitCode::kInput, "'", path, "' is ", foreign);
    Fail(ExitCode::kInput, "'", path, "' is no kind of executable that is known; name its format with --format");
  }
  return format;
}

}  // namespace halyard::tools
