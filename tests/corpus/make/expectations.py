# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes, beside the images of the corpus, what their compilers' own tools say of them.

usage: expectations.py IMAGES

IMAGES/triton holds folders of Triton's cache, each with a signature that make_triton.py wrote; its expectation takes
the signature's place. Other folders of IMAGES hold images whose names say what they were made of, except for those
whose kernels tests run instead.
"""
import json
import pathlib
import sys

import kernel_tools
from triton_signature import expanded

READERS = {".cubin": kernel_tools.cubin, ".ptx": kernel_tools.ptx, ".hsaco": kernel_tools.hsaco,
           ".spv": kernel_tools.spirv}
FORMATS = {".spv": "spirv"}

# What no tool tells: the types of kernels with plain names in images of NVIDIA.
PLAIN_C = {
    "plain_c": ["const float*", "float*", "float", "unsigned long long"],
    "no_parameters": [],
    "unresolved": ["float*"],
    "plain": ["float*", "unsigned long long", "double", "short"],
}


def expectation_of(path, root):
    target, kernels = READERS[path.suffix](str(path))
    told = {"file": str(path.relative_to(root)), "format": FORMATS.get(path.suffix, path.suffix[1:]),
            "target": target, "kernels": [{"name": name, **kernel} for name, kernel in sorted(kernels.items())]}
    if path.suffix == ".cubin" and (variables := kernel_tools.variables_of(str(path))):
        told["variables"] = variables
    if path.suffix == ".ptx" and (missed := kernel_tools.unresolved_in_ptx(str(path))):
        told["unresolved"] = missed
    return told


def kinds_of(kernel, amd):
    """The kinds of a kernel's parameters: by its name, or as AMD's metadata has the same kernel."""
    types = kernel_tools.types_of(kernel["name"])
    if types is None:
        types = PLAIN_C.get(kernel["name"])
    if types is not None:
        kernel["types"] = types
        return [kernel_tools.kind_of(name) for name in types]
    parameters = amd[kernel["name"]]["parameters"]
    is_amd = "subgroup_size" in kernel
    # On NVIDIA, memory of constants is no memory that a buffer can have.
    return [parameter["kind"] if is_amd else parameter.get("space", parameter["kind"]) for parameter in parameters]


def add_kinds(kernel, amd):
    for parameter, kind in zip(kernel["parameters"], kinds_of(kernel, amd), strict=True):
        if parameter.setdefault("kind", kind) != kind:
            sys.exit(f"{kernel['name']}: its name says {kind}, the metadata {parameter}")


def write(path, content):
    path.write_text(json.dumps(content, indent=1) + "\n")


def expect_triton(signature, root):
    asked = json.loads(signature.read_text())
    folder = signature.with_name(signature.name.removesuffix(".signature.json"))
    images = [expectation_of(path, signature.parent) for path in sorted(folder.iterdir()) if path.suffix in READERS]
    for image in images:
        (kernel, ) = image["kernels"]
        described = expanded(asked["arguments"], is_nvidia=image["format"] != "hsaco")
        described += [{"name": name, "kind": "pointer", "size": 8}
                      for name in ("global_scratch", "profile_scratch")[:len(kernel["parameters"]) - len(described)]]
        for parameter, description in zip(kernel["parameters"], described, strict=True):
            if parameter["size"] != description["size"]:
                sys.exit(f"{folder} {image['format']}: {kernel['parameters']} is not {described}")
            parameter.update(description)
    write(folder.with_name(folder.name + ".expected.json"), {"triton": asked, "images": images})
    signature.unlink()


def expect_folder(folder):
    images = [expectation_of(path, folder) for path in sorted(folder.iterdir()) if path.suffix in READERS]
    amd = {kernel["name"]: kernel for image in images if image["format"] == "hsaco" for kernel in image["kernels"]}
    for image in images:
        for kernel in image["kernels"]:
            if image["format"] != "spirv":
                add_kinds(kernel, amd)
    write(folder.with_name(folder.name + ".expected.json"), {"images": images})


def main():
    images = pathlib.Path(sys.argv[1])
    for signature in sorted(images.glob("triton/*/*/*.signature.json")):
        expect_triton(signature, images)
    for folder in sorted(images.iterdir()):
        if folder.is_dir() and folder.name not in ("triton", "halide21", "manners", "numba_cuda0.30"):
            expect_folder(folder)


main()
