// reduce argmax
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<i32>;
struct Scalars { I0: i32, I1: i32, I2: i32 }
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
var<workgroup> shared0: array<f32, 128>;
var<workgroup> shared1: array<i32, 128>;
var<workgroup> shared2: array<f32, 128>;
var<workgroup> shared3: array<i32, 128>;
@compute @workgroup_size(128) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var s1 = vec4<f32>(-PT_INF());
  var w2 = vec4<i32>(S.I0);
  var t3 = w * S.I1 + l;
  var c5 = l * 4;
  var c6 = c5 + vec4<i32>(0, 1, 2, 3);
  var g7 = l + 128;
  var t8 = w * S.I2 + g7;
  var c10 = g7 * 4;
  var c11 = c10 + vec4<i32>(0, 1, 2, 3);
  var v12 = x0[t3];
  var b13 = pt_beats_greater_f(v12, c6, s1, w2);
  s1 = select(s1, v12, b13);
  w2 = select(w2, c6, b13);
  var v14 = x0[t8];
  var b15 = pt_beats_greater_f(v14, c11, s1, w2);
  s1 = select(s1, v14, b15);
  w2 = select(w2, c11, b15);
  var r16 = s1.x;
  var r17 = w2.x;
  var b18 = pt_beats_greater_f_1(s1.y, w2.y, r16, r17);
  r16 = select(r16, s1.y, b18);
  r17 = select(r17, w2.y, b18);
  var b19 = pt_beats_greater_f_1(s1.z, w2.z, r16, r17);
  r16 = select(r16, s1.z, b19);
  r17 = select(r17, w2.z, b19);
  var b20 = pt_beats_greater_f_1(s1.w, w2.w, r16, r17);
  r16 = select(r16, s1.w, b20);
  r17 = select(r17, w2.w, b20);
  shared0[l] = r16;
  shared1[l] = r17;
  workgroupBarrier();
  if (l < 16) {
    for (var k21 = 16; k21 < 128; k21 += 16) {
      var r22 = shared0[l + k21];
      var r23 = shared1[l + k21];
      var b24 = pt_beats_greater_f_1(r22, r23, r16, r17);
      r16 = select(r16, r22, b24);
      r17 = select(r17, r23, b24);
    }
    shared2[l] = r16;
    shared3[l] = r17;
  }
  workgroupBarrier();
  var r25 = shared2[0];
  var r26 = shared3[0];
  for (var k27 = 1; k27 < 16; k27++) {
    var r28 = shared2[k27];
    var r29 = shared3[k27];
    var b30 = pt_beats_greater_f_1(r28, r29, r25, r26);
    r25 = select(r25, r28, b30);
    r26 = select(r26, r29, b30);
  }
  var v31 = vec4<i32>(r26);
  if (l == 0) {
    y0[w] = v31.x;
  }
}
