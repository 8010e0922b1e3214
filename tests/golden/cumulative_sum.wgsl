// scan cumulative_sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> shared0: array<vec4<f32>, 64>;
var<workgroup> shared1: array<vec4<f32>, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var n1 = w * 4 + (l >> 4u);
  var n2 = min(n1, S.I0);
  var f3 = 0 + (l & 15);
  var q4 = n2 * S.I1 + f3 * 4;
  var v5 = x0[(q4 >> 2u)];
  var r6 = v5;
  var r7 = vec4<f32>(0.0, r6.xyz) + r6;
  var r8 = vec4<f32>(0.0, 0.0, r7.xy) + r7;
  var r9 = vec4<f32>(r8.w, 0.0, 0.0, 0.0);
  var s10 = vec4<f32>(0.0);
  shared0[l] = r9;
  workgroupBarrier();
  if ((l & 15) >= 1) {
    var r11 = shared0[l - 1];
    r9 = r11 + r9;
  }
  shared1[l] = r9;
  workgroupBarrier();
  if ((l & 15) >= 2) {
    var r12 = shared1[l - 2];
    r9 = r12 + r9;
  }
  shared0[l] = r9;
  workgroupBarrier();
  if ((l & 15) >= 4) {
    var r13 = shared0[l - 4];
    r9 = r13 + r9;
  }
  shared1[l] = r9;
  workgroupBarrier();
  if ((l & 15) >= 8) {
    var r14 = shared1[l - 8];
    r9 = r14 + r9;
  }
  shared0[l] = r9;
  workgroupBarrier();
  if ((l & 15) >= 1) {
    s10 = shared0[l - 1];
  }
  var s16 = vec4<f32>(0.0);
  var r17 = (s16 + s10.xxxx) + r8;
  var p18 = n2 * S.I2 + f3;
  var f19 = 0 + S.I3;
  if (f3 < S.I4 && f3 < f19) {
    y0[p18] = r17;
  }
}
