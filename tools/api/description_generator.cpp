// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes C code that prints a description of the public headers as JSON: `halyard_api_generator OUTPUT HEADERS...`. The
// layout of structs and the values of constants are for a C compiler to tell, all else is in the headers.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "api/header_documentation.h"
#include "api/header_reader.h"
#include "api/pattern.h"

namespace halyard::abi {
namespace {

struct Header {
  std::string name;  ///< "halyard/queue.h"
  std::vector<Declaration> declarations;
  Documentation documentation;
};

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string Field(const std::string& name, const std::string& text) { return Quoted(name) + ": " + Quoted(text); }

/// "hal_dim3_t size" as a type and a name; "uint8_t uuid[16]" with a length, too.
std::string Declarator(const std::string& text) {
  std::smatch match;
  if (std::regex_match(text, match, Pattern(R"((.*?) ?(\w+)\[(\d+)\])"))) {
    return Field("type", match[1]) + ", \"array\": " + match[3].str();
  }
  if (std::regex_match(text, match, Pattern(R"((.*?[ *])(\w+))"))) {
    return Field("type", std::regex_replace(match[1].str(), Pattern(" $"), ""));
  }
  throw std::runtime_error("no type and name: " + text);
}

std::string NameOf(const std::string& text) {
  std::smatch match;
  if (std::regex_search(text, match, Pattern(R"((\w+)(\[\d+\])?$)"))) return match[1];
  throw std::runtime_error("no name: " + text);
}

/// "returns" and "parameters" of a function, or of a pointer to one.
std::string Signature(const std::string& returns, const std::string& parameters) {
  std::string text = Field("returns", returns) + ", \"parameters\": [";
  std::istringstream items(parameters);
  bool first = true;
  for (std::string item; std::getline(items, item, ',');) {
    item = std::regex_replace(item, Pattern("^ | $"), "");
    if (item == "void" || item.empty()) continue;
    text += std::string(first ? "" : ", ") + "{" + Field("name", NameOf(item)) + ", " + Declarator(item) + "}";
    first = false;
  }
  return text + "]";
}

/// What a declaration of a type or member is: a function pointer, or plain.
std::string TypeOf(const std::string& text) {
  std::smatch match;
  if (std::regex_match(text, match, Pattern(R"((.*?) ?\(\*\w+\)\((.*)\))"))) return Signature(match[1], match[2]);
  return Declarator(text);
}

class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) {}

  void Write(const std::vector<Header>& headers) {
    Text("{\n  \"library\": \"halyard\",\n  \"platform\": \"linux-x86_64\",\n  \"version\": ");
    Code("PrintVersion(file);");
    FindHandles(headers);
    List(headers, "handles", Kind::kForward, &Writer::Handle);
    List(headers, "constants", Kind::kConstant, &Writer::Constant);
    List(headers, "macros", Kind::kMacro, &Writer::Macro);
    List(headers, "enums", Kind::kEnum, &Writer::Enum);
    List(headers, "types", Kind::kType, &Writer::Type);
    List(headers, "structs", Kind::kStruct, &Writer::Struct);
    List(headers, "heads", Kind::kStruct, &Writer::Struct);
    List(headers, "functions", Kind::kFunction, &Writer::Function);
    Text("\n}\n");
  }

 private:
  using Part = void (Writer::*)(const Declaration&);

  void Text(const std::string& text) { out_ << "  fputs(" << Quoted(text) << ", file);\n"; }
  void Code(const std::string& code) { out_ << "  " << code << "\n"; }
  void Size(const std::string& field, const std::string& expression) {
    Text(", " + Quoted(field) + ": ");
    Code("PrintSize(file, " + expression + ");");
  }

  // Handles are the structs that no header for applications defines. What the driver API tells of some is their heads,
  // for drivers alone.
  void FindHandles(const std::vector<Header>& headers) {
    for (const Header& header : headers) {
      for (const Declaration& declared : header.declarations) {
        if (declared.kind == Kind::kForward && header.name != kDriverApi) handles_.insert(declared.name);
      }
    }
    for (const Header& header : headers) {
      for (const Declaration& declared : header.declarations) {
        if (declared.kind == Kind::kStruct && header.name != kDriverApi) handles_.erase(declared.name);
      }
    }
  }
  bool BelongsTo(const std::string& list, const Header& header, const Declaration& declared) const {
    const bool is_handle = handles_.count(declared.name) != 0;
    if (declared.kind == Kind::kForward) return is_handle && header.name != kDriverApi;
    return declared.kind != Kind::kStruct || is_handle == (list == "heads");
  }

  void List(const std::vector<Header>& headers, const std::string& name, Kind kind, Part part) {
    Text(",\n  " + Quoted(name) + ": [");
    bool first = true;
    for (const Header& header : headers) {
      for (const Declaration& declared : header.declarations) {
        if (declared.kind != kind || !BelongsTo(name, header, declared)) continue;
        header_ = &header;
        Text(std::string(first ? "" : ",") + "\n    {" + Field("name", declared.name) + ", " +
             Field("header", header.name) + ", " + Documented(declared.name));
        (this->*part)(declared);
        Text("}");
        first = false;
      }
    }
    Text("\n  ]");
  }

  void Handle(const Declaration& declared) { Text(", " + Field("declaration", declared.text)); }
  void Macro(const Declaration& declared) {
    std::string parameters;
    for (const Member& parameter : declared.members) {
      parameters += (parameters.empty() ? "" : ", ") + Quoted(parameter.path);
    }
    Text(", \"parameters\": [" + parameters + "], " + Field("value", declared.text));
  }
  void Constant(const Declaration& declared) {
    Text(", \"value\": ");
    Code("PRINT_VALUE(file, " + declared.name + ");");
  }
  void Enum(const Declaration& declared) {
    Size("size", "sizeof(" + declared.name + ")");
    Text(", \"values\": [");
    for (const Member& value : declared.members) {
      Text(std::string(&value == declared.members.data() ? "" : ",") + "\n      {" + Field("name", value.path) + ", " +
           Documented(value.path) + ", \"value\": ");
      Code("PRINT_VALUE(file, " + value.path + ");");
      Text("}");
    }
    Text("]");
  }
  void Type(const Declaration& declared) {
    Text(", " + Field("declaration", declared.text) + ", " +
         TypeOf(std::regex_replace(declared.text, Pattern("^typedef "), "")));
    Size("size", "sizeof(" + declared.name + ")");
  }
  void Struct(const Declaration& declared) {
    Size("size", "sizeof(" + declared.name + ")");
    Size("alignment", "_Alignof(" + declared.name + ")");
    Text(", \"members\": [");
    for (const Member& member : declared.members) {
      const std::string plain = std::regex_replace(member.text, Pattern(" in [a-z.]+\\.$"), "");
      const std::string last = member.path.substr(member.path.rfind('.') + 1);
      Text(std::string(&member == declared.members.data() ? "" : ",") + "\n      {" + Field("name", member.path) +
           ", " + Field("declaration", plain) + ", " + TypeOf(plain) + ", " + Documented(declared.name + "." + last));
      Size("offset", "offsetof(" + declared.name + ", " + member.path + ")");
      Size("size", "sizeof(((" + declared.name + "*)NULL)->" + member.path + ")");
      Text("}");
    }
    Text("]");
  }
  void Function(const Declaration& declared) {
    std::smatch match;
    if (!std::regex_match(declared.text, match, Pattern(R"((.*?) ?\w+\((.*)\))"))) {
      throw std::runtime_error("no function: " + declared.text);
    }
    Text(", " + Field("declaration", declared.text) + ", " + Signature(match[1], match[2]));
  }

  std::string Documented(const std::string& name) const {
    const auto found = header_->documentation.find(name);
    return Field("documentation", found == header_->documentation.end() ? "" : found->second);
  }

  static constexpr const char* kDriverApi = "halyard/driver_api.h";
  std::ostream& out_;
  std::set<std::string> handles_;
  const Header* header_ = nullptr;
};

void Generate(const std::filesystem::path& output, std::vector<std::filesystem::path> paths) {
  std::ranges::sort(paths);
  std::ofstream out(output);
  std::vector<Header> headers;
  for (const auto& path : paths) {
    const std::string contents = Contents(path);
    headers.push_back({"halyard/" + path.filename().string(), ReadHeader(contents), ReadDocumentation(contents)});
    out << "#include \"" << headers.back().name << "\"\n";
  }
  out << "\nstatic void PrintDescription(FILE* file) {\n";
  Writer(out).Write(headers);
  out << "}\n";
}

}  // namespace
}  // namespace halyard::abi

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw std::runtime_error("usage: halyard_api_generator OUTPUT HEADERS...");
    halyard::abi::Generate(argv[1], {argv + 2, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard_api_generator: %s\n", error.what());
    return 1;
  }
}
