// rows max+divide
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<private> PT_INF_BITS: u32 = 0x7f800000u;
fn PT_INF() -> f32 { return bitcast<f32>(PT_INF_BITS); }
var<private> PT_NAN_BITS: u32 = 0x7fc00000u;
fn PT_NAN() -> f32 { return bitcast<f32>(PT_NAN_BITS); }
fn pt_maximum(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  var odd = max(bitcast<vec4<u32>>(a) & vec4<u32>(0x7fffffffu), bitcast<vec4<u32>>(b) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
  return select(max(a, b), vec4<f32>(PT_NAN()), odd);
}
fn pt_maximum_1(a: f32, b: f32) -> f32 {
  var odd = max(bitcast<u32>(a) & 0x7fffffffu, bitcast<u32>(b) & 0x7fffffffu) > 0x7f800000u;
  return select(max(a, b), PT_NAN(), odd);
}
fn pt_is_nan(x: vec4<f32>) -> vec4<bool> { return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u); }
fn pt_exp(x: vec4<f32>) -> vec4<f32> { return select(exp(x), x, pt_is_nan(x)); }
var<workgroup> shared0: array<f32, 64>;
var<workgroup> shared1: array<f32, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var m1 = l & 3;
  var o2 = w * 16 + (l >> 2u);
  var b3 = o2 < S.I0;
  var o4 = min(o2, S.I1);
  var s5 = vec4<f32>(-PT_INF());
  var t6 = o4 * 3 + m1;
  var b10 = m1 < 3;
  var v11 = x0[t6];
  var v12 = select(vec4<f32>(-PT_INF()), v11, vec4<bool>(b10));
  s5 = pt_maximum(s5, v12);
  var r13 = s5.x;
  r13 = pt_maximum_1(r13, s5.y);
  r13 = pt_maximum_1(r13, s5.z);
  r13 = pt_maximum_1(r13, s5.w);
  var a14 = l - m1;
  shared0[l] = r13;
  workgroupBarrier();
  var r15 = shared0[a14];
  for (var k16 = 1; k16 < 4; k16++) {
    var r17 = shared0[a14 + k16];
    r15 = pt_maximum_1(r15, r17);
  }
  var v18 = vec4<f32>(r15);
  var s19 = vec4<f32>(0.0);
  var v20 = v11 - v18;
  var v21 = pt_exp(v20);
  var v22 = select(vec4<f32>(0.0), v21, vec4<bool>(b10));
  s19 = s19 + v22;
  var r23 = s19.x;
  r23 = r23 + s19.y;
  r23 = r23 + s19.z;
  r23 = r23 + s19.w;
  shared1[l] = r23;
  workgroupBarrier();
  var r24 = shared1[a14];
  for (var k25 = 1; k25 < 4; k25++) {
    var r26 = shared1[a14 + k25];
    r24 = r24 + r26;
  }
  var v27 = vec4<f32>(r24);
  var v28 = v21 / v27;
  if (b10 && b3) {
    y0[t6] = v28;
  }
}
