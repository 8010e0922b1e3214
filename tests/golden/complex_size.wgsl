// map hypot
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, F1: f32, I0: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
fn pt_ratio(n: vec4<f32>, d: vec4<f32>) -> vec4<f32> {
  var scale = select(vec4<f32>(1.0), vec4<f32>(0.0625), d > vec4<f32>(4e+37));
  return n * scale / (d * scale);
}
var<private> PT_NAN_BITS: u32 = 0x7fc00000u;
fn PT_NAN() -> f32 { return bitcast<f32>(PT_NAN_BITS); }
fn pt_is_nan(x: vec4<f32>) -> vec4<bool> { return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u); }
var<private> PT_INF_BITS: u32 = 0x7f800000u;
fn PT_INF() -> f32 { return bitcast<f32>(PT_INF_BITS); }
fn pt_is_inf(x: vec4<f32>) -> vec4<bool> { return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) == vec4<u32>(0x7f800000u); }
fn pt_hypot(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  var m = max(abs(a), abs(b));
  var n = min(abs(a), abs(b));
  var q = select(pt_ratio(n, m), vec4<f32>(0.0), m == vec4<f32>(0.0));
  var r = select(m * sqrt(1.0 + q * q), m, n == vec4<f32>(0.0));
  r = select(r, vec4<f32>(PT_NAN()), pt_is_nan(a) | pt_is_nan(b));
  return select(r, vec4<f32>(PT_INF()), pt_is_inf(a) | pt_is_inf(b));
}
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var i3 = e2 * 2;
  var v4 = x0[(i3 >> 2u)];
  var v5 = x0[((i3 >> 2u) + 1)];
  var v6 = vec4<f32>(v4.xz, v5.xz);
  var v7 = v6 - vec4<f32>(S.F0);
  var v8 = vec4<f32>(v4.yw, v5.yw);
  var v9 = v8 - vec4<f32>(S.F1);
  var v10 = pt_hypot(v7, v9);
  y0[t1] = v10;
}
