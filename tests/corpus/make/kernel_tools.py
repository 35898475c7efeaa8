# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compilers' own tools say of an image: cuobjdump and ptxas, llvm-readelf, spirv-cross, c++filt.

Each of the functions cubin(), ptx(), hsaco() and spirv() returns (target, {name: kernel}). A kernel is a dictionary:
parameters (size in bytes and, where the tool tells, kind), workgroup_size if it is required, max_workgroup_volume,
local_memory_size, and what else the tool says of its launch.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile

RESERVED_SHARED = 1024  # bytes that CUDA takes of sm_90 and later, and that cuobjdump counts


def tool(name):
    return os.environ.get("CORPUS_" + name.upper().replace("-", "_").replace("+", "X"), name)


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def numbers(text):
    return [int(number, 0) for number in text.split()]


# cuobjdump -elf: each attribute is a line "Attribute:	EIATTR_…" with a line "Value:	…" two further.
ATTRIBUTE = re.compile(r"Attribute:\s*EIATTR_(\w+)\n\s*Format:\s*\w+\n(?:\s*Value:\s*(.*)\n)?")
PARAMETER = re.compile(r"Ordinal : (\w+)\s+Offset  : (\w+)\s+Size    : (\w+)")


def kernel_of_attributes(text):
    kernel, parameters = {}, {}
    for name, value in ATTRIBUTE.findall(text):
        if name == "KPARAM_INFO":
            ordinal, _, size = (int(part, 16) for part in PARAMETER.search(value).groups())
            parameters[ordinal] = {"size": size}
        elif name == "REQNTID":
            kernel["workgroup_size"] = numbers(value)
        elif name == "MAX_THREADS":
            x, y, z = numbers(value)
            kernel["max_workgroup_volume"] = x * y * z
        elif name == "CTA_PER_CLUSTER":
            kernel["cluster_size"] = numbers(value)
        elif name == "MAX_CLUSTER_RANK":
            kernel["max_cluster_volume"] = int(value, 0)
    kernel["parameters"] = [parameters[i] for i in range(len(parameters))]
    return kernel


def cubin(path):
    listing = output_of(tool("cuobjdump"), "-elf", path)
    target = "sm_" + re.search(r"64-?bit elf: .* sm=(\w+)", listing, re.I).group(1)
    kernels = {}
    for section in re.finditer(r"^\.nv\.info\.(\S+)\n(.*?)(?=^\.\S|\Z)", listing, re.M | re.S):
        kernels[section.group(1)] = kernel_of_attributes(section.group(2))
    usage = output_of(tool("cuobjdump"), "-res-usage", path)
    for name, registers, shared in re.findall(r"Function (\S+):\n\s*REG:(\d+) .*?SHARED:(\d+)", usage):
        reserved = RESERVED_SHARED if int(target[3:5]) >= 90 and int(shared) >= RESERVED_SHARED else 0
        kernels[name]["local_memory_size"] = int(shared) - reserved
        kernels[name]["registers"] = int(registers)
    return target, kernels


def variables_of(path):
    """The module's own variables: {name: bytes}."""
    listing = output_of(tool("cuobjdump"), "-elf", path)
    found = re.findall(r"\s(0x\w+)\s+OBJECT\s+\w+\s+\w+\s+\S+\s+0x\w+\s+(\w+)$", listing, re.M)
    return {name: int(size, 16) for size, name in found}


def ptx(path):
    """What ptxas makes of it, as a cubin; -c leaves functions open that the module only declares."""
    text = pathlib.Path(path).read_text()
    entries = set(re.findall(r"\.entry\s+([\w$]+)", text))
    with tempfile.NamedTemporaryFile(suffix=".cubin") as made:
        separate = ["-c"] if unresolved_in_ptx(path) else []
        output_of(tool("ptxas"), *separate, "-arch=" + ptx_target(text), path, "-o", made.name)
        return ptx_target(text), {name: kernel for name, kernel in cubin(made.name)[1].items() if name in entries}


def ptx_target(text):
    return re.search(r"^\.target\s+(\w+)", text, re.M).group(1)


def unresolved_in_ptx(path):
    """The functions that ptxas misses."""
    told = subprocess.run([tool("ptxas"), "-arch=" + ptx_target(pathlib.Path(path).read_text()), path, "-o", os.devnull],
                          stderr=subprocess.PIPE, text=True)
    return re.findall(r"Unresolved extern function '(\w+)'", told.stderr)


def yaml_kernels(text):
    """The kernels of a note, which llvm-readelf prints in a small part of YAML."""
    kernels = []
    for block in re.split(r"^  - (?=\.)", text, flags=re.M)[1:]:
        kernel = dict(re.findall(r"^(?:    )?(\.\w+):\s+(\S+)$", block, re.M))
        kernel["args"] = []
        arguments = re.search(r"\.args:\n((?:      .*\n)*)", block)
        for argument in re.split(r"^      - ", arguments.group(1) if arguments else "", flags=re.M)[1:]:
            kernel["args"].append(dict(re.findall(r"^\s*(\.\w+):\s+(\S+)$", argument, re.M)))
        sizes = re.search(r"\.reqd_workgroup_size:\n((?:\s+- \d+\n){3})", block)
        kernel["sizes"] = [int(size) for size in re.findall(r"\d+", sizes.group(1))] if sizes else None
        kernels.append(kernel)
    return kernels


KINDS = {"global_buffer": "pointer", "by_value": "number", "dynamic_shared_pointer": "local"}


def hsaco(path):
    notes = output_of(tool("llvm-readelf"), "--notes", path)
    target = re.search(r"amdhsa.target:\s+'?[^\s']*?-(gfx[^\s']+)", notes).group(1)
    kernels = {}
    for told in yaml_kernels(notes):
        parameters = [{"size": int(argument[".size"]), "kind": KINDS[argument[".value_kind"]],
                       **({"space": "constant"} if argument.get(".address_space") == "constant" else {})}
                      for argument in told["args"] if not argument[".value_kind"].startswith("hidden_")]
        kernel = {"parameters": parameters,
                  "max_workgroup_volume": int(told[".max_flat_workgroup_size"]),
                  "subgroup_size": int(told[".wavefront_size"]),
                  "local_memory_size": int(told[".group_segment_fixed_size"])}
        if told["sizes"]:
            kernel["workgroup_size"] = told["sizes"]
        kernels[told[".name"]] = kernel
    return target, kernels


def local_size_ids(path):
    """The workgroup size of SPIR-V 1.6, which spirv-cross of Debian 12 does not tell; 0 where a constant can change."""
    text = output_of(tool("spirv-dis"), "--raw-id", path)
    mode = re.search(r"OpExecutionModeId %\w+ LocalSizeId (.*)", text)
    constants = dict(re.findall(r"(%\w+) = OpConstant %\w+ (\d+)", text))
    return [int(constants.get(word, 0)) for word in mode.group(1).split()] if mode else None


def spirv(path):
    told = json.loads(output_of(tool("spirv-cross"), path, "--reflect"))
    (entry, ) = told["entryPoints"]
    places = {}
    for buffer in told.get("ssbos", []) + told.get("ubos", []):
        reads = buffer.get("readonly", False) or buffer in told.get("ubos", [])
        access = "r" if reads else "w" if buffer.get("writeonly", False) else "rw"
        places.setdefault((buffer["set"], buffer["binding"]), access)
    kernel = {"bindings": [f"{place[0]}:{place[1]} {places[place]}" for place in sorted(places)]}
    members = [member for block in told.get("push_constants", []) for member in told["types"][block["type"]]["members"]]
    kernel["push_constants"] = [member["offset"] for member in members]
    kernel["workgroup_size"] = local_size_ids(path) or entry["workgroup_size"]
    kernel["specialization_constants"] = sorted(constant["id"] for constant in
                                                told.get("specialization_constants", []))
    return "", {entry["name"]: kernel}


def types_of(name):
    """The parameter types in a mangled name, as c++filt shows them; None of a plain one."""
    if not name.startswith("_Z"):
        return None
    text = output_of(tool("c++filt"), name).strip()
    depth, start, parts = 0, None, []
    for i in range(len(text) - 1, -1, -1):  # the last parentheses are the parameters'
        depth += {")": 1, "(": -1}.get(text[i], 0)
        if depth == 0 and text[i] == "(":
            start = i
            break
    depth, last = 0, start + 1
    for i in range(start + 1, len(text)):
        if depth == 0 and text[i] in ",)":
            parts.append(text[last:i].strip())
            last = i + 1
        depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(text[i], 0)
    return [part for part in parts if part and part != "void"]


def kind_of(type_name):
    return "pointer" if type_name.rstrip(" const").endswith("*") else "number"
