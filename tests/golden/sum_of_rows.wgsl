// reduce sum+sqrt
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<f32>;
struct Scalars { I0: i32 }
@group(0) @binding(2) var<uniform> S: Scalars;
var<private> PT_NAN_BITS: u32 = 0x7fc00000u;
fn PT_NAN() -> f32 { return bitcast<f32>(PT_NAN_BITS); }
fn pt_is_nan(x: vec4<f32>) -> vec4<bool> { return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u); }
fn pt_sqrt(x: vec4<f32>) -> vec4<f32> {
  var r = select(sqrt(x), x, x == vec4<f32>(0.0));
  return select(r, vec4<f32>(PT_NAN()), (x < vec4<f32>(0.0)) | pt_is_nan(x));
}
var<workgroup> shared0: array<f32, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var m1 = l & 7;
  var o2 = w * 8 + (l >> 3u);
  var s3 = vec4<f32>(0.0);
  var t4 = o2 * S.I0 + m1;
  var v8 = x0[t4];
  var v9 = v8 * v8;
  s3 = s3 + v9;
  var r10 = s3.x;
  r10 = r10 + s3.y;
  r10 = r10 + s3.z;
  r10 = r10 + s3.w;
  var a11 = l - m1;
  shared0[l] = r10;
  workgroupBarrier();
  var r12 = shared0[a11];
  for (var k13 = 1; k13 < 8; k13++) {
    var r14 = shared0[a11 + k13];
    r12 = r12 + r14;
  }
  var v15 = vec4<f32>(r12);
  var v17 = pt_sqrt(v15);
  if (m1 == 0) {
    y0[o2] = v17.x;
  }
}
