// map bends
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y1: array<vec4<i32>>;
struct Scalars { I0: i32, I1: i32, I2: i32 }
@group(0) @binding(4) var<uniform> S: Scalars;
const PT_TWO_OVER_PI = array<u32, 8>(0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);
fn pt_far_angle_1(x: f32, result1: ptr<function, i32>) -> f32 {
  var raw = bitcast<u32>(max(abs(x), 8192.0));
  var factor = (raw & 0x7fffffu) | 0x800000u;
  var carried = 0u;
  var high = 0u;
  var middle = 0u;
  var low = 0u;
  for (var k = 0; k < 12; k++) {
    var at = i32(raw >> 23u) - 32 - 8 * k;
    var entry = at >> 5u;
    var after = entry + 1;
    var word = (u32(PT_TWO_OVER_PI[entry]) << u32(at & 31)) | ((u32(PT_TWO_OVER_PI[after]) >> 1u) >> u32(31 - (at & 31)));
    carried = carried + factor * (word >> 24u);
    low = (low >> 8u) | (middle << 24u);
    middle = (middle >> 8u) | (high << 24u);
    high = (high >> 8u) | (carried << 24u);
    carried = carried >> 8u;
  }
  var first = (high << 2u) | (middle >> 30u);
  var second = (middle << 2u) | (low >> 30u);
  var beyond = (first >> 31u) == 1u;
  var quadrant = i32(high >> 30u) + i32(beyond);
  first = select(first, ~first, beyond);
  second = select(second, ~second, beyond);
  var angle = (f32(first) + f32(second) * 2.3283064365387e-10) * 3.657295198168e-10;
  angle = select(-angle, angle, beyond == (x < 0.0));
  *result1 = select(quadrant, -quadrant, x < 0.0);
  return angle;
}
fn pt_trig_reduce_1(x: f32, result1: ptr<function, i32>) -> f32 {
  var n = round(x * 0.636619772367581);
  var quadrant = i32(n);
  var r = x - n * 1.5703125 - n * 0.0004837512969970703 - n * 7.549789948768648e-08;
  var near = abs(x) < 8192.0;
  if (!near) {
    var turns: i32;
    var angle = pt_far_angle_1(x, &turns);
    r = select(angle, r, near);
    quadrant = select(turns, quadrant, near);
  }
  *result1 = quadrant;
  return r;
}
var<private> PT_NAN_BITS: u32 = 0x7fc00000u;
fn PT_NAN() -> f32 { return bitcast<f32>(PT_NAN_BITS); }
fn pt_turned_1(r: f32, q: i32) -> f32 {
  var z = r * r;
  var s = ((-0.00019515295891 * z + 0.0083321608736) * z - 0.16666654611) * z * r + r;
  var c = (2.443315711809948e-05 * z - 0.001388731625493765) * z + 0.04166664568298827;
  c = c * z * z - 0.5 * z + 1.0;
  var v = select(s, c, (q & 1) != 0);
  return select(v, -v, (q & 2) != 0);
}
fn pt_is_finite_1(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) < 0x7f800000u; }
fn pt_trig_1(x: f32, shift: i32) -> f32 {
  var q: i32;
  var r = pt_trig_reduce_1(x, &q);
  return select(PT_NAN(), pt_turned_1(r, q + shift), pt_is_finite_1(x));
}
fn pt_sin_1(x: f32) -> f32 { return select(pt_trig_1(x, 0), x, x == 0.0); }
fn own0_bend(p0: vec4<f32>, p1: vec4<f32>, p2: vec4<u32>, result1: ptr<function, vec4<i32>>) -> vec4<f32> {
  var r4 = vec4<f32>(0);
  var r5 = vec4<u32>(0);
  var r6 = vec4<f32>(0);
  var r7 = vec4<i32>(0);
  for (var k8 = 0; k8 < 4; k8++) {
    var r9 = 0;
    var v10 = p0[k8];
    var r11 = v10;
    var r12 = false;
    var r13 = 0.0;
    var r14 = 0;
    var v21 = bool(p2[k8]);
    var v23 = p1[k8];
    for (var k15 = 0; k15 < S.I0; k15++) {
      var r16 = r9;
      var r17 = r11;
      if (!v21) { break; }
      var v22 = r17 * 0.5;
      var v24 = r17 * v23;
      var v25 = pt_sin_1(v24);
      var v26 = 0.10000000149011612 * v25;
      var v27 = v22 + v26;
      var v28 = v27 < 0.25;
      if (v28) {
        var v29 = v27 * v23;
        r11 = v27;
        r12 = true;
        r13 = v29;
        r14 = r16;
        break;
      }
      var v31 = r16 + 1;
      r9 = v31;
      r11 = v27;
    }
    r4 = vec4<f32>(r4.yzw, r11);
    r5 = vec4<u32>(r5.yzw, u32(r12));
    r6 = vec4<f32>(r6.yzw, r13);
    r7 = vec4<i32>(r7.yzw, r14);
  }
  var v32 = r5 ^ vec4<u32>(1u);
  var v33 = select(r6, r4, vec4<bool>(v32));
  var v34 = select(r7, vec4<i32>(9), vec4<bool>(v32));
  *result1 = v34;
  return v33;
}
fn own1_bend(p0: f32, p1: f32, p2: bool, result1: ptr<function, i32>) -> f32 {
  var r4 = 0;
  var r5 = p0;
  var r6 = false;
  var r7 = 0.0;
  var r8 = 0;
  for (var k9 = 0; k9 < S.I1; k9++) {
    var r10 = r4;
    var r11 = r5;
    if (!p2) { break; }
    var v15 = r11 * 0.5;
    var v16 = r11 * p1;
    var v17 = pt_sin_1(v16);
    var v18 = 0.10000000149011612 * v17;
    var v19 = v15 + v18;
    var v20 = v19 < 0.25;
    if (v20) {
      var v21 = v19 * p1;
      r5 = v19;
      r6 = true;
      r7 = v21;
      r8 = r10;
      break;
    }
    var v23 = r10 + 1;
    r4 = v23;
    r5 = v19;
  }
  var v24 = !r6;
  var v25 = select(r7, r5, v24);
  var v26 = select(r8, 9, v24);
  *result1 = v26;
  return v25;
}
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I2) { return; }
  var v3 = x0[t1];
  var v4 = x1[t1];
  var c6: vec4<i32>;
  var c5 = own0_bend(v3, vec4<f32>(2.0), vec4<u32>(1u), &c6);
  var r9 = vec4<u32>(0);
  var r10 = vec4<f32>(0);
  var r11 = vec4<i32>(0);
  for (var k12 = 0; k12 < 4; k12++) {
    var r13 = 0;
    var r14 = false;
    var r15 = 0.0;
    var r16 = 0;
    var v23 = c5[k12];
    var v25 = v4[k12];
    for (var k17 = 0; k17 < 6; k17++) {
      var r18 = r13;
      var v22 = f32(r18);
      var v24 = v23 + v22;
      var v26 = v24 > v25;
      if (v26) {
        var c28: i32;
        var c27 = own1_bend(v24, 3.0, true, &c28);
        var v31 = c6[k12];
        var v32 = v31 + c28;
        r14 = true;
        r15 = c27;
        r16 = v32;
        break;
      }
      var v34 = r18 + 1;
      r13 = v34;
    }
    r9 = vec4<u32>(r9.yzw, u32(r14));
    r10 = vec4<f32>(r10.yzw, r15);
    r11 = vec4<i32>(r11.yzw, r16);
  }
  var v35 = r9 ^ vec4<u32>(1u);
  var v36 = select(r10, c5, vec4<bool>(v35));
  var v37 = select(r11, c6, vec4<bool>(v35));
  y0[t1] = v36;
  y1[t1] = v37;
}
