// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack/triton/triton_kernel.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "support/failure.h"
#include "support/input_file.h"

namespace halyard::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGroupPrefix = "__grp__";
constexpr std::string_view kCudaFormats[] = {"cubin", "ptx"};
constexpr std::string_view kHipFormats[] = {"hsaco"};
constexpr std::string_view kSignatureForms[] = {"ttir", "ttgir"};  // kernels in Gluon begin with the second
constexpr size_t kMostTextBytes = size_t{64} << 20;

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

fs::path Beside(const fs::path& file, std::string_view extension) {
  return fs::path(file).replace_extension(extension);
}

bool HasImage(const fs::path& file) {
  const auto is_there = [&](std::string_view format) { return IsFile(Beside(file, format)); };
  return std::ranges::any_of(kCudaFormats, is_there) || std::ranges::any_of(kHipFormats, is_there);
}

// The cache also holds lists of files, and what was tuned, as JSON.
bool IsMetadata(const fs::path& file) {
  return file.extension() == ".json" && !file.filename().string().starts_with(kGroupPrefix) && HasImage(file);
}

/// The entries of a folder; throws if it cannot be read.
std::vector<fs::path> EntriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) Fail(ExitCode::kInput, "cannot read the folder '", folder.string(), "': ", error.message());
  std::ranges::sort(entries);
  return entries;
}

void AppendMetadata(const fs::path& folder, std::vector<std::string>* files) {
  for (const fs::path& entry : EntriesOf(folder)) {
    if (IsMetadata(entry)) files->push_back(entry.string());
  }
}

std::vector<std::string> MetadataInFolder(const fs::path& folder) {
  std::vector<std::string> files;
  AppendMetadata(folder, &files);
  if (!files.empty()) return files;
  std::error_code ignored;
  for (const fs::path& entry : EntriesOf(folder)) {
    if (fs::is_directory(entry, ignored)) AppendMetadata(entry, &files);
  }
  if (!files.empty()) return files;
  Fail(ExitCode::kInput, "'", folder.string(),
       "' is no folder of Triton's cache: neither it nor its folders have a .json beside a .cubin, .ptx or .hsaco");
}

std::vector<std::string> MetadataAt(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return MetadataInFolder(path);
  const std::string name = fs::path(path).filename().string();
  if (!name.starts_with(kGroupPrefix)) return {path};
  return {(fs::path(path).parent_path() / name.substr(kGroupPrefix.size())).string()};
}

/// Runs `read`; what fails names the file.
template <class Read>
auto InFile(const std::string& file, Read&& read) {
  try {
    return read();
  } catch (const Failure& failure) {
    throw Failure(failure.code(), Concat("'", file, "': ", failure.what()));
  }
}

std::string NameOf(TritonBackend backend) { return backend == TritonBackend::kCuda ? "cuda" : "hip"; }

std::vector<TritonImage> FindImages(const fs::path& file, TritonBackend backend) {
  const bool is_cuda = backend == TritonBackend::kCuda;
  const std::span<const std::string_view> own = is_cuda ? std::span<const std::string_view>(kCudaFormats) : kHipFormats;
  const std::span<const std::string_view> other =
      is_cuda ? std::span<const std::string_view>(kHipFormats) : kCudaFormats;
  std::vector<TritonImage> images;
  for (const std::string_view format : own) {
    if (IsFile(Beside(file, format))) images.push_back({std::string(format), Beside(file, format).string()});
  }
  for (const std::string_view format : other) {
    if (!IsFile(Beside(file, format))) continue;
    Fail(ExitCode::kInput, "target.backend is '", NameOf(backend), "', but '", Beside(file, format).filename().string(),
         "' lies beside it");
  }
  if (!images.empty()) return images;
  const std::string stem = file.stem().string();
  Fail(ExitCode::kInput, "there is no ",
       is_cuda ? Concat("'", stem, ".cubin' or '", stem, ".ptx'") : Concat("'", stem, ".hsaco'"), " beside it");
}

void CheckSignature(const TritonSignature& signature, const TritonMetadata& metadata) {
  if (signature.function != metadata.name) {
    Fail(ExitCode::kInput, "its kernel is '", signature.function, "', but the metadata's name is '", metadata.name,
         "'");
  }
  const auto descriptors = static_cast<size_t>(
      std::ranges::count(signature.parameters, TritonParameterKind::kTensorMap, &TritonParameter::kind));
  if (descriptors != metadata.tensor_maps.size()) {
    Fail(ExitCode::kInput, "its kernel takes ", descriptors,
         " tensor descriptors, but the metadata's tensordesc_meta has ", metadata.tensor_maps.size());
  }
}

std::optional<TritonSignature> FindSignature(const fs::path& file, const TritonMetadata& metadata) {
  for (const std::string_view form : kSignatureForms) {
    const std::string path = Beside(file, form).string();
    if (!IsFile(path)) continue;
    return InFile(path, [&] {
      TritonSignature signature = ReadTritonSignature(ReadTextFile(path, kMostTextBytes));
      CheckSignature(signature, metadata);
      return signature;
    });
  }
  return std::nullopt;
}

std::string TextOf(const TritonParameter& parameter, size_t ordinal) {
  return parameter.name.empty() ? Concat("parameter ", ordinal)
                                : Concat("parameter ", ordinal, ", '", parameter.name, "',");
}

TritonParameter ScratchParameter(TritonParameterKind kind) {
  TritonParameter parameter;
  parameter.name = kind == TritonParameterKind::kGlobalScratch ? "global_scratch" : "profile_scratch";
  parameter.kind = kind;
  parameter.element = "i8";
  parameter.size = 8;
  return parameter;
}

// Triton 3.0 and 3.2 have none, 3.4 has the first, later ones have both.
void AppendScratch(const TritonMetadata& metadata, size_t count, std::vector<TritonParameter>* parameters) {
  if (count >= 1) parameters->push_back(ScratchParameter(TritonParameterKind::kGlobalScratch));
  if (count >= 2) parameters->push_back(ScratchParameter(TritonParameterKind::kProfileScratch));
  if (count < 1 && metadata.global_scratch.size > 0) {
    Fail(ExitCode::kInput, "global_scratch_size is ", metadata.global_scratch.size,
         ", but the image has no parameter for it");
  }
  if (count < 2 && metadata.profile_scratch.size > 0) {
    Fail(ExitCode::kInput, "profile_scratch_size is ", metadata.profile_scratch.size,
         ", but the image has no parameter for it");
  }
}

}  // namespace

std::vector<std::string> FindTritonMetadata(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    for (const std::string& file : MetadataAt(path)) {
      if (std::ranges::find(files, file) == files.end()) files.push_back(file);
    }
  }
  return files;
}

TritonKernel ReadTritonKernel(const std::string& file) {
  TritonKernel kernel;
  kernel.file = file;
  const Json document = ReadJsonFile(file);
  InFile(file, [&] {
    kernel.metadata = ReadTritonMetadata(document);
    kernel.images = FindImages(file, kernel.metadata.backend);
  });
  kernel.signature = FindSignature(file, kernel.metadata);
  return kernel;
}

std::vector<TritonParameter> TritonParameters(const TritonKernel& kernel, std::span<const uint32_t> sizes) {
  return InFile(kernel.file, [&] {
    if (!kernel.signature) {
      Fail(ExitCode::kInput,
           "no .ttir lies beside it, which tells the kernel's parameters: compile without TRITON_STORE_BINARY_ONLY");
    }
    std::vector<TritonParameter> parameters = kernel.signature->parameters;
    const size_t known = parameters.size();
    if (sizes.size() < known || sizes.size() > known + 2) {
      Fail(ExitCode::kInput, "the image's kernel has ", sizes.size(), " parameters; the signature has ", known,
           ", which two of scratch memory may follow");
    }
    AppendScratch(kernel.metadata, sizes.size() - known, &parameters);
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == parameters[i].size) continue;
      Fail(ExitCode::kInput, TextOf(parameters[i], i), " has ", sizes[i], " bytes in the image and ",
           parameters[i].size, " in the signature");
    }
    return parameters;
  });
}

}  // namespace halyard::tools
