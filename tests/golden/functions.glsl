// map bends
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform sampler2D x0;
uniform sampler2D x1;
uniform int I[2];
layout(location = 0) out vec4 y0;
layout(location = 1) out ivec4 y1;
const uint[8] PT_TWO_OVER_PI = uint[8](0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);
float pt_far_angle_1(float x, out int result1) {
  uint raw = floatBitsToUint(max(abs(x), 8192.0));
  uint factor = (raw & 0x7fffffu) | 0x800000u;
  uint carried = 0u;
  uint high = 0u;
  uint middle = 0u;
  uint low = 0u;
  for (int k = 0; k < 12; k++) {
    int at = int(raw >> 23) - 32 - 8 * k;
    int entry = at >> 5;
    int after = entry + 1;
    uint word = (uint(PT_TWO_OVER_PI[entry]) << (at & 31)) | ((uint(PT_TWO_OVER_PI[after]) >> 1) >> (31 - (at & 31)));
    carried = carried + factor * (word >> 24);
    low = (low >> 8) | (middle << 24);
    middle = (middle >> 8) | (high << 24);
    high = (high >> 8) | (carried << 24);
    carried = carried >> 8;
  }
  uint first = (high << 2) | (middle >> 30);
  uint second = (middle << 2) | (low >> 30);
  bool beyond = (first >> 31) == 1u;
  int quadrant = int(high >> 30) + int(beyond);
  first = (beyond ? ~first : first);
  second = (beyond ? ~second : second);
  float angle = (float(first) + float(second) * 2.3283064365387e-10) * 3.657295198168e-10;
  angle = mix(-angle, angle, beyond == (x < 0.0));
  result1 = (x < 0.0 ? -quadrant : quadrant);
  return angle;
}
float pt_trig_reduce_1(float x, out int result1) {
  float n = roundEven(x * 0.636619772367581);
  int quadrant = int(n);
  float r = x - n * 1.5703125 - n * 0.0004837512969970703 - n * 7.549789948768648e-08;
  bool near = abs(x) < 8192.0;
  if (!near) {
    int turns;
    float angle = pt_far_angle_1(x, turns);
    r = mix(angle, r, near);
    quadrant = (near ? quadrant : turns);
  }
  result1 = quadrant;
  return r;
}
#define PT_NAN uintBitsToFloat(0x7fc00000u)
float pt_turned_1(float r, int q) {
  float z = r * r;
  float s = ((-0.00019515295891 * z + 0.0083321608736) * z - 0.16666654611) * z * r + r;
  float c = (2.443315711809948e-05 * z - 0.001388731625493765) * z + 0.04166664568298827;
  c = c * z * z - 0.5 * z + 1.0;
  float v = mix(s, c, (q & 1) != 0);
  return mix(v, -v, (q & 2) != 0);
}
bool pt_is_finite_1(float x) { return (floatBitsToUint(x) & 0x7fffffffu) < 0x7f800000u; }
float pt_trig_1(float x, int shift) {
  int q;
  float r = pt_trig_reduce_1(x, q);
  return mix(PT_NAN, pt_turned_1(r, q + shift), pt_is_finite_1(x));
}
float pt_sin_1(float x) { return mix(pt_trig_1(x, 0), x, x == 0.0); }
vec4 pt_pick(bvec4 c, vec4 a, vec4 b) { return mix(b, a, c); }
ivec4 pt_pick(bvec4 c, ivec4 a, ivec4 b) {
  return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
uvec4 pt_pick(bvec4 c, uvec4 a, uvec4 b) {
  return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
vec4 own0_bend(vec4 p0, vec4 p1, uvec4 p2, out ivec4 result1) {
  vec4 r4 = vec4(0);
  uvec4 r5 = uvec4(0);
  vec4 r6 = vec4(0);
  ivec4 r7 = ivec4(0);
  for (int k8 = 0; k8 < 4; k8++) {
    int r9 = 0;
    float v10 = p0[k8];
    float r11 = v10;
    bool r12 = false;
    float r13 = 0.0;
    int r14 = 0;
    bool v21 = bool(p2[k8]);
    float v23 = p1[k8];
    for (int k15 = 0; k15 < I[0]; k15++) {
      int r16 = r9;
      float r17 = r11;
      if (!v21) { break; }
      float v22 = r17 * 0.5;
      float v24 = r17 * v23;
      float v25 = pt_sin_1(v24);
      float v26 = 0.10000000149011612 * v25;
      float v27 = v22 + v26;
      bool v28 = v27 < 0.25;
      if (v28) {
        float v29 = v27 * v23;
        r11 = v27;
        r12 = true;
        r13 = v29;
        r14 = r16;
        break;
      }
      int v31 = r16 + 1;
      r9 = v31;
      r11 = v27;
    }
    r4 = vec4(r4.yzw, r11);
    r5 = uvec4(r5.yzw, uint(r12));
    r6 = vec4(r6.yzw, r13);
    r7 = ivec4(r7.yzw, r14);
  }
  uvec4 v32 = r5 ^ 1u;
  vec4 v33 = mix(r6, r4, bvec4(v32));
  ivec4 v34 = pt_pick(bvec4(v32), ivec4(9), r7);
  result1 = v34;
  return v33;
}
float own1_bend(float p0, float p1, bool p2, out int result1) {
  int r4 = 0;
  float r5 = p0;
  bool r6 = false;
  float r7 = 0.0;
  int r8 = 0;
  for (int k9 = 0; k9 < I[1]; k9++) {
    int r10 = r4;
    float r11 = r5;
    if (!p2) { break; }
    float v15 = r11 * 0.5;
    float v16 = r11 * p1;
    float v17 = pt_sin_1(v16);
    float v18 = 0.10000000149011612 * v17;
    float v19 = v15 + v18;
    bool v20 = v19 < 0.25;
    if (v20) {
      float v21 = v19 * p1;
      r5 = v19;
      r6 = true;
      r7 = v21;
      r8 = r10;
      break;
    }
    int v23 = r10 + 1;
    r4 = v23;
    r5 = v19;
  }
  bool v24 = !r6;
  float v25 = mix(r7, r5, v24);
  int v26 = (v24 ? 9 : r8);
  result1 = v26;
  return v25;
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  vec4 v3 = texelFetch(x0, P, 0);
  vec4 v4 = texelFetch(x1, P, 0);
  ivec4 c6;
  vec4 c5 = own0_bend(v3, vec4(2.0), uvec4(1u), c6);
  uvec4 r9 = uvec4(0);
  vec4 r10 = vec4(0);
  ivec4 r11 = ivec4(0);
  for (int k12 = 0; k12 < 4; k12++) {
    int r13 = 0;
    bool r14 = false;
    float r15 = 0.0;
    int r16 = 0;
    float v23 = c5[k12];
    float v25 = v4[k12];
    for (int k17 = 0; k17 < 6; k17++) {
      int r18 = r13;
      float v22 = float(r18);
      float v24 = v23 + v22;
      bool v26 = v24 > v25;
      if (v26) {
        int c28;
        float c27 = own1_bend(v24, 3.0, true, c28);
        int v31 = c6[k12];
        int v32 = v31 + c28;
        r14 = true;
        r15 = c27;
        r16 = v32;
        break;
      }
      int v34 = r18 + 1;
      r13 = v34;
    }
    r9 = uvec4(r9.yzw, uint(r14));
    r10 = vec4(r10.yzw, r15);
    r11 = ivec4(r11.yzw, r16);
  }
  uvec4 v35 = r9 ^ 1u;
  vec4 v36 = mix(r10, c5, bvec4(v35));
  ivec4 v37 = pt_pick(bvec4(v35), c6, r11);
  y0 = v36;
  y1 = v37;
}
