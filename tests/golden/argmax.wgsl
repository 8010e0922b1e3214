// reduce argmax
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<i32>;
struct Scalars { I0: i32, I1: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<private> PT_INF_BITS: u32 = 0x7f800000u;
fn PT_INF() -> f32 { return bitcast<f32>(PT_INF_BITS); }
fn pt_is_nan(x: vec4<f32>) -> vec4<bool> { return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u); }
fn pt_beats_greater_f(v: vec4<f32>, i: vec4<i32>, best: vec4<f32>, place: vec4<i32>) -> vec4<bool> {
  var vn = pt_is_nan(v);
  var bn = pt_is_nan(best);
  var better = ((v > best) & !bn) | (vn & !bn);
  var tie = (v == best) | (vn & bn);
  return better | (tie & (i < place));
}
fn pt_is_nan_1(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn pt_beats_greater_f_1(v: f32, i: i32, best: f32, place: i32) -> bool {
  var vn = pt_is_nan_1(v);
  var bn = pt_is_nan_1(best);
  var better = ((v > best) & !bn) | (vn & !bn);
  var tie = (v == best) | (vn & bn);
  return better | (tie & (i < place));
}
var<workgroup> shared0: array<f32, 64>;
var<workgroup> shared1: array<i32, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var m1 = l & 7;
  var o2 = w * 8 + (l >> 3u);
  var s3 = vec4<f32>(-PT_INF());
  var w4 = vec4<i32>(S.I0);
  var t5 = o2 * S.I1 + m1;
  var c7 = m1 * 4;
  var c8 = c7 + vec4<i32>(0, 1, 2, 3);
  var v9 = x0[t5];
  var b10 = pt_beats_greater_f(v9, c8, s3, w4);
  s3 = select(s3, v9, b10);
  w4 = select(w4, c8, b10);
  var r11 = s3.x;
  var r12 = w4.x;
  var b13 = pt_beats_greater_f_1(s3.y, w4.y, r11, r12);
  r11 = select(r11, s3.y, b13);
  r12 = select(r12, w4.y, b13);
  var b14 = pt_beats_greater_f_1(s3.z, w4.z, r11, r12);
  r11 = select(r11, s3.z, b14);
  r12 = select(r12, w4.z, b14);
  var b15 = pt_beats_greater_f_1(s3.w, w4.w, r11, r12);
  r11 = select(r11, s3.w, b15);
  r12 = select(r12, w4.w, b15);
  var a16 = l - m1;
  shared0[l] = r11;
  shared1[l] = r12;
  workgroupBarrier();
  var r17 = shared0[a16];
  var r18 = shared1[a16];
  for (var k19 = 1; k19 < 8; k19++) {
    var r20 = shared0[a16 + k19];
    var r21 = shared1[a16 + k19];
    var b22 = pt_beats_greater_f_1(r20, r21, r17, r18);
    r17 = select(r17, r20, b22);
    r18 = select(r18, r21, b22);
  }
  var v23 = vec4<i32>(r18);
  if (m1 == 0) {
    y0[o2] = v23.x;
  }
}
