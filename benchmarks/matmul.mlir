// C += A * B; compiled by the build for the matmul benchmark where MLIR's tools are.
func.func @matmul(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %c: memref<512x512xf32>) attributes {llvm.emit_c_interface} {
  affine.for %i = 0 to 512 {
    affine.for %k = 0 to 512 {
      affine.for %j = 0 to 512 {
        %x = affine.load %a[%i, %k] : memref<512x512xf32>
        %y = affine.load %b[%k, %j] : memref<512x512xf32>
        %z = affine.load %c[%i, %j] : memref<512x512xf32>
        %product = arith.mulf %x, %y : f32
        %sum = arith.addf %z, %product : f32
        affine.store %sum, %c[%i, %j] : memref<512x512xf32>
      }
    }
  }
  return
}
