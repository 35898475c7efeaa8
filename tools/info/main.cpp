// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-info: what this machine can do.
#include "inventory.h"
#include "report.h"
#include "support/failure.h"
#include "support/program/command_line.h"
#include "support/program/devices.h"
#include "support/program/tool.h"

namespace halyard::tools {
namespace {

constexpr const char* kPurpose =
    "Shows the drivers, and why one cannot be used here; the devices, what they are made of,\n"
    "their memory, limits and the executables that they take.\n";
constexpr const char* kExamples =
    "Examples:\n"
    "  halyard-info                          everything\n"
    "  halyard-info --device=local://task    one device\n"
    "  halyard-info --closed                 what devices say without being opened\n"
    "  halyard-info --topology               what connects the devices, and how copies between them go\n"
    "  halyard-info --json | jq -r '.drivers[].devices[].uri'\n";

std::string Version() {
  const uint32_t version = hal_version();
  return Concat(version >> 16, ".", (version >> 8) & 0xFFu, ".", version & 0xFFu);
}

void ReportDevice(const std::string& uri, bool as_json) {
  const DeviceEntry device = InspectDevice(uri);
  Print(as_json ? JsonText(JsonReport(device)) : TextReport(device));
}

void ReportAll(Look look, bool as_json) {
  const std::vector<DriverEntry> drivers = TakeInventory(look);
  if (as_json) {
    Print(JsonText({{"version", Version()}, {"drivers", JsonReport(drivers)}}));
  } else {
    Print("Halyard " + Version() + "\n\n" + TextReport(drivers));
  }
}

void ReportTopology(bool as_json) {
  const Topology topology = TakeTopology();
  Print(as_json ? JsonText({{"version", Version()}, {"topology", JsonReport(topology)}}) : TextReport(topology));
}

ExitCode Run(int argc, char** argv) {
  DeviceOptions options;
  bool as_json = false;
  bool topology = false;
  bool closed = false;
  CommandLine line("halyard-info", "[--device=URI] [options]", kPurpose);
  line.AddDevice(&options, "show this device alone");
  line.Flag("--closed", &closed, "show what devices say without being opened");
  line.Flag("--topology", &topology, "show what connects all devices, instead of what each is");
  line.AddJson(&as_json);
  line.SetEpilogue(kExamples);
  if (!line.Parse(argc, argv)) return ExitCode::kOk;
  if (topology && !options.device.empty()) {
    throw Failure(ExitCode::kUsage, "--topology shows all devices; leave --device out");
  }

  if (closed && (topology || !options.device.empty())) {
    throw Failure(ExitCode::kUsage, "--closed shows all devices; leave --device and --topology out");
  }

  LoadPlugins(options.plugins);
  if (topology) {
    ReportTopology(as_json);
  } else if (options.device.empty()) {
    ReportAll(closed ? Look::kClosed : Look::kOpen, as_json);
  } else {
    ReportDevice(options.device, as_json);
  }
  return ExitCode::kOk;
}

}  // namespace
}  // namespace halyard::tools

int main(int argc, char** argv) { return halyard::tools::RunTool("halyard-info", argc, argv, halyard::tools::Run); }
