// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills and copies inside the memory of the device, recorded and submitted again and again; uploads and downloads.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "overhead.h"

namespace halyard::tools {
namespace {

/// Nanoseconds until it is done.
template <class Graph>
double Run(Graph& graph) {
  return bench::Time([&] {
    graph.Launch();
    graph.Wait();
  });
}

void AddLine(Overhead& overhead, const Line& line, const RecordedTransfer& transfer) {
  overhead.Add(line, [transfer](Sides& sides, const Comparison& comparison) {
    const std::unique_ptr<CounterpartGraph> raw = sides.raw->MakeTransfer(transfer);
    Recording halyard(sides.halyard.device(), transfer);
    comparison.TakeTurns([&] { return Run(*raw); }, [&] { return Run(halyard); });
    halyard.CheckArrived(transfer);
  });
}

// Memory of the host that nothing has pinned, as a program has it that reads a file.
void AddHostTransferLine(Overhead& overhead, uint64_t length, bool is_upload, const Line& line) {
  overhead.Add(line, [=](Sides& sides, const Comparison& comparison) {
    std::vector<uint8_t> up(length);
    for (size_t i = 0; i < up.size(); ++i) up[i] = static_cast<uint8_t>(i * 7 + i / 256);
    std::vector<uint8_t> down(length);
    const Buffer buffer = sides.halyard.device().Allocate(length);
    sides.raw->Upload(up.data(), length);
    sides.halyard.Upload(up.data(), buffer);
    sides.halyard.Wait();
    comparison.TakeTurns(
        [&] {
          return bench::Time(
              [&] { is_upload ? sides.raw->Upload(up.data(), length) : sides.raw->Download(down.data(), length); });
        },
        [&] {
          return bench::Time([&] {
            is_upload ? sides.halyard.Upload(up.data(), buffer) : sides.halyard.Download(buffer, down.data());
            sides.halyard.Wait();
          });
        });
    std::ranges::fill(down, uint8_t{0});
    sides.halyard.Download(buffer, down.data());
    sides.halyard.Wait();
    if (down != up) Fail(ExitCode::kRun, "a download has other bytes than the upload before it");
  });
}

void AddHostTransferLines(Overhead& overhead) {
  const uint64_t mebibytes = overhead.is_quick() ? 16 : 1024;
  const auto add = [&](bool is_upload, const char* name, const std::string& what) {
    AddHostTransferLine(
        overhead, mebibytes * kMiB, is_upload,
        {.name = Concat(name, "_", mebibytes, "_MiB"), .what = what, .turns = 10, .target = {.ratio = 1.05}});
  };
  add(true, "upload", Concat("upload of ", mebibytes, " MiB of memory that is not pinned, until done (raw: the same)"));
  add(false, "download", "download of the same");
}

}  // namespace

void AddTransferLines(Overhead& overhead) {
  using Kind = RecordedTransfer::Kind;
  const uint64_t large = overhead.is_quick() ? 16 : 256;  // MiB
  AddLine(overhead,
          {.name = Concat("fill_", large, "_MiB"),
           .what = Concat("fill of ", large, " MiB"),
           .turns = 50,
           .target = {.ratio = 1 / 0.99}},
          {.kind = Kind::kFill, .length = large * kMiB});
  const auto copy = [&](const std::string& name, const std::string& what, uint64_t turns, double vulkan_ratio,
                        const RecordedTransfer& transfer) {
    AddLine(overhead,
            {.name = name,
             .what = what,
             .turns = turns,
             .target = {.ratio = 1 / 0.98},
             .vulkan_target = bench::Target{.ratio = vulkan_ratio}},
            transfer);
  };
  copy("copy_4_KiB", "copy of 4 KiB", 1000, 1 / 0.98, {.kind = Kind::kCopy, .length = 4 * kKiB});
  copy("copy_1_MiB", "copy of 1 MiB", 500, 1 / 0.98, {.kind = Kind::kCopy, .length = kMiB});
  // Vulkan's own copies are slow inside some GPUs.
  copy(Concat("copy_", large, "_MiB"), Concat("copy of ", large, " MiB"), 50, 0.25,
       {.kind = Kind::kCopy, .length = large * kMiB});
  copy(Concat("copy_", large, "_MiB_odd"), "the same from offset 1 to offset 3", 10, 0.25,
       {.kind = Kind::kCopy, .length = large * kMiB, .source_offset = 1, .target_offset = 3});
  const auto copy_rows = [&](const std::string& name, const std::string& what, uint64_t turns, uint64_t rows,
                             uint64_t row) {
    AddLine(overhead, {.name = name, .what = what, .turns = turns, .target = {.ratio = 1.1}},
            {.kind = Kind::kRows, .length = LengthOfRows(rows, row), .row = row});
  };
  copy_rows("copy_64_rows", "strided copy of 64 rows of 256 bytes, 512 bytes apart", 1000, 64, 256);
  copy_rows(Concat("copy_rows_", large, "_MiB"), Concat("strided copy of ", large, " MiB in rows of 4 KiB"), 50,
            large * kMiB / (4 * kKiB), 4 * kKiB);
  if (overhead.is_cuda()) AddHostTransferLines(overhead);
}

}  // namespace halyard::tools
