// Functions as compilers make them, one of each kind; expected.txt has what NumPy says that each computes. "not 16"
// stands before functions that MLIR 16 cannot read or lower.
func.func @f32_exp(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.exp %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_exp2(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.exp2 %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_expm1(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.expm1 %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_log(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.log %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_log2(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.log2 %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_log10(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.log10 %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_log1p(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.log1p %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_sin(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.sin %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_cos(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.cos %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_tan(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.tan %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_tanh(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.tanh %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_sqrt(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.sqrt %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_rsqrt(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.rsqrt %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_erf(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.erf %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_floor(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.floor %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_ceil(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.ceil %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_round(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.round %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_roundeven(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.roundeven %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_trunc(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.trunc %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_absf(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.absf %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_atan(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.atan %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f32_cbrt(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.cbrt %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
// not 16
func.func @f32_sinh(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.sinh %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
// not 16
func.func @f32_cosh(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.cosh %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
// not 16
func.func @f32_asin(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.asin %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
// not 16
func.func @f32_acos(%x: memref<?xf32>, %y: memref<?xf32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.acos %v : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
func.func @i32_divsi(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = arith.divsi %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @i32_remsi(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = arith.remsi %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @i32_ceildivsi(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = arith.ceildivsi %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @i32_floordivsi(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = arith.floordivsi %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @i32_divui(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = arith.divui %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @i32_ceildivui(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = arith.ceildivui %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @i32_maxsi(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = arith.maxsi %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @i32_minui(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = arith.minui %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @i32_muli(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = arith.muli %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @i32_xori(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = arith.xori %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @i32_ipowi(%a: memref<?xi32>, %b: memref<?xi32>, %y: memref<?xi32>)  {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xi32>
    %w = memref.load %b[%i] : memref<?xi32>
    %r = math.ipowi %v, %w : i32
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}
func.func @c32_exp(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.exp %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_log(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.log %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_sqrt(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.sqrt %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_sin(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.sin %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_cos(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.cos %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_tan(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.tan %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_tanh(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.tanh %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_conj(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.conj %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_neg(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.neg %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_sign(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.sign %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_expm1(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.expm1 %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_log1p(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.log1p %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_rsqrt(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %r = complex.rsqrt %v : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_add(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %w = memref.load %y[%i] : memref<?xcomplex<f32>>
    %r = complex.add %v, %w : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_sub(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %w = memref.load %y[%i] : memref<?xcomplex<f32>>
    %r = complex.sub %v, %w : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_mul(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %w = memref.load %y[%i] : memref<?xcomplex<f32>>
    %r = complex.mul %v, %w : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_div(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %w = memref.load %y[%i] : memref<?xcomplex<f32>>
    %r = complex.div %v, %w : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @c32_pow(%x: memref<?xcomplex<f32>>, %y: memref<?xcomplex<f32>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xcomplex<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    %w = memref.load %y[%i] : memref<?xcomplex<f32>>
    %r = complex.pow %v, %w : complex<f32>
    memref.store %r, %y[%i] : memref<?xcomplex<f32>>
  }
  return
}
func.func @through_f16(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = arith.truncf %v : f32 to f16
    %s = arith.extf %r : f16 to f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  return
}
func.func @through_bf16(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = arith.truncf %v : f32 to bf16
    %s = arith.extf %r : bf16 to f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  return
}
func.func @f64_to_bf16(%x: memref<?xf64>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf64>
    %r = arith.truncf %v : f64 to bf16
    %s = arith.extf %r : bf16 to f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  return
}
func.func @i128_divide(%x: memref<?xi64>, %y: memref<?xi64>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xi64>
    %w = arith.extsi %v : i64 to i128
    %q = arith.muli %w, %w : i128
    %k = arith.constant 1000003 : i128
    %d = arith.divsi %q, %k : i128
    %r = arith.trunci %d : i128 to i64
    memref.store %r, %y[%i] : memref<?xi64>
  }
  return
}
// not 16
// not 18
func.func @f8_bits(%x: memref<?xf8E5M2>, %y: memref<?xi32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf8E5M2>
    %r = arith.bitcast %v : f8E5M2 to i8
    %s = arith.extui %r : i8 to i32
    memref.store %s, %y[%i] : memref<?xi32>
  }
  return
}

func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) attributes {llvm.emit_c_interface} {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}
// not 22
func.func @matmul_transpose(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul_transpose_b ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}
func.func @batch_matmul(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) attributes {llvm.emit_c_interface} {
  linalg.batch_matmul ins(%a, %b : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?xf32>)
  return
}
func.func @matvec(%a: memref<?x?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  linalg.matvec ins(%a, %b : memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
  return
}
func.func @conv1d(%x: memref<?xf32>, %k: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  linalg.conv_1d ins(%x, %k : memref<?xf32>, memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
func.func @conv2d(%x: memref<?x?xf32>, %k: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.conv_2d ins(%x, %k : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}
func.func @conv3d(%x: memref<?x?x?xf32>, %k: memref<?x?x?xf32>, %y: memref<?x?x?xf32>) attributes {llvm.emit_c_interface} {
  linalg.conv_3d ins(%x, %k : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%y : memref<?x?x?xf32>)
  return
}
func.func @pool_max(%x: memref<1x4x4x1xf32>, %y: memref<1x2x2x1xf32>) attributes {llvm.emit_c_interface} {
  %w = memref.alloca() : memref<2x2xf32>
  linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%x, %w : memref<1x4x4x1xf32>, memref<2x2xf32>) outs(%y : memref<1x2x2x1xf32>)
  return
}
func.func @pool_sum(%x: memref<1x4x4x1xf32>, %y: memref<1x2x2x1xf32>) {
  %w = memref.alloca() : memref<2x2xf32>
  linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>} ins(%x, %w : memref<1x4x4x1xf32>, memref<2x2xf32>) outs(%y : memref<1x2x2x1xf32>)
  return
}
func.func @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {llvm.emit_c_interface} {
  linalg.transpose ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) permutation = [1, 0]
  return
}
func.func @row_sums(%x: memref<?x?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  linalg.reduce ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return
}
// not 16
func.func @softmax(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %first = memref.load %x[%c0] : memref<?xf32>
  %max = scf.for %i = %c0 to %n step %c1 iter_args(%m = %first) -> (f32) {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.maximumf %m, %v : f32
    scf.yield %w : f32
  }
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %v = memref.load %x[%i] : memref<?xf32>
    %d = arith.subf %v, %max : f32
    %e = math.exp %d : f32
    memref.store %e, %y[%i] : memref<?xf32>
    %t = arith.addf %s, %e : f32
    scf.yield %t : f32
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %y[%i] : memref<?xf32>
    %q = arith.divf %v, %sum : f32
    memref.store %q, %y[%i] : memref<?xf32>
    scf.reduce
  }
  return
}
func.func @gather(%x: memref<?xf32>, %at: memref<?xi32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    %p = memref.load %at[%i] : memref<?xi32>
    %j = arith.index_cast %p : i32 to index
    %v = memref.load %x[%j] : memref<?xf32>
    affine.store %v, %y[%i] : memref<?xf32>
  }
  return
}
func.func @sort(%x: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c1 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %at = scf.while (%j = %i) : (index) -> index {
      %more = arith.cmpi sgt, %j, %c0 : index
      %go = scf.if %more -> i1 {
        %k = arith.subi %j, %c1 : index
        %w = memref.load %x[%k] : memref<?xf32>
        %gt = arith.cmpf ogt, %w, %v : f32
        scf.yield %gt : i1
      } else {
        scf.yield %more : i1
      }
      scf.condition(%go) %j : index
    } do {
    ^bb0(%j: index):
      %k = arith.subi %j, %c1 : index
      %w = memref.load %x[%k] : memref<?xf32>
      memref.store %w, %x[%j] : memref<?xf32>
      scf.yield %k : index
    }
    memref.store %v, %x[%at] : memref<?xf32>
  }
  return
}
// not 18
func.func @vector_transpose(%x: memref<4x8xf32>, %y: memref<8x4xf32>, %sum: memref<f32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %zero : memref<4x8xf32>, vector<4x8xf32>
  %t = vector.transpose %v, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  vector.transfer_write %t, %y[%c0, %c0] : vector<8x4xf32>, memref<8x4xf32>
  %s = vector.multi_reduction <add>, %v, %zero [0, 1] : vector<4x8xf32> to f32
  memref.store %s, %sum[] : memref<f32>
  return
}
func.func @several(%n: index) -> (memref<?xf32>, f32, memref<2x?xi32>, memref<f32>) attributes {llvm.emit_c_interface} {
  %one = arith.constant 1.5 : f32
  %two = arith.constant 2 : i32
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<2x?xi32>
  %c = memref.alloc() : memref<f32>
  linalg.fill ins(%one : f32) outs(%a : memref<?xf32>)
  linalg.fill ins(%two : i32) outs(%b : memref<2x?xi32>)
  memref.store %one, %c[] : memref<f32>
  return %a, %one, %b, %c : memref<?xf32>, f32, memref<2x?xi32>, memref<f32>
}
func.func @regrown(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %small = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %small : memref<?xf32> to memref<?xf32>
  %large = memref.realloc %small(%m) : memref<?xf32> to memref<?xf32>
  %twin = bufferization.clone %large : memref<?xf32> to memref<?xf32>
  %part = memref.subview %twin[0][%n][1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %to = memref.subview %y[0][%n][1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  memref.copy %part, %to : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  memref.dealloc %twin : memref<?xf32>
  memref.dealloc %large : memref<?xf32>
  return
}
// not 16
// not 18
func.func @forall(%y: memref<8xf32>) attributes {llvm.emit_c_interface} {
  scf.forall (%i) in (8) {
    %j = arith.index_cast %i : index to i32
    %v = arith.sitofp %j : i32 to f32
    memref.store %v, %y[%i] : memref<8xf32>
  }
  return
}
// not 16
func.func @atomics(%x: memref<?xf32>, %y: memref<2xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %a = memref.atomic_rmw addf %v, %y[%c0] : (f32, memref<2xf32>) -> f32
    %b = memref.atomic_rmw maximumf %v, %y[%c1] : (f32, memref<2xf32>) -> f32
  }
  return
}
// not 16
func.func @poison(%y: memref<1xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %p = ub.poison : f32
  %t = arith.constant true
  %one = arith.constant 1.0 : f32
  %v = arith.select %t, %one, %p : f32
  memref.store %v, %y[%c0] : memref<1xf32>
  return
}
func.func private @callback(memref<?xf32>, f32) -> f32 attributes {llvm.emit_c_interface}
func.func @calls_back(%x: memref<?xf32>, %y: memref<1xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %r = call @callback(%x, %two) : (memref<?xf32>, f32) -> f32
  memref.store %r, %y[%c0] : memref<1xf32>
  return
}
func.func @reversed(%a: memref<?xf32>) -> memref<?xf32, strided<[?], offset: ?>> attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm = arith.constant -1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %last = arith.subi %n, %c1 : index
  %b, %o, %s, %st = memref.extract_strided_metadata %a : memref<?xf32> -> memref<f32>, index, index, index
  %t = memref.reinterpret_cast %b to offset: [%last], sizes: [%n], strides: [%cm] : memref<f32> to memref<?xf32, strided<[?], offset: ?>>
  return %t : memref<?xf32, strided<[?], offset: ?>>
}
func.func @both_ways(%a: memref<?xf32>) -> (memref<?xf32, strided<[?], offset: ?>>, memref<?xf32>) attributes {llvm.emit_c_interface} {
  %r = call @reversed(%a) : (memref<?xf32>) -> memref<?xf32, strided<[?], offset: ?>>
  return %r, %a : memref<?xf32, strided<[?], offset: ?>>, memref<?xf32>
}
func.func @weigh(%x: memref<?xf32, strided<[?], offset: ?>>, %y: memref<1xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32, strided<[?], offset: ?>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %v = memref.load %x[%i] : memref<?xf32, strided<[?], offset: ?>>
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %p = arith.mulf %v, %f : f32
    %t = arith.addf %s, %p : f32
    scf.yield %t : f32
  }
  memref.store %sum, %y[%c0] : memref<1xf32>
  return
}
// not 16
func.func @large_stack(%y: memref<1xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 512 : index
  %n = arith.constant 2097152 : index
  %m = memref.alloca(%n) : memref<?xf32>
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %step {
    memref.store %one, %m[%i] : memref<?xf32>
  }
  memref.copy %m, %m : memref<?xf32> to memref<?xf32>
  %sum = scf.for %i = %c0 to %n step %step iter_args(%s = %zero) -> (f32) {
    %v = memref.load %m[%i] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  memref.store %sum, %y[%c0] : memref<1xf32>
  return
}
