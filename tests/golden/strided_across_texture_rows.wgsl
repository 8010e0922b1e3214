// map add
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, F1: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
fn pt_quotient(x: i32, r: f32) -> i32 { return i32((f32(x) + 0.5) * r); }
fn pt_modulo(x: i32, n: i32, r: f32) -> i32 { return x - pt_quotient(x, r) * n; }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var i3 = pt_quotient(t1 * 4, S.F1) + pt_modulo(t1 * 4, S.I1, S.F1) * S.I2;
  var v4 = vec4<f32>(x0[i3 >> 2u][i3 & 3], x0[(i3 + S.I3) >> 2u][(i3 + S.I4) & 3], x0[(i3 + S.I5) >> 2u][(i3 + S.I6) & 3], x0[(i3 + S.I7) >> 2u][(i3 + S.I8) & 3]);
  var v5 = v4 + vec4<f32>(S.F0);
  y0[t1] = v5;
}
