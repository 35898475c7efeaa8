// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <string_view>
#include <vector>

namespace digits {
namespace {

/// One option. Those with a `value_name` are written `--name=value`, the others `--name`.
struct Option {
  std::string_view name;
  std::string_view value_name;
  std::string_view help;
  void (*apply)(Options& options, std::string_view value);
};

uint32_t ParseNumber(std::string_view name, std::string_view text, uint32_t least, uint32_t most) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    throw UsageError("--" + std::string(name) + " takes a number from " + std::to_string(least) + " to " +
                     std::to_string(most) + ", not '" + std::string(text) + "'");
  }
  return number;
}

constexpr Option kOptions[] = {
    {"device", "URI", "the device to run on (default: local://task)",
     [](Options& options, std::string_view value) { options.device = value; }},
    {"list-devices", "", "list the devices of this machine and stop",
     [](Options& options, std::string_view) { options.list_devices = true; }},
    {"batch", "N", "images that the device takes at a time (default: 64)",
     [](Options& options, std::string_view value) { options.batch = ParseNumber("batch", value, 1, 65536); }},
    {"show", "N", "digits to draw (default: 8)",
     [](Options& options, std::string_view value) { options.show = ParseNumber("show", value, 0, 65536); }},
    {"repeat", "N", "times to go through the images, to measure the speed (default: 20)",
     [](Options& options, std::string_view value) { options.repeat = ParseNumber("repeat", value, 1, 1000000); }},
    {"data", "DIR", "folder with digits.bin and digits_weights.bin",
     [](Options& options, std::string_view value) { options.data = value; }},
    {"kernels", "FILE", "executable file with the kernels",
     [](Options& options, std::string_view value) { options.kernels = value; }},
    {"trace", "FILE", "write what the device did as a trace for https://ui.perfetto.dev",
     [](Options& options, std::string_view value) { options.trace = value; }},
    {"help", "", "print this text and stop", [](Options& options, std::string_view) { options.help = true; }},
};

std::string Spelling(const Option& option) {
  std::string spelling = "--" + std::string(option.name);
  if (!option.value_name.empty()) spelling += "=" + std::string(option.value_name);
  return spelling;
}

/// How many letters must be added, removed or changed to turn one word into the other.
size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> distances(to.size() + 1);  // from the letters of `from` seen so far to each prefix of `to`
  std::iota(distances.begin(), distances.end(), size_t{0});
  for (const char letter : from) {
    size_t diagonal = distances[0]++;
    for (size_t i = 0; i < to.size(); ++i) {
      const size_t changed = diagonal + (letter == to[i] ? 0 : 1);
      diagonal = distances[i + 1];
      distances[i + 1] = std::min({changed, distances[i] + 1, distances[i + 1] + 1});
    }
  }
  return distances.back();
}

[[noreturn]] void ThrowUnknownOption(std::string_view argument, std::string_view name) {
  std::string near;
  for (const Option& option : kOptions) {
    const bool is_near = EditDistance(name, option.name) <= 2 || (name.size() >= 3 && option.name.starts_with(name));
    if (is_near) near += (near.empty() ? "" : " or ") + Spelling(option);
  }
  throw UsageError("unknown option '" + std::string(argument) + "'; " +
                   (near.empty() ? "--help lists the options" : "did you mean " + near + "?"));
}

void Apply(Options& options, std::string_view argument) {
  if (!argument.starts_with("--")) {
    throw UsageError("unexpected argument '" + std::string(argument) + "'; options are written --name=value");
  }
  const size_t equals = argument.find('=');
  const bool has_value = equals != std::string_view::npos;
  const std::string_view name = argument.substr(2, has_value ? equals - 2 : equals);
  const std::string_view value = has_value ? argument.substr(equals + 1) : std::string_view();

  const auto* option = std::ranges::find(kOptions, name, &Option::name);
  if (option == std::end(kOptions)) ThrowUnknownOption(argument, name);
  if (option->value_name.empty() ? has_value : value.empty()) {
    throw UsageError("'" + std::string(argument) + "' is written " + Spelling(*option));
  }
  option->apply(options, value);
}

}  // namespace

Options ParseOptions(int argc, const char* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) Apply(options, argv[i]);
  return options;
}

std::string HelpText() {
  std::string text =
      "Recognises handwritten digits with a small neural network on any Halyard device.\n\n"
      "Usage: halyard-digits [options]\n\n";
  for (const Option& option : kOptions) {
    std::string spelling = Spelling(option);
    spelling.resize(18, ' ');
    text += "  " + spelling + std::string(option.help) + "\n";
  }
  return text;
}

}  // namespace digits
