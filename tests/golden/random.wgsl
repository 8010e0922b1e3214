// map bits_to_unit_float
@group(0) @binding(0) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { I0: i32, U0: u32, U1: u32 }
@group(0) @binding(1) var<uniform> S: Scalars;
fn pt_threefry(k0: vec4<u32>, k1: vec4<u32>, i: vec4<u32>, second: vec4<u32>) -> vec4<u32> {
  var k2 = k0 ^ k1 ^ vec4<u32>(0x1bd11bdau);
  var a = k0;
  var b = i + k1;
  a = a + b;
  b = ((b << vec4<u32>(13u)) | (b >> vec4<u32>(19u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(15u)) | (b >> vec4<u32>(17u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(26u)) | (b >> vec4<u32>(6u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(6u)) | (b >> vec4<u32>(26u))) ^ a;
  a = a + k1;
  b = b + (k2 + 1u);
  a = a + b;
  b = ((b << vec4<u32>(17u)) | (b >> vec4<u32>(15u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(29u)) | (b >> vec4<u32>(3u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(16u)) | (b >> vec4<u32>(16u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(24u)) | (b >> vec4<u32>(8u))) ^ a;
  a = a + k2;
  b = b + (k0 + 2u);
  a = a + b;
  b = ((b << vec4<u32>(13u)) | (b >> vec4<u32>(19u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(15u)) | (b >> vec4<u32>(17u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(26u)) | (b >> vec4<u32>(6u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(6u)) | (b >> vec4<u32>(26u))) ^ a;
  a = a + k0;
  b = b + (k1 + 3u);
  a = a + b;
  b = ((b << vec4<u32>(17u)) | (b >> vec4<u32>(15u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(29u)) | (b >> vec4<u32>(3u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(16u)) | (b >> vec4<u32>(16u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(24u)) | (b >> vec4<u32>(8u))) ^ a;
  a = a + k1;
  b = b + (k2 + 4u);
  a = a + b;
  b = ((b << vec4<u32>(13u)) | (b >> vec4<u32>(19u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(15u)) | (b >> vec4<u32>(17u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(26u)) | (b >> vec4<u32>(6u))) ^ a;
  a = a + b;
  b = ((b << vec4<u32>(6u)) | (b >> vec4<u32>(26u))) ^ a;
  a = a + k2;
  b = b + (k0 + 5u);
  return a ^ (b & second);
}
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I0) { return; }
  var e2 = t1 * 4;
  var i3 = e2 + vec4<i32>(0, 1, 2, 3);
  var v4 = vec4<u32>(i3);
  var v5 = pt_threefry(vec4<u32>(S.U0), vec4<u32>(S.U1), v4, vec4<u32>(0xffffffffu));
  var v6 = bitcast<vec4<f32>>((v5 >> vec4<u32>(9u)) | vec4<u32>(0x3f800000u)) - 1.0;
  y0[t1] = v6;
}
