// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of a tool: how options are written, explained, and refused, the same in all tools.
#ifndef HALYARD_TOOLS_SUPPORT_COMMAND_LINE_H_
#define HALYARD_TOOLS_SUPPORT_COMMAND_LINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/file_kind.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace halyard::tools {

/// Which device, out of which drivers.
struct DeviceOptions {
  std::string device;
  std::vector<std::string> plugins;  ///< paths of shared libraries with drivers
};

/// The options of one tool. The pointers given with them are written by Parse() and must be valid until then.
///
/// Values are read as text; the tool checks numbers, with a message of its own. It checks for required options after
/// Parse(), so that a misspelt option is reported first.
class CommandLine {
 public:
  /// @param name      of the program: "halyard-run"
  /// @param synopsis  what follows the name in the usage line
  /// @param purpose   what the tool is for: the first line in brief, then whatever more there is to say
  CommandLine(std::string name, const std::string& synopsis, const std::string& purpose);
  ~CommandLine();

  /// The options added from now on stand under this heading in the help text.
  void Group(std::string heading) { group_ = std::move(heading); }

  /// `names` as in "--output,-o"; `value` is what the help text calls the value.
  void Flag(const std::string& names, bool* out, const std::string& help);
  void Text(const std::string& names, const std::string& value, std::string* out, const std::string& help);
  /// May be given several times.
  void Texts(const std::string& names, const std::string& value, std::vector<std::string>* out,
             const std::string& help);
  /// A whole number between `least` and `most`; `*out` is the default.
  void Number(const std::string& names, uint64_t least, uint64_t most, uint64_t* out, const std::string& help);

  /// `--device` (if the tool works on one) and `--plugin`.
  void AddDevice(DeviceOptions* out, const std::string& help);
  void AddPlugins(DeviceOptions* out);
  /// `--json`.
  void AddJson(bool* out);
  /// `--force`, of tools that write files.
  void AddForce(Replace* out);

  /// Text at the end of the help: "Examples:" and what follows.
  void SetEpilogue(const std::string& text);
  /// Arguments that are not known stay in Rest() instead of being refused if they begin with `prefix`.
  void LeavePrefixed(std::string prefix) { left_prefix_ = std::move(prefix); }

  /// Arguments that are no options stay in Rest() if they have one of these characters.
  void LeaveWordsWith(std::string characters) { left_characters_ = std::move(characters); }

  /// Reads the arguments. False if they asked for help or for the version, which is then printed and all there is to
  /// do. Throws Failure (kUsage).
  bool Parse(int argc, const char* const* argv);
  const std::vector<std::string>& Rest() const { return rest_; }

 private:
  /// A number that Parse() still has to read.
  struct PendingNumber {
    CLI::Option* option;
    std::string text;
    uint64_t least;
    uint64_t most;
    uint64_t* out;
  };

  void RefuseUnknown(const std::vector<std::string>& arguments);
  [[noreturn]] void FailUnknown(const std::string& argument) const;
  void ReadNumbers();

  std::string name_;
  std::string group_ = "Options";
  std::string left_prefix_;
  std::string left_characters_;
  std::vector<std::string> rest_;
  std::vector<std::unique_ptr<PendingNumber>> numbers_;
  std::unique_ptr<CLI::App> app_;
};

/// Throws Failure (kUsage) that says the option must be given.
[[noreturn]] void FailMissing(const std::string& option);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_COMMAND_LINE_H_
