// reduce sum
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<f32>;
struct Scalars { I0: i32, I1: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<workgroup> shared0: array<f32, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var m1 = l & 7;
  var o2 = w * 8 + (l >> 3u);
  var s3 = vec4<f32>(0.0);
  var c4 = m1 + vec4<i32>(0, 8, 16, 24);
  var i5 = o2 * S.I0 + c4;
  var b6 = c4 < vec4<i32>(S.I1);
  var v7 = vec4<f32>(x0[i5.x >> 2u][i5.x & 3], x0[i5.y >> 2u][i5.y & 3], x0[i5.z >> 2u][i5.z & 3], x0[i5.w >> 2u][i5.w & 3]);
  var v8 = select(vec4<f32>(0.0), v7, b6);
  s3 = s3 + v8;
  var r9 = s3.x;
  r9 = r9 + s3.y;
  r9 = r9 + s3.z;
  r9 = r9 + s3.w;
  var a10 = l - m1;
  shared0[l] = r9;
  workgroupBarrier();
  var r11 = shared0[a10];
  for (var k12 = 1; k12 < 8; k12++) {
    var r13 = shared0[a10 + k12];
    r11 = r11 + r13;
  }
  var v14 = vec4<f32>(r11);
  if (m1 == 0) {
    y0[o2] = v14.x;
  }
}
