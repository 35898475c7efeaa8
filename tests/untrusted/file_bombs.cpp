// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <flatbuffers/flatbuffers.h>
#include <xxhash.h>

#include <functional>

#include "executable_generated.h"
#include "halyard/buffer_view.h"
#include "untrusted/bombs.h"
#include "untrusted/bytes_writer.h"

namespace halyard::testing {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using Exports = std::vector<Offset<schemas::Export>>;
using EntryPoints = std::vector<Offset<schemas::EntryPoint>>;

/// Writes a file with one image. `fill` makes what it exports.
struct Writer {
  std::string image, format, target, symbol;

  std::string Write(const std::function<void(FlatBufferBuilder&, Exports*, EntryPoints*)>& fill) const {
    std::string out;
    uint64_t offset = 4096;
    for (int pass = 0; pass < 2; ++pass) {  // the second knows where the image lies
      out = Metadata(fill, offset);
      offset = (out.size() + 8 + 4095) / 4096 * 4096;
    }
    Append(&out, uint64_t{XXH3_64bits(out.data(), out.size())});
    out.resize(offset);
    return out + image;
  }

  std::string Metadata(const std::function<void(FlatBufferBuilder&, Exports*, EntryPoints*)>& fill,
                       uint64_t offset) const {
    FlatBufferBuilder builder(1 << 20);
    Exports exports;
    EntryPoints entry_points;
    fill(builder, &exports, &entry_points);
    const auto all_exports = builder.CreateVector(exports);
    const auto all_entry_points = builder.CreateVector(entry_points);
    const XXH128_hash_t hash = XXH3_128bits(image.data(), image.size());
    const auto place = schemas::CreateImage(builder, offset, image.size(), hash.low64, hash.high64);
    const auto variant = schemas::CreateVariant(builder, builder.CreateString(format), builder.CreateString(target),
                                                place, all_entry_points);
    const auto variants = builder.CreateVector(&variant, 1);
    builder.FinishSizePrefixed(schemas::CreateExecutable(builder, 3, offset + image.size(), all_exports, variants),
                               "HALX");
    std::string out(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
    AppendZeros(&out, 8);
    const auto size = static_cast<uint32_t>(out.size() - 4);
    out.replace(0, 4, reinterpret_cast<const char*>(&size), 4);
    return out;
  }
};

const schemas::Dim3 kOne(1, 1, 1);

Offset<schemas::Export> MakeExport(FlatBufferBuilder& builder, const std::string& name,
                                   Offset<flatbuffers::Vector<Offset<schemas::Parameter>>> parameters,
                                   uint32_t constants_size, Offset<schemas::Signature> signature = {}) {
  return schemas::CreateExport(builder, builder.CreateString(name), &kOne, 0, constants_size, parameters, signature);
}

using Parameters = std::vector<Offset<schemas::Parameter>>;

// `own` of the parameters are tables of their own; otherwise all are one.
Parameters Constants(FlatBufferBuilder& builder, size_t count, Offset<flatbuffers::String> name, bool own) {
  Parameters parameters;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0 && !own) {
      parameters.push_back(parameters[0]);
    } else {
      parameters.push_back(schemas::CreateParameter(builder, schemas::ParameterKind::Constant, 0, 4, 0, 0,
                                                    schemas::Access::ReadWrite, name));
    }
  }
  return parameters;
}

// Exports whose parameters all have one long name.
std::string OneName(const Writer& writer, size_t exports, size_t parameters, size_t name_size) {
  return writer.Write([&](FlatBufferBuilder& builder, Exports* all, EntryPoints* entry_points) {
    const auto name = builder.CreateString(std::string(name_size, 'n'));
    const auto symbol = builder.CreateString(writer.symbol);
    for (size_t i = 0; i < exports; ++i) {
      const auto list = builder.CreateVector(Constants(builder, parameters, name, true));
      all->push_back(MakeExport(builder, ShortName(i), list, 4));
      entry_points->push_back(schemas::CreateEntryPoint(builder, symbol));
    }
  });
}

std::string OneSymbol(const Writer& writer, size_t exports, size_t symbol_size) {
  return writer.Write([&](FlatBufferBuilder& builder, Exports* all, EntryPoints* entry_points) {
    const auto symbol = builder.CreateString(std::string(symbol_size, 's'));
    const auto entry_point = schemas::CreateEntryPoint(builder, symbol);
    for (size_t i = 0; i < exports; ++i) {
      all->push_back(MakeExport(builder, ShortName(i), 0, 0));
      entry_points->push_back(entry_point);
    }
  });
}

// Exports that share what can be shared: the list of parameters, or each of these.
std::string SharedParameters(const Writer& writer, size_t exports, size_t parameters) {
  return writer.Write([&](FlatBufferBuilder& builder, Exports* all, EntryPoints* entry_points) {
    const auto entry_point = schemas::CreateEntryPoint(builder, builder.CreateString(writer.symbol));
    const auto list = builder.CreateVector(Constants(builder, parameters, 0, false));
    for (size_t i = 0; i < exports; ++i) {
      all->push_back(MakeExport(builder, ShortName(i), list, 4));
      entry_points->push_back(entry_point);
    }
    builder.CreateString(std::string(exports * parameters * 8, 'x'));  // as many bytes as so many tables would have
  });
}

std::string FarSets(const Writer& writer, size_t exports) {
  return writer.Write([&](FlatBufferBuilder& builder, Exports* all, EntryPoints* entry_points) {
    const auto entry_point = schemas::CreateEntryPoint(builder, builder.CreateString(writer.symbol));
    const Offset<schemas::Parameter> parameter =
        schemas::CreateParameter(builder, schemas::ParameterKind::Binding, 0, 0, 15, 0);
    const auto list = builder.CreateVector(&parameter, 1);
    for (size_t i = 0; i < exports; ++i) {
      all->push_back(MakeExport(builder, ShortName(i), list, 0));
      entry_points->push_back(entry_point);
    }
  });
}

std::string TensorMaps(const Writer& writer, size_t exports, size_t parameters) {
  return writer.Write([&](FlatBufferBuilder& builder, Exports* all, EntryPoints* entry_points) {
    const auto entry_point = schemas::CreateEntryPoint(builder, builder.CreateString(writer.symbol));
    const std::vector<schemas::TensorNumber> numbers(5, schemas::TensorNumber(0, 0, 16));
    const auto sizes = builder.CreateVectorOfStructs(numbers);
    const auto box = builder.CreateVector(std::vector<uint32_t>(5, 16));
    const auto map = schemas::CreateTensorMap(builder, 0, 0, 0, 0, box, sizes, sizes);
    const auto parameter = schemas::CreateParameter(builder, schemas::ParameterKind::TensorMap, 0, 0, 0, 0,
                                                    schemas::Access::Read, 0, 0, false, map);
    const auto list = builder.CreateVector(Parameters(parameters, parameter));
    for (size_t i = 0; i < exports; ++i) {
      all->push_back(MakeExport(builder, ShortName(i), list, 0));
      entry_points->push_back(entry_point);
    }
    builder.CreateString(std::string(exports * parameters * 16, 'x'));
  });
}

// Arguments that share a list of sizes, or are one table.
std::string Signatures(const Writer& writer, size_t exports, size_t arguments, bool own) {
  return writer.Write([&](FlatBufferBuilder& builder, Exports* all, EntryPoints* entry_points) {
    const auto entry_point = schemas::CreateEntryPoint(builder, builder.CreateString(writer.symbol));
    const auto numbers = builder.CreateVector(std::vector<int64_t>(64, 1));
    const auto make = [&] {
      return schemas::CreateValue(builder, schemas::ValueKind::Ranked, HAL_ELEMENT_TYPE_F32, schemas::Role::Data,
                                  schemas::Access::ReadWrite, schemas::Ownership::Automatic, numbers, true, numbers);
    };
    const auto one = make();
    for (size_t i = 0; i < exports; ++i) {
      std::vector<Offset<schemas::Value>> values;
      for (size_t j = 0; j < arguments; ++j) values.push_back(own ? make() : one);
      const auto list = builder.CreateVector(values);
      const auto signature = schemas::CreateSignature(builder, schemas::Convention::Expanded, list);
      all->push_back(MakeExport(builder, ShortName(i), 0, 0, signature));
      entry_points->push_back(entry_point);
    }
    builder.CreateString(std::string(own ? 8 : exports * arguments * 8, 'x'));
  });
}

}  // namespace

std::vector<Bomb> FileBombs(const std::string& image, const std::string& format, const std::string& target,
                            const std::string& symbol) {
  const Writer writer = {image, format, target, symbol};
  std::vector<Bomb> bombs;
  const auto add = [&](const char* name, const std::string& bytes) { bombs.push_back({name, "halx", bytes}); };
  add("halx: parameters with one long name", OneName(writer, 16, 1000, 65'000));
  add("halx: parameters with one name", OneName(writer, 16, 1000, 100));
  add("halx: exports with one long symbol", OneSymbol(writer, 10'000, 65'000));
  add("halx: exports with one symbol", OneSymbol(writer, 10'000, 140));
  add("halx: exports", OneSymbol(writer, 20'000, 3));
  add("halx: exports of one parameter", SharedParameters(writer, 16'000, 1));
  add("halx: exports that share parameters", SharedParameters(writer, 100, 1000));
  add("halx: parameters that are one", SharedParameters(writer, 1, 100'000));
  add("halx: bindings in the last set", FarSets(writer, 16'000));
  add("halx: tensor maps that are one", TensorMaps(writer, 20, 2000));
  add("halx: one export of tensor maps", TensorMaps(writer, 1, 40'000));
  add("halx: arguments that are one", Signatures(writer, 100, 200, false));
  add("halx: arguments that share their sizes", Signatures(writer, 100, 200, true));
  add("halx: arguments", Signatures(writer, 1, 200, true));
  return bombs;
}

}  // namespace halyard::testing
