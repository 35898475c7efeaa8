// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills the folder of HALYARD_SIM_KERNELS: halyard-sim-kernels FOLDER FILE.halx...
//
// For each image of a vendor's device in the files it writes two files. <hash>.so is the host's image of the same file;
// <hash>.kernels says how the kernels take their parameters. host_code/host_code.h describes both. For each code object
// it also writes <hash>.ptx, the PTX of the same file, which hip_on_cuda runs in its place.
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cuda/image.h"
#include "host_code/kernel_code.h"
#include "image/halx/container.h"
#include "image/reflection/amd/offload_bundle.h"
#include "image/shared_object/elf_reader.h"
#include "stream_api/elf_image.h"

namespace halyard::sim {
namespace {

using Bytes = std::span<const std::byte>;

const ContainerVariant* FindHostVariant(const ContainerContents& contents) {
  utsname system;
  uname(&system);
  for (const ContainerVariant& variant : contents.variants) {
    const bool fits = variant.target.empty() || variant.target == system.machine;
    if (variant.format == HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT && fits) return &variant;
  }
  return nullptr;
}

// Null if there is none. The kernels of this project are PTX for the oldest device that they run on.
const ContainerVariant* FindPtx(const ContainerContents& contents) {
  const auto found = std::ranges::find(contents.variants, "ptx", &ContainerVariant::format);
  return found == contents.variants.end() ? nullptr : &*found;
}

// The code objects of an offload bundle, one of which a driver picks.
std::vector<Bytes> CodeObjects(Bytes bundle) {
  OffloadBundle read;
  const Failure failure(ReadOffloadBundle(bundle, &read));
  if (failure) throw std::runtime_error(std::string(failure.message()));
  std::vector<Bytes> images;
  for (const OffloadBundleEntry& entry : read.entries) {
    if (ElfReader::LooksLikeElf(entry.contents)) images.push_back(entry.contents.first(ElfSize(entry.contents.data())));
  }
  return images;
}

// The bytes that a simulated runtime will see of a variant; none for images of no such runtime.
std::vector<Bytes> VendorImages(const ContainerVariant& variant) {
  const bool is_cuda = variant.format == "ptx" || variant.format == "cubin" || variant.format == "fatbin";
  if (is_cuda) return {cuda::abi::ReadImage(variant.image).bytes};
  if (variant.format != "hsaco") return {};
  if (LooksLikeOffloadBundle(variant.image)) return CodeObjects(variant.image);
  return {variant.image.first(ElfSize(variant.image.data()))};
}

std::string SymbolOf(const ContainerContents& contents, const ContainerVariant& variant, size_t ordinal) {
  const ContainerEntryPoint* const found = variant.Find(static_cast<uint32_t>(ordinal));
  const std::string_view symbol = found ? found->symbol : "";
  return std::string(symbol.empty() ? contents.exports[ordinal].name : symbol);
}

// Bindings are numbered for a dispatch through the sets in order.
KernelCode Describe(const ContainerExport& entry) {
  KernelCode kernel;
  kernel.workgroup = {entry.workgroup_size.x, entry.workgroup_size.y, entry.workgroup_size.z};
  kernel.local_memory = entry.local_memory_size;
  kernel.constants_size = entry.constants_size;
  std::set<std::pair<uint32_t, uint32_t>> bindings;
  for (const hal_parameter_t& parameter : entry.parameters) {
    if (parameter.kind == HAL_PARAMETER_KIND_BINDING) bindings.emplace(parameter.set, parameter.binding);
  }
  for (const hal_parameter_t& parameter : entry.parameters) {
    if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) {
      kernel.parameters.push_back({false, parameter.offset, parameter.size});
      continue;
    }
    const auto found = bindings.find({parameter.set, parameter.binding});
    kernel.parameters.push_back({true, static_cast<uint32_t>(std::distance(bindings.begin(), found)), 8});
  }
  return kernel;
}

std::string DescribeAll(const ContainerContents& contents, const ContainerVariant& vendor,
                        const ContainerVariant& host) {
  std::string text;
  for (size_t i = 0; i < contents.exports.size(); ++i) {
    KernelCode kernel = Describe(contents.exports[i]);
    kernel.name = SymbolOf(contents, vendor, i);
    kernel.symbol = SymbolOf(contents, host, i);
    text += KernelText(kernel);
  }
  return text;
}

// The file appears complete or not at all: other builds may write the same one at the same time.
void WriteFile(const std::filesystem::path& path, Bytes bytes) {
  const std::filesystem::path part = path.string() + ".part" + std::to_string(getpid());
  std::ofstream file(part, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write '" + part.string() + "'");
  std::filesystem::rename(part, path);
}

// Returns the number of images that got host code.
size_t Prepare(const std::filesystem::path& folder, const char* path) {
  Container container;
  const Failure failure(container.Open(path));
  if (failure) throw std::runtime_error(std::string(failure.message()));
  const ContainerContents& contents = container.contents();
  const ContainerVariant* host = FindHostVariant(contents);
  if (host == nullptr) throw std::runtime_error("'" + std::string(path) + "' has no image for this host");
  const ContainerVariant* const ptx = FindPtx(contents);
  size_t count = 0;
  for (const ContainerVariant& variant : contents.variants) {
    const std::string text = DescribeAll(contents, variant, *host);
    for (const Bytes image : VendorImages(variant)) {
      const std::string name = (folder / ImageName(image)).string();
      WriteFile(name + ".so", host->image);
      WriteFile(name + ".kernels", std::as_bytes(std::span(text)));
      if (variant.format == "hsaco" && ptx != nullptr) WriteFile(name + ".ptx", ptx->image);
      ++count;
    }
  }
  return count;
}

int Main(int argc, const char* const* argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: halyard-sim-kernels FOLDER FILE.halx...\n");
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[1]);
    for (int i = 2; i < argc; ++i) {
      if (Prepare(argv[1], argv[i]) == 0) std::printf("'%s' has no image of a simulated device\n", argv[i]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-sim-kernels: %s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace halyard::sim

int main(int argc, char** argv) { return halyard::sim::Main(argc, argv); }
