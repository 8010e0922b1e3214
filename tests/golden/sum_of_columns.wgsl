// reduce sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> shared0: array<vec4<f32>, 256>;
@compute @workgroup_size(256) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var n1 = l & 7;
  var m2 = l >> 3u;
  var t3 = w * 8 + n1;
  var e4 = t3 * 4;
  var i5 = e4 + vec4<i32>(0, 1, 2, 3);
  var s6 = vec4<f32>(0.0);
  for (var k7 = m2; k7 < S.I0; k7 += S.I1) {
    var q8 = k7 * S.I2 + i5;
    var v9 = vec4<f32>(x0[q8.x >> 2u][q8.x & 3], x0[q8.y >> 2u][q8.y & 3], x0[q8.z >> 2u][q8.z & 3], x0[q8.w >> 2u][q8.w & 3]);
    s6 = s6 + v9;
  }
  shared0[l] = s6;
  workgroupBarrier();
  if (m2 < S.I3) {
    var r10 = shared0[l + 128];
    s6 = s6 + r10;
    shared0[l] = s6;
  }
  workgroupBarrier();
  if (m2 < S.I4) {
    var r11 = shared0[l + 64];
    s6 = s6 + r11;
    shared0[l] = s6;
  }
  workgroupBarrier();
  if (m2 < 4) {
    var r12 = shared0[l + 32];
    s6 = s6 + r12;
    shared0[l] = s6;
  }
  workgroupBarrier();
  if (m2 < 2) {
    var r13 = shared0[l + 16];
    s6 = s6 + r13;
    shared0[l] = s6;
  }
  workgroupBarrier();
  if (m2 < 1) {
    var r14 = shared0[l + 8];
    s6 = s6 + r14;
    shared0[l] = s6;
  }
  workgroupBarrier();
  var t15 = w * 8 + l;
  if (l >= 8 || t15 >= S.I5) { return; }
  y0[t15] = s6;
}
