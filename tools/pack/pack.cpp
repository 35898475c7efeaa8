// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "address_notes.h"
#include "corrections.h"
#include "function/fixed_sides.h"
#include "function_parameters.h"
#include "host_objects.h"
#include "image/halx/container_writer.h"
#include "image/reflection/amd/offload_bundle.h"
#include "image/reflection/reflected_image.h"
#include "image/shared_object/elf_symbols.h"
#include "image_reflection.h"
#include "mlir/mlir_pack.h"
#include "notes.h"
#include "reconcile.h"
#include "size_text.h"
#include "support/failure.h"
#include "support/functions/halide_metadata.h"
#include "support/functions/host_conventions.h"
#include "support/input_file.h"
#include "support/kernels/export_description.h"
#include "support/kernels/image_format.h"
#include "support/kernels/specialization.h"
#include "support/output_file.h"
#include "support/program/check.h"
#include "support/text.h"
#include "triton/triton_exports.h"

namespace halyard::tools {
namespace {

struct Image {
  std::string path;
  std::string format;
  std::string target;
  std::vector<std::byte> bytes;
  bool is_taken_as_is = false;  ///< its format was named, so that it may be one that this tool cannot read
  // If it was made of another image: what kernels are called in it, and what the other told.
  std::map<std::string, std::string> symbols = {};
  std::optional<ImageReflection> told = {};
  std::optional<size_t> told_as = {};  ///< which of the reflections is its own
  uint32_t isa_version = 0;
};

// Source in Metal's language has no mark at its begin, so it is what --metal says it is, if it is text.
bool IsText(std::span<const std::byte> bytes) { return std::ranges::find(bytes, std::byte{0}) == bytes.end(); }

// What an option that names a kind of device finds in its file.
void IdentifyForDevice(const ImageOption& option, Image* image) {
  ImageFormat found = DetectImageFormat(image->bytes);
  const auto takes = [&](std::string_view format) {
    return std::ranges::find(option.formats, format) != option.formats.end();
  };
  if (found.format.empty() && takes("msl") && IsText(image->bytes)) found.format = "msl";
  if (!takes(found.format)) {
    const std::string foreign = found.format.empty() ? ForeignKind(image->bytes) : "";
    if (!foreign.empty()) Fail(ExitCode::kInput, "'", option.path, "' is ", foreign);
    const std::string is = found.format.empty() ? "no kind of image that is known" : "of format '" + found.format + "'";
    const bool is_host = takes(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
    Fail(ExitCode::kInput, "'", option.path, "' is ", is, "; expected ", JoinText(option.formats, " or "),
         is_host ? ", which cc -shared -fPIC makes" : "");
  }
  if (!option.target.empty() && !found.target.empty() && option.target != found.target) {
    Fail(ExitCode::kInput, "'", option.path, "' is for '", found.target, "', not for '", option.target, "'");
  }
  image->format = found.format;
  image->target = found.target.empty() ? option.target : found.target;
}

// Format and target: those that were named, else those that the bytes tell.
void Identify(const ImageOption& option, Image* image) {
  const ImageFormat found = DetectImageFormat(image->bytes);
  image->format = option.format.empty() ? found.format : option.format;
  if (image->format.empty()) {
    const std::string foreign = ForeignKind(image->bytes);
    if (!foreign.empty()) Fail(ExitCode::kInput, "'", option.path, "' is ", foreign);
    Fail(ExitCode::kInput, "'", option.path,
         "' is no kind of image that is known; name it as in --image=FORMAT/TARGET=", option.path);
  }
  if (image->format == kContainerFormat) {
    Fail(ExitCode::kInput, "'", option.path, "' is an executable file (.halx) already");
  }
  const bool is_host = image->format == HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT;
  if (is_host && found.format != image->format) {
    Fail(ExitCode::kInput, "'", option.path, "' is no shared object of a host; make one with cc -shared -fPIC");
  }
  // An image whose format was named is for any target, unless that was named, too.
  const bool is_looked_at = option.format.empty() || is_host;
  image->target = option.target.empty() && is_looked_at ? found.target : option.target;
  if (is_host && image->target != found.target) {
    Fail(ExitCode::kInput, "'", option.path, "' is for '", found.target, "', not for '", option.target, "'");
  }
}

// Whether an option takes images for AMD devices, which may come in a bundle.
bool TakesHsaco(const ImageOption& option) {
  if (option.formats.empty()) return option.format.empty();
  return std::ranges::find(option.formats, "hsaco") != option.formats.end();
}

// One image for each architecture of a bundle, or for the one that was named.
void SplitBundle(const ImageOption& option, std::span<const std::byte> bytes, std::vector<Image>* images) {
  OffloadBundle bundle;
  if (const halyard::Failure failure(ReadOffloadBundle(bytes, &bundle)); failure) {
    Fail(ExitCode::kInput, "'", option.path, "': ", failure.message());
  }
  std::vector<std::string_view> targets;
  for (const OffloadBundleEntry& entry : bundle.entries) {
    if (entry.target.empty()) continue;  // the host's part
    targets.push_back(entry.target);
    if (!option.target.empty() && option.target != entry.target) continue;
    Image image;
    image.path = Concat(option.path, ":", entry.target);
    image.format = "hsaco";
    image.target = entry.target;
    image.bytes.assign(entry.contents.begin(), entry.contents.end());
    images->push_back(std::move(image));
  }
  if (targets.empty()) Fail(ExitCode::kInput, "'", option.path, "' holds nothing for AMD devices");
  if (option.target.empty() || std::ranges::find(targets, option.target) != targets.end()) return;
  Fail(ExitCode::kInput, "'", option.path, "' holds nothing for '", option.target, "'; ",
       SuggestionText(option.target, targets));
}

/// How SPIR-V becomes Metal's source.
struct MetalTranslation {
  MslVersion version;
  std::map<std::string, hal_dim3_t> sizes;  ///< of workgroups, by kernel, as a description says them
};

// A size that the translation had to know is that of every dispatch.
void FixSizes(const MslSource& source, const MetalTranslation& how, ImageReflection* told) {
  for (ReflectedKernel& kernel : told->kernels) {
    const std::string name(kernel.name);
    const auto fixed = source.sizes.find(name);
    if (fixed == source.sizes.end()) continue;
    const auto side = [&](size_t axis, uint32_t of_module) {
      return fixed->second[axis] > 0 ? fixed->second[axis] : std::max(of_module, 1u);
    };
    const hal_dim3_t& sides = kernel.fixed_sides;
    kernel.workgroup_size = hal_dim3(side(0, sides.x), side(1, sides.y), side(2, sides.z));
    kernel.is_workgroup_size_known = kernel.is_workgroup_size_exact = true;
    kernel.fixed_sides = {0, 0, 0};
    if (how.sizes.contains(name)) continue;
    told->notes.push_back(Concat("'", name, "' is translated for workgroups of ", SizeText(kernel.workgroup_size),
                                 " alone, which its constants say, as arrays of it have a length that depends on that; "
                                 "\"workgroup_size\" of --exports=FILE says another size"));
  }
}

void TranslateToMetal(const MetalTranslation& how, Image* image) {
  image->told = ReflectImage(image->path, image->format, image->bytes);
  MslSource source = TranslateSpirvToMsl(image->path, image->bytes, how.version, how.sizes);
  if (image->told) {
    image->told->format = "msl";
    FixSizes(source, how, &*image->told);
  }
  const auto bytes = std::as_bytes(std::span(source.text));
  image->bytes.assign(bytes.begin(), bytes.end());
  image->symbols = std::move(source.symbols);
  image->format = "msl";
}

// The sizes that a description says of kernels, by their names in SPIR-V.
std::map<std::string, hal_dim3_t> DescribedSizes(const DescriptionFile& file) {
  std::map<std::string, hal_dim3_t> sizes;
  for (const ExportDescription& one : ReadExportDescriptions(file)) {
    if (one.says_workgroup_size && one.workgroup_size.x > 0) sizes[one.SymbolIn("msl")] = one.workgroup_size;
  }
  return sizes;
}

/// The specialisation constants of a description. They become the defaults in all SPIR-V that has them, before Metal's
/// source is made of it.
class Defaults {
 public:
  explicit Defaults(const DescriptionFile& file)
      : described_(ReadDescribedConstants(file)), is_used_(described_.size()) {}

  void SetIn(std::vector<std::byte>* bytes) {
    if (described_.empty() || DetectImageFormat(*bytes).format != "spirv") return;
    for (size_t i = 0; i < described_.size(); ++i) is_used_[i] = SetDefault(described_[i], bytes) || is_used_[i];
  }
  void CheckUsed() const {
    const auto unused = std::ranges::find(is_used_, false);
    if (unused == is_used_.end()) return;
    const SpecializeArgument& described = described_[static_cast<size_t>(unused - is_used_.begin())];
    Fail(ExitCode::kInput, described.text, ": no SPIR-V among the images has a specialisation constant '",
         described.constant, "'");
  }

 private:
  std::vector<SpecializeArgument> described_;
  std::vector<bool> is_used_;
};

void ReadImages(const ImageOption& option, const MetalTranslation& metal, Defaults* defaults,
                std::vector<Image>* images) {
  Image image;
  image.path = option.path;
  image.bytes = ReadFile(option.path);
  if (image.bytes.empty()) Fail(ExitCode::kInput, "'", option.path, "' is empty");
  defaults->SetIn(&image.bytes);
  if (TakesHsaco(option) && LooksLikeOffloadBundle(image.bytes)) return SplitBundle(option, image.bytes, images);
  if (option.formats.empty()) {
    Identify(option, &image);
    image.is_taken_as_is = !option.format.empty();
  } else {
    IdentifyForDevice(option, &image);
    const bool is_for_metal = std::ranges::find(option.formats, "msl") != option.formats.end();
    if (is_for_metal && image.format == "spirv") TranslateToMetal(metal, &image);
  }
  images->push_back(std::move(image));
}

// A shared object that was just made of a module.
Image MakeImage(const PackOptions& options, std::vector<std::byte> bytes) {
  Image image;
  image.path = options.mlir;
  image.bytes = std::move(bytes);
  Identify({HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, "", options.mlir}, &image);
  return image;
}

// The symbol of an export as the linker knows it.
std::string LinkedSymbol(const ExportDescription& description, const std::string& format) {
  const bool wrapper =
      description.signature && description.signature->Get().convention == HAL_CALLING_CONVENTION_WRAPPER;
  return (wrapper ? "_mlir_ciface_" : "") + description.SymbolIn(format);
}

// An image that does not tell what it has is taken to have everything; records tell of kernels, not of functions.
bool HasExport(const Image& image, const Reconciliation& reconciled, size_t ordinal) {
  return !image.told_as || reconciled.exports[ordinal].signature || reconciled.kernels[*image.told_as][ordinal];
}

bool IsForHost(const Image& image) { return image.format == HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT; }

// What is damaged, or lacks a symbol, would only be noticed by the program that runs the kernels.
void CheckSharedObject(const Image& image, const Reconciliation& reconciled) {
  if (!IsForHost(image)) return;
  CheckObjectFile(image.path, image.bytes);
  const auto symbols = FindElfSymbols(image.bytes);
  if (!symbols) return;
  const std::unordered_set<std::string_view> known(symbols->begin(), symbols->end());
  for (size_t i = 0; i < reconciled.exports.size(); ++i) {
    const ExportDescription& description = reconciled.exports[i];
    const std::string symbol = LinkedSymbol(description, image.format);
    if (known.contains(symbol) || !HasExport(image, reconciled, i)) continue;
    Fail(ExitCode::kInput, "'", image.path, "' has no symbol '", symbol, "' for the export '", description.name, "'; ",
         SuggestionText(symbol, *symbols));
  }
  CheckHostConventions(image.path, image.bytes, reconciled.exports);
}

ContainerExport ToContainer(const ExportDescription& description) {
  ContainerExport result;
  result.name = description.name;
  result.workgroup_size = description.workgroup_size;
  result.local_memory_size = description.local_memory_size;
  result.constants_size = description.constants_size;
  result.parameters.assign(description.parameters.begin(), description.parameters.end());
  result.tensor_maps.assign(description.tensor_maps.begin(), description.tensor_maps.end());
  for (const ParameterNote& note : description.notes) {
    result.infos.push_back({ToC(note.name), note.element_type, note.is_guess ? HAL_PARAMETER_GUESSED : 0});
  }
  if (description.signature) result.signature = OwnedSignature(description.signature->Get());
  return result;
}

// A description may say less than the image, not something else.
void TakeSubgroups(const ExportDescription& description, std::string_view format, LaunchFacts* launch) {
  const SubgroupBounds &said = description.subgroups, told = SubgroupsOf(*launch);
  const bool is_within = told.least >= said.least && (said.most == 0 || told.most <= said.most);
  if (told.IsGiven() && !is_within) {
    Fail(ExitCode::kInput, "export '", description.name, "' has subgroups of ", SubgroupText(said),
         " work-items in the description, but of ", SubgroupText(told), " in the ", format, " image");
  }
  if (!told.IsGiven()) SetSubgroups(said, launch);
}

// What holds for a launch of a kernel as one image has it. An image for AMD devices without a size of its workgroups
// does not take over the one that images of other vendors have: the same source gets other sizes there.
LaunchFacts LaunchOf(const ReflectedKernel& kernel, const ExportDescription& description, std::string_view format) {
  LaunchFacts launch = LaunchFactsOf(kernel, format);
  // A description may leave open what SPIR-V cannot: workgroups of 1 x 1 x 1.
  const bool is_left_open = description.workgroup_size.x == 0 && !IsAnyFixed(launch.fixed_sides);
  if (is_left_open) launch.flags &= ~HAL_EXPORT_EXACT_WORKGROUP_SIZE;
  if (description.subgroups.IsGiven()) TakeSubgroups(description, format, &launch);
  const bool is_open =
      !kernel.is_workgroup_size_known && !description.says_workgroup_size && description.workgroup_size.x > 0;
  if (is_open && format == "hsaco") launch.workgroup_size = hal_dim3(0, 1, 1);
  return launch;
}

// Machine code for NVIDIA devices does not tell what its kernel needs of a launch; PTX of the same kernel does.
void AddFactsOfPtx(size_t ordinal, const std::vector<Image>& images, const Reconciliation& reconciled,
                   LaunchFacts* launch) {
  for (const Image& other : images) {
    if (other.format != "ptx" || !other.told_as) continue;
    const ReflectedKernel* const kernel = reconciled.kernels[*other.told_as][ordinal];
    constexpr hal_export_flags_t kNotTold = HAL_EXPORT_NEEDS_LOCAL_MEMORY | HAL_EXPORT_COOPERATIVE;
    if (kernel) launch->flags |= LaunchFactsOf(*kernel, "ptx").flags & kNotTold;
  }
}

// The entry points of an image: those of its kernels that are exported, or all exports if it does not tell.
void AddEntryPoints(const Image& image, const std::vector<Image>& images, const Reconciliation& reconciled,
                    ContainerVariant* variant) {
  for (uint32_t i = 0; i < reconciled.exports.size(); ++i) {
    if (!HasExport(image, reconciled, i)) continue;
    const ReflectedKernel* const kernel = image.told_as ? reconciled.kernels[*image.told_as][i] : nullptr;
    const ExportDescription& description = reconciled.exports[i];
    const auto renamed = image.symbols.find(description.SymbolIn(image.format));
    const std::string& symbol = renamed == image.symbols.end() ? description.SymbolIn(image.format) : renamed->second;
    ContainerEntryPoint& entry_point = variant->entry_points.emplace_back();
    entry_point.ordinal = i;
    if (symbol != description.name) entry_point.symbol = symbol;
    if (kernel) entry_point.launch = LaunchOf(*kernel, description, image.format);
    if (!kernel && description.subgroups.IsGiven()) SetSubgroups(description.subgroups, &entry_point.launch);
    if (kernel && IsForNvidia(image.format)) AddFactsOfPtx(i, images, reconciled, &entry_point.launch);
  }
}

ContainerVariant ToContainer(const Image& image, const std::vector<Image>& images, const Reconciliation& reconciled) {
  ContainerVariant variant;
  variant.format = image.format;
  variant.target = image.target;
  variant.image = image.bytes;
  variant.isa_version = image.isa_version;
  AddEntryPoints(image, images, reconciled, &variant);
  return variant;
}

// A symbol for a format that no image has is a slip of the pen.
void CheckFormats(const std::vector<ExportDescription>& exports, const std::vector<Image>& images,
                  const std::string& path) {
  std::vector<std::string_view> formats;
  formats.reserve(images.size());
  for (const Image& image : images) formats.emplace_back(image.format);
  for (const ExportDescription& description : exports) {
    for (const auto& [format, symbol] : description.symbols) {
      if (std::ranges::find(formats, format) != formats.end()) continue;
      Fail(ExitCode::kInput, "'", path, "': export '", description.name, "' has a symbol for '", format,
           "', a format that no image has; ", SuggestionText(format, formats));
    }
  }
}

// What the images tell; they also know best what they were made for.
std::vector<ImageReflection> ReflectImages(std::vector<Image>* images, bool is_described) {
  std::vector<ImageReflection> reflections;
  for (Image& image : *images) {
    if (image.is_taken_as_is && is_described) continue;
    std::optional<ImageReflection> reflection =
        image.told ? image.told : ReflectImage(image.path, image.format, image.bytes);
    if (!reflection) continue;
    // "gfx90a:xnack-" says more than "gfx90a".
    if (!image.is_taken_as_is && reflection->target.starts_with(image.target))
      image.target = std::string(reflection->target);
    reflection->target = HostString(image.target);
    image.isa_version = reflection->isa_version;
    image.told_as = reflections.size();
    reflections.push_back(std::move(*reflection));
  }
  return reflections;
}

// What no image tells and no file describes: functions of Halide, which describes them in the object.
std::vector<ExportDescription> DescribeByObjects(const std::vector<Image>& images, std::string* out_origin) {
  for (const Image& image : images) {
    if (!IsForHost(image)) continue;
    std::vector<ExportDescription> functions = DescribeHalideFunctions(image.path, image.bytes);
    *out_origin = image.path;
    if (!functions.empty()) return functions;
  }
  const auto object = std::ranges::find_if(images, IsForHost);
  if (object == images.end()) {
    Fail(ExitCode::kInput, "none of the images tells what it exports; describe it with --exports=FILE");
  }
  CheckObjectFile(object->path, object->bytes);
  Fail(ExitCode::kInput, "'", object->path, "' does not tell what it exports: ", HowToDescribe(object->bytes));
}

// Without --mlir: what --exports describes, and what the images tell.
struct Exports {
  std::vector<ImageReflection> reflections;  // what the next points to
  Reconciliation reconciled;
};

Exports FindExports(const PackOptions& options, const DescriptionFile& file, std::vector<Image>* images) {
  std::vector<ExportDescription> description = ReadExportDescriptions(file);
  const bool has_file = !description.empty();
  if (has_file) CheckFormats(description, *images, options.exports);
  Exports exports;
  exports.reflections = ReflectImages(images, has_file);
  std::string origin = options.exports;
  if (!has_file && exports.reflections.empty()) description = DescribeByObjects(*images, &origin);
  const bool is_described = !description.empty();
  if (is_described) {
    for (ExportDescription& function : description) {
      if (function.signature) TakeParametersFromSignature(&function);
    }
  }
  Correct(options.corrections, &exports.reflections);
  exports.reconciled =
      ReconcileExports(is_described ? &description : nullptr, origin, exports.reflections, options.partial);
  return exports;
}

}  // namespace

void Translate(const PackOptions& options) {
  const MslSource source = TranslateSpirvToMsl(options.translate, ReadFile(options.translate), options.metal_version);
  std::string text = "// Made by halyard-pack.\n";
  for (const auto& [kernel, sides] : source.sizes) {
    text += Concat("// For workgroups of ", SidesText({sides[0], sides[1], sides[2]}), " alone: ", kernel, "\n");
  }
  text += source.text;
  WriteFile(options.output, kGeneratedSource, options.replace, std::as_bytes(std::span(text)));
}

Packed Pack(const PackOptions& options) {
  MlirModule module;
  if (!options.mlir.empty()) module = ReadMlirModule(options);
  CheckWritable(options.output, kExecutableFile, options.replace);
  std::vector<Image> images;
  for (std::vector<std::byte>& image : module.images) images.push_back(MakeImage(options, std::move(image)));
  const DescriptionFile file = ReadDescriptionFile(options.exports);
  Defaults defaults(file);
  const MetalTranslation metal = {options.metal_version, DescribedSizes(file)};
  for (const ImageOption& option : options.images) ReadImages(option, metal, &defaults, &images);
  defaults.CheckUsed();
  const TritonExports triton(options.triton);
  Exports exports;
  if (options.mlir.empty() && !images.empty()) {
    exports = FindExports(options, file, &images);
  } else {
    exports.reconciled.exports = std::move(module.exports);
  }
  const std::vector<ExportDescription>& described = exports.reconciled.exports;

  Packed packed;
  ContainerContents contents;
  for (const ExportDescription& description : described) contents.exports.push_back(ToContainer(description));
  for (const Image& image : images) {
    CheckSharedObject(image, exports.reconciled);
    if (!options.mlir.empty()) {
      CheckImports(options, image.path, image.bytes);
    } else if (IsForHost(image)) {
      CheckObjectIsComplete(image.path, image.bytes, &packed.notes);
    }
    contents.variants.push_back(ToContainer(image, images, exports.reconciled));
  }
  triton.AppendTo(&contents);
  CorrectLaunches(options.launches, &contents);
  const std::vector<std::string>& left_out = exports.reconciled.left_out;
  packed.notes.insert(packed.notes.end(), left_out.begin(), left_out.end());
  for (const ImageReflection& image : exports.reflections) {
    packed.notes.insert(packed.notes.end(), image.notes.begin(), image.notes.end());
  }
  packed.notes.insert(packed.notes.end(), module.notes.begin(), module.notes.end());
  for (const std::string& reason : module.left_out) packed.notes.push_back(reason + ", so it is left out");
  AddGuesses(described, &packed.notes);
  AddAddressNotes(exports.reconciled, &packed.notes);
  AddOpenSizes(contents, &packed.notes);
  triton.AppendNotes(&packed.notes);
  Check(Publish(SerializeContainer(contents, &packed.bytes)), ExitCode::kInput, "make '" + options.output + "'");
  WriteFile(options.output, kExecutableFile, options.replace, packed.bytes);
  return packed;
}

}  // namespace halyard::tools
