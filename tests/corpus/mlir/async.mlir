// not 16
// Two tasks, the second of which waits for the first. Debian's runtime library of MLIR 16 exports no function.
func.func @async_chain(%x: memref<?xf32>, %y: memref<?xf32>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  %first = async.execute {
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%i] : memref<?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%i] : memref<?xf32>
    }
    async.yield
  }
  %second = async.execute [%first] {
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %y[%i] : memref<?xf32>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %y[%i] : memref<?xf32>
    }
    async.yield
  }
  async.await %second : !async.token
  return
}
