// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/program/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "halyard/base.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr size_t kHelpColumn = 28;
constexpr const char* kExitCodes =
    "Exit codes:\n"
    "  0  all went well\n"
    "  1  it ran, but the results are not what was expected\n"
    "  2  the command line makes no sense\n"
    "  3  a file is missing, malformed or does not fit\n"
    "  4  no such driver or device, or it cannot be used here\n"
    "  5  the work failed on the device\n"
    "  6  a result could not be written\n"
    "  7  out of host memory, or a bug of the tool\n";

constexpr const char* kCommonGroup = "Common options";

// "--output" out of "--output,-o".
std::string LongName(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return names.empty() ? option.get_name() : "--" + names.front();
}

// "--output=FILE".
std::string LongSpelling(const CLI::Option& option) {
  const std::string& value = option.get_option_text();
  return LongName(option) + (value.empty() ? "" : "=" + value);
}

// "-o, --output=FILE".
std::string Spelling(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : option.get_snames()) text += "-" + name + ", ";
  return text + LongSpelling(option);
}

// Usage first, then the purpose, as man pages and their makers want it; options as --name=VALUE.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    std::string text = app->get_name() + "\n\n" + app->get_description();
    for (const std::string& group : app->get_groups()) {
      if (group != kCommonGroup) text += GroupText(*app, group);
    }
    return text + GroupText(*app, kCommonGroup) + "\n" + app->get_footer();
  }

 private:
  static std::string GroupText(const CLI::App& app, const std::string& group) {
    std::string text;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group) text += OptionText(*option);
    }
    return text.empty() ? "" : "\n" + group + ":\n" + text;
  }

  // The explanation stands beside the option, or below it if that is long; its lines all begin at one column.
  static std::string OptionText(const CLI::Option& option) {
    std::string text = "  " + Spelling(option);
    const std::string indent(kHelpColumn, ' ');
    if (text.size() + 2 > kHelpColumn) text += "\n";
    text.resize(std::max(text.size(), text.ends_with("\n") ? text.size() + kHelpColumn : kHelpColumn), ' ');
    for (const char c : option.get_description()) {
      text += c;
      if (c == '\n') text += indent;
    }
    return text + "\n";
  }
};

std::string VersionText(const std::string& name) {
  const uint32_t loaded = hal_version();
  return Concat(name, " (Halyard) ", loaded >> 16, ".", (loaded >> 8) & 0xFFu, ".", loaded & 0xFFu,
                "\n\nApache License v2.0 with LLVM Exceptions. There is no warranty.");
}

// What CLI11 says of an option with too few or too many values is not in our words.
[[noreturn]] void FailMismatch(const CLI::App& app, std::string_view message) {
  const std::string name(message.substr(0, message.find(':')));
  const CLI::Option* const option = app.get_option_no_throw(name);
  if (!option) Fail(ExitCode::kUsage, message);
  const bool missing = message.find("missing") != std::string_view::npos;
  if (missing) Fail(ExitCode::kUsage, name, " needs a value, as in ", LongSpelling(*option));
  Fail(ExitCode::kUsage, name, " was given more than once");
}

// CLI11 would take the next argument for the value that is missing here.
void RefuseEmptyValues(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      Fail(ExitCode::kUsage, argument.substr(0, argument.size() - 1), " needs a value after '='");
    }
  }
}

}  // namespace

CommandLine::CommandLine(std::string name, const std::string& synopsis, const std::string& purpose)
    : name_(std::move(name)), app_(std::make_unique<CLI::App>(purpose, "Usage: " + name_ + " " + synopsis)) {
  app_->formatter(std::make_shared<HelpFormatter>());
  app_->allow_extras();
  app_->set_help_flag("--help,-h", "print this text and stop")->group(kCommonGroup);
  app_->set_version_flag("--version", VersionText(name_), "print the version and stop")->group(kCommonGroup);
  SetEpilogue("");
}

CommandLine::~CommandLine() = default;

void CommandLine::Flag(const std::string& names, bool* out, const std::string& help) {
  app_->add_flag(names, *out, help)->group(group_);
}

void CommandLine::Text(const std::string& names, const std::string& value, std::string* out, const std::string& help) {
  app_->add_option(names, *out, help)->option_text(value)->group(group_);
}

void CommandLine::Texts(const std::string& names, const std::string& value, std::vector<std::string>* out,
                        const std::string& help) {
  app_->add_option(names, *out, help)->option_text(value)->allow_extra_args(false)->group(group_);
}

void CommandLine::Number(const std::string& names, uint64_t least, uint64_t most, uint64_t* out,
                         const std::string& help) {
  auto number = std::make_unique<PendingNumber>(PendingNumber{nullptr, "", least, most, out});
  number->option = app_->add_option(names, number->text, help)->option_text("N")->group(group_);
  numbers_.push_back(std::move(number));
}

void CommandLine::AddDevice(DeviceOptions* out, const std::string& help) {
  Text("--device,-d", "URI", &out->device, help);
  AddPlugins(out);
}

void CommandLine::AddPlugins(DeviceOptions* out) {
  Texts("--plugin", "LIBRARY", &out->plugins, "load a driver from a shared library first; may be repeated");
}

void CommandLine::AddJson(bool* out) {
  app_->add_flag("--json", *out, "print JSON, for programs")->group(kCommonGroup);
}

void CommandLine::AddForce(Replace* out) {
  app_->add_flag_callback(
          "--force", [out] { *out = Replace::kAnything; },
          "replace files of any kind, not only those that this program writes")
      ->group(kCommonGroup);
}

void CommandLine::SetEpilogue(const std::string& text) {
  app_->footer(text.empty() ? kExitCodes : text + "\n" + kExitCodes);
}

bool CommandLine::Parse(int argc, const char* const* argv) {
  RefuseEmptyValues(argc, argv);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app_->help().c_str(), stdout);
    return false;
  } catch (const CLI::CallForVersion& version) {
    std::puts(version.what());
    return false;
  } catch (const CLI::ParseError& error) {
    // The option that misses its value may be one that was not known, and then that is the better thing to say.
    RefuseUnknown(app_->remaining());
    FailMismatch(*app_, error.what());
  }
  RefuseUnknown(app_->remaining());
  ReadNumbers();
  return true;
}

void CommandLine::RefuseUnknown(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const bool is_left = !argument.starts_with("-") && argument.find_first_of(left_characters_) != std::string::npos;
    if (!is_left && (left_prefix_.empty() || !argument.starts_with(left_prefix_))) FailUnknown(argument);
    rest_.push_back(argument);
  }
}

void CommandLine::FailUnknown(const std::string& argument) const {
  if (!argument.starts_with("-")) {
    Fail(ExitCode::kUsage, "unexpected argument '", argument, "'; options are written --name=value");
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) names.push_back(LongName(*option));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string name = argument.substr(0, argument.find('='));
  Fail(ExitCode::kUsage, "unknown option '", name, "'; ", SuggestionText(name, known));
}

void CommandLine::ReadNumbers() {
  for (const auto& number : numbers_) {
    if (number->option->count() == 0) continue;
    const auto value = ParseUint(number->text);
    if (!value || *value < number->least || *value > number->most) {
      Fail(ExitCode::kUsage, LongName(*number->option), " takes a number from ", number->least, " to ", number->most,
           ", not '", number->text, "'");
    }
    *number->out = *value;
  }
}

void FailMissing(const std::string& option) { Fail(ExitCode::kUsage, option, " is missing"); }

}  // namespace halyard::tools
