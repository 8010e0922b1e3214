// map way
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y1: array<u32>;
struct Scalars { F0: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
fn pt_is_nan_1(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn pt_exp_1(x: f32) -> f32 { return select(exp(x), x, pt_is_nan_1(x)); }
fn pt_store_u8(v: vec4<u32>) -> u32 { return (v.x & 255u) | ((v.y & 255u) << 8u) | ((v.z & 255u) << 16u) | (v.w << 24u); }
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let w = i32(W.x);
  var t1 = w * 64 + l;
  if (t1 >= S.I4) { return; }
  var e2 = t1 * 4;
  var v3 = vec4<i32>(S.I0);
  var v4 = vec4<i32>(S.I1);
  var v5 = vec4<i32>(S.I2);
  var v6 = vec4<i32>(S.I3);
  var v7 = vec4<f32>(S.F0);
  var i8 = e2 + vec4<i32>(0, 1, 2, 3);
  var v9 = min(i8, v3 * v4 - 1);
  var v10 = v9 / v4;
  var v11 = v9 - v10 * v4;
  var r12 = vec4<f32>(0);
  var r13 = vec4<u32>(0);
  var r14 = vec4<f32>(0);
  var r15 = vec4<u32>(0);
  var v28 = v5[0];
  var v29 = v28 - 1;
  var v30 = v10[0];
  var v31 = min(max(v30, 0), v29);
  var v34 = v6[0];
  var v35 = v34 - 1;
  var v37 = v31 * v34;
  var v44 = v7[0];
  for (var k16 = 0; k16 < 4; k16++) {
    var r17 = 0;
    var r18 = 0.0;
    var r19 = false;
    var r20 = 0.0;
    var r21 = false;
    var v32 = v11[k16];
    for (var k22 = 0; k22 < S.I5; k22++) {
      var r23 = r17;
      var r24 = r18;
      var v33 = v32 + r23;
      var v36 = min(max(v33, 0), v35);
      var v38 = v37 + v36;
      var v39 = vec4<i32>(v38);
      var i40 = v39.x;
      var v41 = vec4<f32>(x0[i40 >> 2u][i40 & 3]);
      var v42 = v41[0];
      var v43 = abs(v42);
      var v45 = v43 > v44;
      if (v45) {
        var v46 = r23 > 2;
        r18 = r24;
        r19 = true;
        r20 = r24;
        r21 = v46;
        break;
      }
      var v48 = 1.0 / (1.0 + pt_exp_1(-v42));
      var v49 = 0.5 * v48;
      var v50 = r24 + v49;
      var v51 = r23 + 1;
      r17 = v51;
      r18 = v50;
    }
    r12 = vec4<f32>(r12.yzw, r18);
    r13 = vec4<u32>(r13.yzw, u32(r19));
    r14 = vec4<f32>(r14.yzw, r20);
    r15 = vec4<u32>(r15.yzw, u32(r21));
  }
  var v52 = r13 ^ vec4<u32>(1u);
  var v53 = select(r14, r12, vec4<bool>(v52));
  var v54 = r13 & r15;
  y0[t1] = v53;
  y1[t1] = pt_store_u8(v54);
}
