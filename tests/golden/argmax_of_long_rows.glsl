// reduce max
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
uniform int I[8];
layout(location = 0) out vec4 y0;
#define PT_INF uintBitsToFloat(0x7f800000u)
#define PT_NAN uintBitsToFloat(0x7fc00000u)
vec4 pt_maximum(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[2] + P.x;
  int e2 = t1 * 4;
  int o3 = e2 >> I[3];
  vec4 s4 = vec4(-PT_INF);
  for (int k5 = e2 & I[4]; k5 < I[5]; k5 += I[6]) {
    int q6 = o3 * I[7] + k5;
    vec4 v7 = pt_texel0(q6 >> 2);
    s4 = pt_maximum(s4, v7);
  }
  y0 = s4;
}

// reduce min
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
uniform int I[12];
layout(location = 0) out ivec4 y0;
#define PT_INF uintBitsToFloat(0x7f800000u)
#define PT_NAN uintBitsToFloat(0x7fc00000u)
vec4 pt_maximum(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
vec4 pt_pick(bvec4 c, vec4 a, vec4 b) { return mix(b, a, c); }
ivec4 pt_pick(bvec4 c, ivec4 a, ivec4 b) {
  return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
uvec4 pt_pick(bvec4 c, uvec4 a, uvec4 b) {
  return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[2], t >> I[3]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[4] + P.x;
  int e2 = t1 * 4;
  int o3 = e2 >> I[5];
  ivec4 s4 = ivec4(2147483647);
  vec4 r8 = vec4(-PT_INF);
  for (int k9 = 0; k9 < I[6]; k9 += 4) {
    int q10 = o3 * I[7] + k9;
    vec4 v11 = pt_texel1(q10 >> 2);
    r8 = pt_maximum(r8, v11);
  }
  r8 = pt_maximum(r8, r8.zwxy);
  r8 = pt_maximum(r8, r8.yxwz);
  for (int k5 = e2 & I[8]; k5 < I[9]; k5 += I[10]) {
    int q6 = o3 * I[11] + k5;
    vec4 v7 = pt_texel0(q6 >> 2);
    uvec4 v12 = uvec4(equal(v7, r8));
    uvec4 v13 = uvec4(pt_is_nan(v7));
    uvec4 v14 = v12 | v13;
    ivec4 i15 = k5 + ivec4(0, 1, 2, 3);
    ivec4 v16 = pt_pick(bvec4(v14), i15, ivec4(1024));
    s4 = min(s4, v16);
  }
  y0 = s4;
}

// reduce min
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform isampler2D x0;
uniform int I[4];
layout(location = 0) out ivec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  ivec4 r3 = ivec4(0);
  for (int k4 = 0; k4 < 4; k4++) {
    int o5 = e2 + k4;
    if (o5 >= I[1]) { break; }
    ivec4 s6 = ivec4(2147483647);
    for (int k7 = 0; k7 < I[2]; k7 += 4) {
      int i9 = (o5 * I[3] + k7) >> 2;
      ivec4 v10 = texelFetch(x0, ivec2(i9, 0), 0);
      s6 = min(s6, v10);
    }
    s6 = min(s6, s6.zwxy);
    s6 = min(s6, s6.yxwz);
    r3[k4] = s6.x;
  }
  y0 = r3;
}
