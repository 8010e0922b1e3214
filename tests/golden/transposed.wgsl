// map add
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, F1: f32, I0: i32, I1: i32, I2: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
fn pt_quotient4(x: vec4<i32>, r: f32) -> vec4<i32> { return vec4<i32>((vec4<f32>(x) + 0.5) * r); }
fn pt_modulo4(x: vec4<i32>, n: i32, r: f32) -> vec4<i32> { return x - pt_quotient4(x, r) * n; }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var i3 = e2 + vec4<i32>(0, 1, 2, 3);
  var i4 = pt_quotient4(i3, S.F1) + pt_modulo4(i3, S.I1, S.F1) * S.I2;
  var v5 = vec4<f32>(x0[i4.x >> 2u][i4.x & 3], x0[i4.y >> 2u][i4.y & 3], x0[i4.z >> 2u][i4.z & 3], x0[i4.w >> 2u][i4.w & 3]);
  var v6 = v5 + vec4<f32>(S.F0);
  y0[t1] = v6;
}
