// reduce sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
fn pt_quotient4(x: vec4<i32>, r: f32) -> vec4<i32> { return vec4<i32>((vec4<f32>(x) + 0.5) * r); }
var<workgroup> shared0: array<vec4<f32>, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var n1 = l & 7;
  var m2 = l >> 3u;
  var t3 = w * 8 + n1;
  var e4 = t3 * 4;
  var s5 = vec4<f32>(0.0);
  for (var k6 = m2; k6 < S.I0; k6 += S.I1) {
    var q7 = k6 * S.I2 + e4;
    var i8 = q7 + vec4<i32>(0, 1, 2, 3);
    var i9 = pt_quotient4(i8, S.F0) + ((i8 / 3) & vec4<i32>(S.I3)) * S.I4 + i8 % 3 * S.I5;
    var v10 = vec4<f32>(x0[i9.x >> 2u][i9.x & 3], x0[i9.y >> 2u][i9.y & 3], x0[i9.z >> 2u][i9.z & 3], x0[i9.w >> 2u][i9.w & 3]);
    s5 = s5 + v10;
  }
  shared0[l] = s5;
  workgroupBarrier();
  if (m2 < 4) {
    var r11 = shared0[l + 32];
    s5 = s5 + r11;
    shared0[l] = s5;
  }
  workgroupBarrier();
  if (m2 < 2) {
    var r12 = shared0[l + 16];
    s5 = s5 + r12;
    shared0[l] = s5;
  }
  workgroupBarrier();
  if (m2 < 1) {
    var r13 = shared0[l + 8];
    s5 = s5 + r13;
    shared0[l] = s5;
  }
  workgroupBarrier();
  var t14 = w * 8 + l;
  if (l >= 8 || t14 >= S.I6) { return; }
  y0[t14] = s5;
}
