#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a ctypes binding of the C API: make_ctypes.py halyard-api.json OUTPUT.py

Nothing of the API is written down here. The module has the constants, enumerators, structs and callbacks by their
names, and load(path), which gives the library with the types of all functions set.
"""

import json
import re
import sys

SCALARS = {
    "void": "None", "bool": "c_bool", "char": "c_char", "int": "c_int", "size_t": "c_size_t", "float": "c_float",
    "double": "c_double",
}
SCALARS.update({f"{sign}int{bits}_t": f"c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)})


class Binding:
    def __init__(self, description):
        self.description = description
        self.structs = {struct["name"]: struct for struct in description["structs"]}
        self.handles = {handle["name"] for handle in description["handles"]}
        self.types = {item["name"]: item for item in description["types"]}
        self.enums = {item["name"] for item in description["enums"]}
        self.lines = []
        self.written = set()

    def ctype(self, text):
        """The ctypes expression for a C type. Handles are opaque."""
        text = re.sub(r"\b(const|struct)\b", "", text).strip()
        stars = text.count("*")
        base = text.replace("*", "").strip()
        if base in self.structs or base in self.types or base in self.handles:
            expression = base
        elif base in self.enums:
            expression = "c_int"
        elif base in SCALARS:
            expression = SCALARS[base]
        elif stars > 0:
            expression = "None"
        else:
            raise ValueError(f"no such type: {text!r}")
        if stars > 0 and expression == "None":
            expression, stars = "c_void_p", stars - 1
        elif stars > 0 and expression == "c_char":
            expression, stars = "c_char_p", stars - 1
        for _ in range(stars):
            expression = f"POINTER({expression})"
        return expression

    def value(self, text):
        """The type that something has by value; None for pointers and scalars."""
        base = re.sub(r"\b(const|struct)\b", "", text).strip()
        return base if base in self.structs or base in self.types else None

    def field(self, item):
        if "parameters" in item:
            return self.function(item)
        expression = self.ctype(item["type"])
        return f"{expression} * {item['array']}" if "array" in item else expression

    def function(self, item):
        types = [self.ctype(item["returns"])] + [self.ctype(parameter["type"]) for parameter in item["parameters"]]
        return f"CFUNCTYPE({', '.join(types)})"

    def need(self, item):
        """Writes first what an item has by value."""
        for part in [item] + item.get("members", []) + item.get("parameters", []):
            needed = [part.get("type"), part.get("returns")]
            needed += [parameter["type"] for parameter in part.get("parameters", [])]
            for text in needed:
                if text and self.value(text.replace("*", "").strip()) in self.types:
                    self.write_type(self.value(text.replace("*", "").strip()))
                if text and "*" not in text and self.value(text) in self.structs:
                    self.write_struct(self.value(text))

    def write_type(self, name):
        if name in self.written:
            return
        self.written.add(name)
        item = self.types[name]
        self.need(item)
        self.lines.append(f"{name} = {self.field(item)}")

    def write_struct(self, name):
        if name in self.written:
            return
        self.written.add(name)
        struct = self.structs[name]
        self.need(struct)
        fields = []
        for member in struct["members"]:
            if "." in member["name"]:
                continue
            expression = "None"
            if member.get("type") == "union":
                expression = f"{name}__{member['name']}"
                parts = [part for part in struct["members"] if part["name"].startswith(member["name"] + ".")]
                listed = ", ".join(f"({part['name'].split('.')[-1]!r}, {self.field(part)})" for part in parts)
                self.lines.append(f"class {expression}(Union):\n    _fields_ = [{listed}]")
            else:
                expression = self.field(member)
            fields.append(f"    ({member['name']!r}, {expression}),")
        self.lines.append(f"{name}._fields_ = [\n" + "\n".join(fields) + "\n]")

    def write(self):
        self.lines.append('"""Made by make_ctypes.py of the description of the API."""')
        self.lines.append("from ctypes import *")
        for item in self.description["constants"]:
            self.lines.append(f"{item['name']} = {item['value']!r}")
        for item in self.description["enums"]:
            self.lines += [f"{value['name']} = {value['value']}" for value in item["values"]]
        for name in [*sorted(self.handles), *self.structs]:
            self.lines.append(f"class {name}(Structure):\n    pass")
        for name in self.types:
            self.write_type(name)
        for name in self.structs:
            self.write_struct(name)
        self.lines.append("def load(path):\n    library = CDLL(path)")
        for item in self.description["functions"]:
            arguments = ", ".join(self.ctype(parameter["type"]) for parameter in item["parameters"])
            self.lines.append(f"    library.{item['name']}.argtypes = [{arguments}]")
            self.lines.append(f"    library.{item['name']}.restype = {self.ctype(item['returns'])}")
        self.lines.append("    return library")
        return "\n".join(self.lines) + "\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        description = json.load(file)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(Binding(description).write())


if __name__ == "__main__":
    main()
