// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the seeds of mlir_fuzzer into a folder: modules as mlir-opt prints them, of version 16 and of later ones.
#include <cstdio>
#include <fstream>
#include <string>

namespace {

struct Seed {
  const char* name;
  const char* text;
};

const Seed kSeeds[] = {
    {"later", R"("builtin.module"() ({
  "memref.global"() <{sym_name = "table", sym_visibility = "private", type = memref<2xf32>}> : () -> ()
  "func.func"() <{arg_attrs = [{halyard.access = "read"}, {}, {halyard.workgroup = "id.x"}], function_type =
    (memref<?x3xf32, strided<[?, 1], offset: ?>>, complex<bf16>, index) -> (memref<*xi8>, f64), res_attrs =
    [{halyard.ownership = "caller"}, {}], sym_name = "f"}> ({
  ^bb0(%arg0: memref<?x3xf32, strided<[?, 1], offset: ?>>, %arg1: complex<bf16>, %arg2: index):
    %0:2 = "a.b"(%arg0) {text = "}\22\\"} : (memref<?x3xf32, strided<[?, 1], offset: ?>>) -> (memref<*xi8>, f64)
    "func.return"(%0#0, %0#1) : (memref<*xi8>, f64) -> ()
  }) {llvm.emit_c_interface} : () -> ()
}) : () -> ()
)"},
    {"older", R"("builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: memref<4x4xf32, 0 : i64>, %arg1: i1):
    "func.return"() : () -> ()
  }) {function_type = (memref<4x4xf32, 0 : i64>, i1) -> (), llvm.emit_c_interface, sym_name = "g"} : () -> ()
}) : () -> ()
)"},
    {"external", R"("builtin.module"() ({
  "func.func"() <{function_type = (memref<f16>) -> si24, sym_name = "h", sym_visibility = "private"}> ({
  }) {llvm.emit_c_interface} : () -> () // a comment
}) : () -> ()
)"},
    {"small", R"("builtin.module"() ({
  "func.func"() <{function_type = (f8E4M3FN, memref<4xf4E2M1FN>, complex<ui8>) -> (f8E5M2FNUZ, complex<f80>), sym_name =
    "j"}> ({
  }) : () -> ()
}) : () -> ()
)"},
    {"nested", R"(#map = affine_map<(d0) -> (d0)>
!row = memref<?xf32>
"builtin.module"() <{sym_name = "m"}> ({
  "builtin.module"() ({
    "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
      "func.return"() : () -> () loc("a.mlir":1:2)
    }) : () -> () loc(#loc1)
  }) {transform.ops = ["func.func"]} : () -> ()
  "func.func"() <{function_type = (f32) -> f32, sym_name = "f", sym_visibility = "private"}> ({
  ^bb0(%a: f32):
    %0 = "func.call"(%a) <{callee = @"a-b\22"}> : (f32) -> f32
    "cf.br"(%0)[^bb1] : (f32) -> ()
  ^bb1(%b: f32):
    "func.return"(%b) : (f32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (f32) -> f32, sym_name = "a-b\22", sym_visibility = "private"}> ({
  }) {llvm.emit_c_interface} : () -> ()
}) : () -> ()
)"},
    {"llvm", R"("builtin.module"() ({
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<f32 (ptr, i64)>, linkage = #llvm.linkage<external>,
    sym_name = "f"}> ({
  ^bb0(%a: !llvm.ptr, %n: i64):
    "llvm.return"() : () -> ()
  }) : () -> ()
  "llvm.func"() <{function_type = !llvm.func<void (ptr<i8>, struct<(i32)>, ...)>, sym_name = "g"}> ({ }) : () -> ()
}) : () -> ()
)"},
    {"refused", R"("func.func"() <{function_type = (memref<2x2xf32, affine_map<(d0, d1) -> (d1, d0)>>, vector<4xf32>) ->
    tuple<>, sym_name = "i"}> ({ }) : () -> ()
)"},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  for (const Seed& seed : kSeeds) {
    std::ofstream file(std::string(argv[1]) + "/" + seed.name);
    file << seed.text;
    if (!file.flush()) return 1;
  }
  return 0;
}
