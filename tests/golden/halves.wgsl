// map multiply
@group(0) @binding(0) var<storage, read> x0: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec2<u32>>;
struct Scalars { F0: f32, I0: i32, I1: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
fn pt_round_half(x: vec4<f32>) -> vec4<f32> {
  var raw = bitcast<vec4<u32>>(x);
  var size = raw & vec4<u32>(0x7fffffffu);
  var near = (size + 0xfffu + ((size >> vec4<u32>(13u)) & vec4<u32>(1u))) & vec4<u32>(0xffffe000u);
  var small = bitcast<vec4<u32>>(round(bitcast<vec4<f32>>(size) * 16777216.0) / 16777216.0);
  near = near + (small - near) * vec4<u32>(size < vec4<u32>(0x38800000u));
  near = near + (0x7f800000u - near) * vec4<u32>(near > vec4<u32>(0x477fe000u));
  near = near + (size - near) * vec4<u32>(size > vec4<u32>(0x7f800000u));
  return bitcast<vec4<f32>>(near | (raw & vec4<u32>(0x80000000u)));
}
const PT_STORED_INF: u32 = 0x7f800000u;
fn pt_stored_half(x: vec4<f32>) -> vec4<f32> {
  var raw = bitcast<vec4<u32>>(pt_round_half(x));
  var size = raw & vec4<u32>(0x7fffffffu);
  return bitcast<vec4<f32>>(raw - (0x7f800000u - PT_STORED_INF) * vec4<u32>(size == vec4<u32>(0x7f800000u)));
}
fn pt_quotient4(x: vec4<i32>, r: f32) -> vec4<i32> { return vec4<i32>((vec4<f32>(x) + 0.5) * r); }
fn pt_modulo4(x: vec4<i32>, n: i32, r: f32) -> vec4<i32> { return x - pt_quotient4(x, r) * n; }
fn pt_load_f16(p: vec2<u32>) -> vec4<f32> { return vec4<f32>(unpack2x16float(p.x), unpack2x16float(p.y)); }
fn pt_half_bits_1(x: f32) -> u32 {
  return pack2x16float(vec2<f32>(x, 0.0)) & 0xffffu;
}
fn pt_half_bits(x: vec4<f32>) -> vec4<u32> {
  return vec4<u32>(
    pt_half_bits_1(x.x), pt_half_bits_1(x.y), pt_half_bits_1(x.z), pt_half_bits_1(x.w)
  );
}
fn pt_store_f16(v: vec4<f32>) -> vec2<u32> { let n = pt_half_bits(v); return n.xz | (n.yw << vec2<u32>(16u)); }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var v3 = pt_load_f16(x0[t1]);
  var i4 = e2 + vec4<i32>(0, 1, 2, 3);
  var i5 = pt_modulo4(i4, S.I1, S.F0);
  var v6 = vec4<f32>(unpack2x16float(x1[i5.x >> 2u][(i5.x >> 1u) & 1])[i5.x & 1], unpack2x16float(x1[i5.y >> 2u][(i5.y >> 1u) & 1])[i5.y & 1], unpack2x16float(x1[i5.z >> 2u][(i5.z >> 1u) & 1])[i5.z & 1], unpack2x16float(x1[i5.w >> 2u][(i5.w >> 1u) & 1])[i5.w & 1]);
  var v7 = v3 * v6;
  y0[t1] = pt_store_f16(pt_stored_half(v7));
}
