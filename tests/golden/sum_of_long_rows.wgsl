// reduce sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<f32>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> shared0: array<f32, 64>;
var<workgroup> shared1: array<f32, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var s1 = vec4<f32>(0.0);
  var t2 = w * S.I0 + l;
  var g6 = l + 64;
  var t7 = w * S.I1 + g6;
  var g11 = l + 128;
  var t12 = w * S.I2 + g11;
  var g16 = l + 192;
  var t17 = w * S.I3 + g16;
  var v21 = x0[t2];
  s1 = s1 + v21;
  var v22 = x0[t7];
  s1 = s1 + v22;
  var v23 = x0[t12];
  s1 = s1 + v23;
  var v24 = x0[t17];
  s1 = s1 + v24;
  var r25 = s1.x;
  r25 = r25 + s1.y;
  r25 = r25 + s1.z;
  r25 = r25 + s1.w;
  shared0[l] = r25;
  workgroupBarrier();
  if (l < 8) {
    for (var k26 = 8; k26 < 64; k26 += 8) {
      var r27 = shared0[l + k26];
      r25 = r25 + r27;
    }
    shared1[l] = r25;
  }
  workgroupBarrier();
  var r28 = shared1[0];
  for (var k29 = 1; k29 < 8; k29++) {
    var r30 = shared1[k29];
    r28 = r28 + r30;
  }
  var v31 = vec4<f32>(r28);
  if (l == 0) {
    y0[w] = v31.x;
  }
}
