// rows sum+multiply
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> x2: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, F1: f32, I0: i32, I1: i32, I2: i32 }
@group(0) @binding(4) var<uniform> S: Scalars;
var<private> PT_NAN_BITS: u32 = 0x7fc00000u;
fn PT_NAN() -> f32 { return bitcast<f32>(PT_NAN_BITS); }
fn pt_is_nan(x: vec4<f32>) -> vec4<bool> { return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u); }
fn pt_sqrt(x: vec4<f32>) -> vec4<f32> {
  var r = select(sqrt(x), x, x == vec4<f32>(0.0));
  return select(r, vec4<f32>(PT_NAN()), (x < vec4<f32>(0.0)) | pt_is_nan(x));
}
var<workgroup> shared0: array<f32, 64>;
var<workgroup> shared1: array<f32, 64>;
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var m1 = l & 15;
  var o2 = w * 4 + (l >> 4u);
  var b3 = o2 < S.I0;
  var o4 = min(o2, S.I1);
  var s5 = vec4<f32>(0.0);
  var t6 = o4 * S.I2 + m1;
  var c8 = m1 * 4;
  var v10 = x0[t6];
  var v11 = x1[t6];
  var v12 = v10 + v11;
  s5 = s5 + v12;
  var r13 = s5.x;
  r13 = r13 + s5.y;
  r13 = r13 + s5.z;
  r13 = r13 + s5.w;
  var a14 = l - m1;
  shared0[l] = r13;
  workgroupBarrier();
  var r15 = shared0[a14];
  for (var k16 = 1; k16 < 16; k16++) {
    var r17 = shared0[a14 + k16];
    r15 = r15 + r17;
  }
  var v18 = vec4<f32>(r15);
  var s19 = vec4<f32>(0.0);
  var v20 = v18 * vec4<f32>(S.F0);
  var v21 = v12 - v20;
  var v22 = v21 * v21;
  s19 = s19 + v22;
  var r23 = s19.x;
  r23 = r23 + s19.y;
  r23 = r23 + s19.z;
  r23 = r23 + s19.w;
  shared1[l] = r23;
  workgroupBarrier();
  var r24 = shared1[a14];
  for (var k25 = 1; k25 < 16; k25++) {
    var r26 = shared1[a14 + k25];
    r24 = r24 + r26;
  }
  var v27 = vec4<f32>(r24);
  var v28 = v27 * vec4<f32>(S.F0);
  var v29 = v28 + vec4<f32>(S.F1);
  var v30 = 1.0 / pt_sqrt(v29);
  var v31 = v21 * v30;
  var v32 = x2[(c8 >> 2u)];
  var v33 = v31 * v32;
  if (b3) {
    y0[t6] = v33;
  }
}
