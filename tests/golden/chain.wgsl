// map subtract
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, F1: f32, I0: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
fn pt_is_nan(x: vec4<f32>) -> vec4<bool> { return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u); }
fn pt_exp(x: vec4<f32>) -> vec4<f32> { return select(exp(x), x, pt_is_nan(x)); }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var v3 = x0[t1];
  var v4 = v3 * vec4<f32>(S.F0);
  var v5 = x1[t1];
  var v6 = v4 + v5;
  var v7 = pt_exp(v6);
  var v8 = v7 - vec4<f32>(S.F1);
  y0[t1] = v8;
}
