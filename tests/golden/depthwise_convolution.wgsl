// contract convolve
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
struct Scalars { F0: f32, F1: f32, I0: i32, I1: i32, I2: i32, I3: i32, I4: i32, I5: i32, I6: i32, I7: i32, I8: i32, I9: i32, I10: i32, I11: i32, I12: i32, I13: i32, I14: i32, I15: i32, I16: i32, I17: i32, I18: i32, I19: i32, I20: i32, I21: i32, I22: i32, I23: i32, I24: i32, I25: i32 }
@group(0) @binding(3) var<uniform> S: Scalars;
fn pt_quotient4(x: vec4<i32>, r: f32) -> vec4<i32> { return vec4<i32>((vec4<f32>(x) + 0.5) * r); }
fn pt_modulo4(x: vec4<i32>, n: i32, r: f32) -> vec4<i32> { return x - pt_quotient4(x, r) * n; }
fn pt_image(p: i32) -> vec4<f32> {
  return vec4<f32>(x0[p >> 2u][p & 3]);
}
fn pt_weight(p: i32) -> vec4<f32> {
  return vec4<f32>(x1[p >> 2u][p & 3]);
}
fn pt_keep(m: i32, n: i32, v: vec4<f32>) {
  var e1 = m * S.I0 + n;
  var t2 = e1 >> 2u;
  y0[t2] = v;
}
@compute @workgroup_size(64) fn main(
  @builtin(local_invocation_index) L: u32, @builtin(workgroup_id) W: vec3<u32>
) {
  let l = i32(L);
  let t = i32(W.x) * 64 + l;
  if (t >= S.I1) { return; }
  let o = t * 4 + vec4<i32>(0, 1, 2, 3);
  let n = pt_modulo4(o, S.I2, S.F0);
  let m = pt_quotient4(o, S.F0);
  let line = pt_quotient4(m, S.F0);
  let v = pt_modulo4(line, S.I3, S.F1) * 2 - 2;
  let u = pt_modulo4(m, S.I4, S.F0) * 2;
  let first = pt_quotient4(line, S.F1) * S.I5 + v * S.I6 + u * S.I7 + n;
  var s = vec4<f32>(f32(0));
  for (var y = 0; y < 3; y++) {
    { let first_x = 0;
      { let x = first_x + 0;
        let ok = (vec4<u32>(v + y * 2) < vec4<u32>(u32(S.I8))) & (vec4<u32>(u + x * 2) < vec4<u32>(u32(S.I9)));
        let p = first + y * S.I10 + x * S.I11;
        let k = (y * 2 + x) * S.I12;
        for (var i = 0; i < 1; i += 1) {
          s += select(vec4<f32>(f32(0)), vec4<f32>(pt_image(p.x + i).x, pt_image(p.y + i).x, pt_image(p.z + i).x, pt_image(p.w + i).x) * vec4<f32>(pt_weight(k + i * S.I13 + n.x).x, pt_weight(k + i * S.I14 + n.y).x, pt_weight(k + i * S.I15 + n.z).x, pt_weight(k + i * S.I16 + n.w).x), ok);
        }
      }
      { let x = first_x + 1;
        let ok = (vec4<u32>(v + y * 2) < vec4<u32>(u32(S.I17))) & (vec4<u32>(u + x * 2) < vec4<u32>(u32(S.I18)));
        let p = first + y * S.I19 + x * S.I20;
        let k = (y * 2 + x) * S.I21;
        for (var i = 0; i < 1; i += 1) {
          s += select(vec4<f32>(f32(0)), vec4<f32>(pt_image(p.x + i).x, pt_image(p.y + i).x, pt_image(p.z + i).x, pt_image(p.w + i).x) * vec4<f32>(pt_weight(k + i * S.I22 + n.x).x, pt_weight(k + i * S.I23 + n.y).x, pt_weight(k + i * S.I24 + n.z).x, pt_weight(k + i * S.I25 + n.w).x), ok);
        }
      }
    }
  }
  pt_keep(0, t * 4, s);
}
