// map zeros
@group(0) @binding(0) var<storage, read_write> y0: array<vec4<u32>>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let t = (W.x + W.y * 32768u) * 64u + L;
  if (t < arrayLength(&y0)) { y0[t] = vec4<u32>(0u); }
}

// scatter scatter_add
@group(0) @binding(0) var<storage, read> x0: array<vec4<i32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<atomic<i32>>;
struct Scalars { F0: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
fn pt_quotient(x: i32, r: f32) -> i32 { return i32((f32(x) + 0.5) * r); }
fn pt_modulo(x: i32, n: i32, r: f32) -> i32 { return x - pt_quotient(x, r) * n; }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var v3 = x0[t1];
  var i4 = e2 + vec4<i32>(0, 1, 2, 3);
  var n5 = pt_modulo(e2, S.I1, S.F0);
  var v6 = x1[(n5 >> 2u)];
  if (u32(v6.x) < u32(S.I2)) { atomicAdd(&y0[v6.x], v3.x); }
  if (u32(v6.y) < u32(S.I3)) { atomicAdd(&y0[v6.y], v3.y); }
  if (u32(v6.z) < u32(S.I4)) { atomicAdd(&y0[v6.z], v3.z); }
  if (u32(v6.w) < u32(S.I5)) { atomicAdd(&y0[v6.w], v3.w); }
}
