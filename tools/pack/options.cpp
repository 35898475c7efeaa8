// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "core/executable/variant_ranking.h"
#include "halyard/executable.h"
#include "support/failure.h"
#include "support/program/command_line.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr const char* kPurpose =
    "Puts compiled kernels and what they export into one executable file (.halx), or shows one.\n"
    "\n"
    "The file may hold images for several kinds of device; each device gets the one that suits\n"
    "it best, and among equals the first: those of --local, --cuda, --hip, --spirv, --metal and\n"
    "--image, in this order.\n";

constexpr const char* kExamples =
    "Examples:\n"
    "  cc -O3 -shared -fPIC kernels.c -o kernels.so\n"
    "  halyard-pack --local=kernels.so --exports=saxpy.json -o saxpy.halx\n"
    "  halyard-pack --local=kernels.so --cuda=saxpy.ptx --hip=saxpy.gfx942.hsaco --hip=saxpy.gfx1100.hsaco \\\n"
    "      --spirv=saxpy.spv --metal=saxpy.metal --exports=saxpy.json -o saxpy.halx\n"
    "  halyard-pack --cuda=saxpy.ptx --hip=saxpy.hipfb -o saxpy.halx\n"
    "  halyard-pack --triton=$HOME/.triton/cache -o model.halx\n"
    "  halyard-pack --mlir=matmul.mlir --cpu=native -o matmul.halx\n"
    "  halyard-pack --mlir=matmul.mlir --host=x86_64 --host=aarch64 -o matmul.halx\n"
    "  halyard-pack --mlir=matmul.mlir --import-stub=stub.c && cc -shared -fPIC matmul.o stub.c -o matmul.so\n"
    "  halyard-pack --mlir=matmul.mlir --local=matmul.so -o matmul.halx\n"
    "  halyard-pack --dump=saxpy.halx\n"
    "\n"
    "The description of the exports (every key but \"name\" may be left out):\n"
    "  {\"exports\": [\n"
    "    {\"name\": \"saxpy\", \"symbol\": \"saxpy_f32\", \"workgroup_size\": [64, 1, 1],\n"
    "     \"parameters\": [{\"kind\": \"constant\", \"offset\": 0, \"size\": 4},\n"
    "                    {\"kind\": \"binding\", \"binding\": 0, \"access\": \"read\"},\n"
    "                    {\"kind\": \"binding\", \"binding\": 1, \"access\": \"read_write\"}]}\n"
    "  ]}\n";

// "[FORMAT[/TARGET]=]FILE".
ImageOption ParseImage(std::string_view text) {
  const size_t equals = text.find('=');
  ImageOption image;
  image.path = text.substr(equals == std::string_view::npos ? 0 : equals + 1);
  if (image.path.empty()) Fail(ExitCode::kUsage, "--image takes FORMAT/TARGET=FILE, not '", text, "'");
  if (equals == std::string_view::npos) return image;
  const std::string_view kind = text.substr(0, equals);
  const size_t slash = kind.find('/');
  image.format = kind.substr(0, slash);
  if (slash != std::string_view::npos) image.target = kind.substr(slash + 1);
  return image;
}

// The options that name a kind of device, in the order in which their images are put into the file.
struct DeviceImages {
  const char* name;
  const char* value;
  std::vector<std::string> formats;
  const char* help;
  std::vector<std::string> given = {};
};

std::vector<DeviceImages> DeviceImageOptions() {
  return {
      {"--local,-l",
       "FILE",
       {HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT},
       "a shared object of a host; may be repeated, as all that name images, for several\n"
       "architectures"},
      {"--cuda", "[TARGET:]FILE", {"ptx", "cubin", "fatbin"}, "PTX, a cubin or a fatbin for NVIDIA devices"},
      {"--hip",
       "[TARGET:]FILE",
       {"hsaco"},
       "a code object for AMD devices of one architecture, as in gfx942:k.hsaco, or an\n"
       "offload bundle of several"},
      {"--spirv", "FILE", {"spirv"}, "SPIR-V for Vulkan"},
      {"--metal",
       "FILE",
       {"metallib", "msl", "spirv"},
       "a Metal library, source in Metal's language, or SPIR-V to translate"},
  };
}

// "[TARGET:]FILE". A target has no slash and no dot, as a path to a file of images has.
ImageOption ParseDeviceImage(const DeviceImages& option, const std::string& text) {
  ImageOption image;
  image.formats = option.formats;
  image.path = text;
  const size_t colon = text.find(':');
  const bool takes_target = std::string_view(option.value).starts_with("[TARGET:]");
  if (takes_target && colon != std::string::npos && text.find_first_of("/.\\") > colon) {
    image.target = text.substr(0, colon);
    image.path = text.substr(colon + 1);
  }
  if (image.path.empty()) Fail(ExitCode::kUsage, option.name, " takes ", option.value, ", not '", text, "'");
  return image;
}

// "KERNEL:N=binding", "KERNEL:N+OFFSET=binding", or the same with "constant".
ParameterCorrection ParseCorrection(const std::string& text) {
  const size_t equals = text.rfind('=');
  const size_t colon = text.rfind(':', equals);
  const bool is_whole = colon != std::string::npos && equals != std::string::npos;
  const std::string place = is_whole ? text.substr(colon + 1, equals - colon - 1) : "";
  const size_t plus = place.find('+');
  const auto number = ParseUint(std::string_view(place).substr(0, plus));
  const auto offset = plus == std::string::npos ? std::nullopt : ParseUint(std::string_view(place).substr(plus + 1));
  const std::string_view kind = std::string_view(text).substr(std::min(equals, text.size() - 1) + 1);
  const bool is_offset_right = plus == std::string::npos || (offset && *offset < UINT32_MAX);
  if (!number || !is_offset_right || colon == 0 || (kind != "binding" && kind != "constant")) {
    Fail(ExitCode::kUsage,
         "--parameter takes KERNEL:N=binding, KERNEL:N=constant or, for 8 bytes of a constant, KERNEL:N+OFFSET=binding "
         "or KERNEL:N+OFFSET=constant, not '",
         text, "'");
  }
  ParameterCorrection correction;
  correction.kernel = text.substr(0, colon);
  correction.parameter = static_cast<size_t>(*number);
  if (offset) correction.offset = static_cast<uint32_t>(*offset);
  correction.kind = kind == "binding" ? HAL_PARAMETER_KIND_BINDING : HAL_PARAMETER_KIND_CONSTANT;
  correction.text = text;
  return correction;
}

// "[NAME=]PATH". A name has no slash.
TritonOption ParseTriton(const std::string& text) {
  const size_t equals = text.find('=');
  TritonOption option;
  option.path = text;
  if (equals != std::string::npos && text.find_first_of("/\\") > equals) {
    option.name = text.substr(0, equals);
    option.path = text.substr(equals + 1);
  }
  if (option.path.empty()) Fail(ExitCode::kUsage, "--triton takes [NAME=]PATH, not '", text, "'");
  return option;
}

MslVersion ParseMetalVersion(std::string_view text) {
  const size_t dot = text.find('.');
  const auto major = ParseUint(text.substr(0, dot));
  const auto minor = dot == std::string_view::npos ? std::nullopt : ParseUint(text.substr(dot + 1));
  if (!major || !minor || *major < 2 || *major > 9 || *minor > 9) {
    Fail(ExitCode::kUsage, "--metal-version takes 2.0 to 9.9, not '", text, "'");
  }
  return {static_cast<uint32_t>(*major), static_cast<uint32_t>(*minor)};
}

// The architectures whose registers the library knows, and so calls compiled functions on.
constexpr std::array<std::string_view, 2> kHosts = {"x86_64", "aarch64"};

void CheckHosts(const PackOptions& options) {
  if (options.hosts.empty()) return;
  if (options.mlir.empty() || !options.images.empty()) {
    Fail(ExitCode::kUsage, "--host is for functions of --mlir=FILE that are compiled here");
  }
  if (options.hosts.size() > 1 && !options.cpu.empty()) {
    Fail(ExitCode::kUsage, "--cpu names a processor of one architecture, and --host names ", options.hosts.size());
  }
  std::set<std::string_view> seen;
  for (const std::string& host : options.hosts) {
    if (std::ranges::find(kHosts, host) == kHosts.end()) {
      Fail(ExitCode::kUsage, "--host takes x86_64 or aarch64, not '", host, "'");
    }
    if (!seen.insert(host).second) Fail(ExitCode::kUsage, "--host=", host, " is given twice");
  }
}

void CheckComplete(const PackOptions& options) {
  if (!options.dump.empty()) {
    const bool packs = !options.images.empty() || !options.triton.empty() || !options.exports.empty() ||
                       !options.output.empty() || !options.mlir.empty() || !options.translate.empty();
    if (packs) Fail(ExitCode::kUsage, "--dump shows a file; it does not go together with options that make one");
    return;
  }
  if (!options.translate.empty()) {
    if (!options.images.empty() || !options.triton.empty() || !options.exports.empty() || !options.mlir.empty()) {
      Fail(ExitCode::kUsage, "--translate makes a source, not an executable file; it does not go together with images");
    }
  } else if (options.mlir.empty() && options.images.empty() && options.triton.empty()) {
    Fail(ExitCode::kUsage,
         "an image is missing: --local=FILE, --cuda=FILE, --hip=FILE, --spirv=FILE, --metal=FILE or "
         "--image=FORMAT/TARGET=FILE, or --triton=PATH, or --mlir=FILE");
  }
  if (!options.triton.empty() && options.images.empty() && (!options.exports.empty() || !options.mlir.empty())) {
    Fail(ExitCode::kUsage, "--triton tells what it exports; it does not go together with --exports or --mlir alone");
  }
  if (!options.mlir.empty() && !options.exports.empty()) {
    Fail(ExitCode::kUsage, "--mlir tells what is exported; it does not go together with --exports");
  }
  if (!options.corrections.empty() && (options.images.empty() || !options.mlir.empty())) {
    Fail(ExitCode::kUsage, "--parameter is for kernels of --cuda=FILE and other images");
  }
  if (!options.launches.empty() && options.images.empty() && options.triton.empty()) {
    Fail(ExitCode::kUsage, "--launch is for kernels of --cuda=FILE, --hip=FILE and --triton=PATH");
  }
  if (options.mlir.empty() && !options.mlir_exports.empty()) {
    Fail(ExitCode::kUsage, "--export is for private functions of --mlir=FILE");
  }
  if (!options.link.empty() && (options.mlir.empty() || !options.images.empty())) {
    Fail(ExitCode::kUsage, "--link is for functions of --mlir=FILE that are compiled here");
  }
  if (options.mlir.empty() && !options.import_stub.empty()) {
    Fail(ExitCode::kUsage, "--import-stub is for what the functions of --mlir=FILE call");
  }
  CheckHosts(options);
  if (options.output.empty() && !options.WritesStubOnly()) FailMissing("--output=FILE");
}

}  // namespace

std::optional<PackOptions> ParsePackOptions(int argc, const char* const* argv) {
  PackOptions options;
  std::vector<DeviceImages> device_images = DeviceImageOptions();
  std::vector<std::string> images;
  std::vector<std::string> triton;
  std::vector<std::string> corrections;
  std::vector<std::string> launches;
  std::string passes;
  std::string metal_version;
  CommandLine line("halyard-pack",
                   "--local=FILE --cuda=FILE … [--exports=FILE] --output=FILE | --mlir=FILE … | --dump=FILE", kPurpose);
  for (DeviceImages& option : device_images) line.Texts(option.name, option.value, &option.given, option.help);
  line.Texts("--image,-i", "FORMAT/TARGET=FILE", &images,
             "an image of any format, as in ptx/sm_70=saxpy.ptx.\n"
             "A target that is left out stands for any device; FILE alone is looked at");
  line.Texts("--triton", "[NAME=]PATH", &triton,
             "kernels that Triton compiled: the .json of one, a folder of its cache, or the cache.\n"
             "Images for all devices, names, sizes, clusters and memory come from there");
  line.Text("--exports,-e", "FILE", &options.exports,
            "JSON that describes the exports. It completes what the images tell, and may be left out\n"
            "if they tell all: PTX, cubins, fatbins, code objects, shared objects with records");
  line.Texts("--parameter", "KERNEL:N=KIND", &corrections,
             "what parameter N of a kernel is, counted from 0: binding (an address) or constant (a\n"
             "number), whatever the images say. N+OFFSET names 8 bytes of a structure, into which the\n"
             "address of a binding is put: a pointer that is a member of it");
  line.Texts("--launch", "KERNEL:FACT", &launches,
             "what a kernel needs of its launches on CUDA and HIP devices: cooperative, programmatic,\n"
             "cluster=X,Y,Z, workgroup=X,Y,Z or dynamic-memory=BYTES. For what the images do not tell");
  line.Flag("--partial", &options.partial,
            "let images for one kind of device lack exports that others have. Such a device loads\n"
            "what it has, by name");
  line.Text("--mlir,-m", "FILE", &options.mlir,
            "a module of MLIR, whose public functions are exported. It is compiled with the installed\n"
            "mlir-opt, mlir-translate and clang, unless --local gives the finished object");
  line.Text("--mlir-version", "N", &options.mlir_version,
            "use the tools of that version, 16 to 22 (default: the newest)");
  line.Text("--passes", "PASSES", &passes,
            "lower it with these passes of mlir-opt, as in '--lower-affine --convert-…'");
  line.Text("--cpu", "NAME", &options.cpu,
            "compile it for that processor, as clang -march names it; native for this one");
  line.Texts("--host", "ARCH", &options.hosts,
             "compile it for hosts of that architecture, x86_64 or aarch64; may be repeated, and each\n"
             "host loads the image that fits (default: this host's)");
  line.Texts("--export", "NAME", &options.mlir_exports, "export that private function of it, too; may be repeated");
  line.Texts("--link", "LIB", &options.link,
             "link that library, a path or the NAME of libNAME.so; may be repeated. Running the\n"
             "functions needs it at the same place");
  line.Flag("--bare-pointers", &options.bare_pointers, "pass memrefs, whose shapes are static, as mere pointers");
  line.Text("--import-stub", "FILE", &options.import_stub,
            "write the C source to link into a finished object, through which it calls others;\n"
            "without --output nothing else is made");
  line.Text("--translate", "FILE", &options.translate, "translate SPIR-V to Metal's language and write it to --output");
  line.Text("--metal-version", "M.N", &metal_version, "version of Metal's language for SPIR-V (default: 2.3)");
  line.Text("--output,-o", "FILE", &options.output, "the file to make");
  line.Text("--dump", "FILE", &options.dump, "show what is in a file, and check it");
  line.AddJson(&options.json);
  line.AddForce(&options.replace);
  line.SetEpilogue(kExamples);
  if (!line.Parse(argc, argv)) return std::nullopt;
  for (const DeviceImages& option : device_images) {
    for (const std::string& text : option.given) options.images.push_back(ParseDeviceImage(option, text));
  }
  for (const std::string& image : images) options.images.push_back(ParseImage(image));
  for (const std::string& path : triton) options.triton.push_back(ParseTriton(path));
  for (const std::string& text : corrections) options.corrections.push_back(ParseCorrection(text));
  for (const std::string& text : launches) options.launches.push_back(ParseLaunchCorrection(text));
  for (const std::string_view pass : SplitText(passes, ' ')) {
    if (!pass.empty()) options.passes.emplace_back(pass);
  }
  if (!metal_version.empty()) options.metal_version = ParseMetalVersion(metal_version);
  CheckComplete(options);
  if (options.hosts.empty()) options.hosts.emplace_back(HostArchitecture());
  return options;
}

}  // namespace halyard::tools
