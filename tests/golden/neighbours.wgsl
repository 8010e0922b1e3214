// map diffusion
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y1: array<vec4<i32>>;
struct Scalars { I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32 }
@group(0) @binding(4) var<uniform> S: Scalars;
fn pt_remainder_i(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
  var trivial = (b == vec4<i32>(0)) | (b == vec4<i32>(-1));
  var d = select(b, vec4<i32>(1), trivial);
  var q = a / d;
  var r = a - q * d;
  var other = (r != vec4<i32>(0)) & ((r < vec4<i32>(0)) != (d < vec4<i32>(0)));
  return r + select(vec4<i32>(0), d, other);
}
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I6) { return; }
  var e2 = t1 * 4;
  var v3 = vec4<i32>(S.I0);
  var v4 = vec4<i32>(S.I1);
  var v5 = vec4<i32>(S.I2);
  var v6 = vec4<i32>(S.I3);
  var v7 = vec4<i32>(S.I4);
  var v8 = vec4<i32>(S.I5);
  var i9 = e2 + vec4<i32>(0, 1, 2, 3);
  var v10 = min(i9, v3 * v4 - 1);
  var v11 = v10 / v4;
  var v12 = v10 - v11 * v4;
  var v13 = v11 - vec4<i32>(1);
  var v14 = pt_remainder_i(v13, v5);
  var v15 = v14 * v6;
  var i16 = v12.x >> 2u;
  var i17 = v4.x >> 2u;
  var i18 = (v15.x >> 2u) + i16;
  var v20 = x0[i18];
  var v21 = v11 + vec4<i32>(1);
  var v22 = pt_remainder_i(v21, v5);
  var v23 = v22 * v6;
  var i24 = (v23.x >> 2u) + i16;
  var v26 = x0[i24];
  var v27 = v20 + v26;
  var v28 = pt_remainder_i(v11, v5);
  var v29 = v28 * v6;
  var i30 = (v29.x >> 2u) + (i16 - 1 + i17) % i17;
  var v32 = x0[i30];
  var i33 = (v29.x >> 2u) + i16;
  var v35 = x0[i33];
  var v36 = vec4<f32>(v32.w, v35.xyz);
  var v37 = v27 + v36;
  var i38 = (v29.x >> 2u) + (i16 + 1) % i17;
  var v40 = x0[i38];
  var v41 = vec4<f32>(v35.yzw, v40.x);
  var v42 = v37 + v41;
  var v43 = vec4<f32>(4.0) * v35;
  var v44 = v42 - v43;
  var v45 = vec4<f32>(0.10000000149011612) * v44;
  var v46 = pt_remainder_i(v11, v7);
  var v47 = v46 * v8;
  var i48 = (v47.x >> 2u) + i16;
  var v50 = x1[i48];
  var v51 = v45 * v50;
  var v52 = v35 + v51;
  var v53 = vec4<u32>(v50 > vec4<f32>(0.5));
  var v54 = vec4<i32>(v53);
  y0[t1] = v52;
  y1[t1] = v54;
}
