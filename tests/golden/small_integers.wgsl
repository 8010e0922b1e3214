// map add
@group(0) @binding(0) var<storage, read> x0: array<u32>;
@group(0) @binding(1) var<storage, read> x1: array<u32>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec2<u32>>;
struct Scalars { F0: f32, I0: i32, I1: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
fn pt_quotient4(x: vec4<i32>, r: f32) -> vec4<i32> { return vec4<i32>((vec4<f32>(x) + 0.5) * r); }
fn pt_modulo4(x: vec4<i32>, n: i32, r: f32) -> vec4<i32> { return x - pt_quotient4(x, r) * n; }
fn pt_load_i8(p: u32) -> vec4<i32> { return (vec4<i32>(bitcast<i32>(p)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u); }
fn pt_store_u16(v: vec4<u32>) -> vec2<u32> { return (v.xz & vec2<u32>(0xffffu)) | (v.yw << vec2<u32>(16u)); }
fn pt_store_i16(v: vec4<i32>) -> vec2<u32> { return pt_store_u16(bitcast<vec4<u32>>(v)); }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var v3 = pt_load_i8(x0[t1]);
  var i4 = e2 + vec4<i32>(0, 1, 2, 3);
  var i5 = pt_modulo4(i4, S.I1, S.F0);
  var v6 = vec4<u32>(extractBits(x1[i5.x >> 2u], u32(i5.x & 3) * 8u, 8u), extractBits(x1[i5.y >> 2u], u32(i5.y & 3) * 8u, 8u), extractBits(x1[i5.z >> 2u], u32(i5.z & 3) * 8u, 8u), extractBits(x1[i5.w >> 2u], u32(i5.w & 3) * 8u, 8u));
  var v7 = ((v3 + ((vec4<i32>(v6) << vec4<u32>(16u)) >> vec4<u32>(16u))) << vec4<u32>(16u)) >> vec4<u32>(16u);
  y0[t1] = pt_store_i16(v7);
}
