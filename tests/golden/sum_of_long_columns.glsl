// reduce sum
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
uniform float F[1];
uniform int I[8];
layout(location = 0) out vec4 y0;
ivec4 pt_quotient4(ivec4 x, float r) { return ivec4((vec4(x) + 0.5) * r); }
ivec4 pt_modulo4(ivec4 x, int n, float r) { return x - pt_quotient4(x, r) * n; }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[2] + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  ivec4 o4 = pt_modulo4(i3, I[3], F[0]);
  ivec4 p5 = pt_quotient4(i3, F[0]);
  vec4 s6 = vec4(0.0);
  for (int k7 = 0; k7 < I[4]; k7++) {
    ivec4 k8 = k7 * I[5] + p5;
    ivec4 q9 = k8 * I[6] + o4;
    vec4 v10 = vec4(pt_at0(q9.x), pt_at0(q9.y), pt_at0(q9.z), pt_at0(q9.w));
    s6 = s6 + mix(vec4(0.0), v10, lessThan(k8, ivec4(I[7])));
  }
  y0 = s6;
}

// reduce sum
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
uniform int I[4];
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 2 + P.x;
  int e2 = t1 * 4;
  ivec4 o3 = e2 + ivec4(0, 1, 2, 3);
  vec4 s4 = vec4(0.0);
  for (int k5 = 0; k5 < I[2]; k5++) {
    ivec4 q6 = k5 * I[3] + o3;
    vec4 v7 = vec4(pt_at0(q6.x), pt_at0(q6.y), pt_at0(q6.z), pt_at0(q6.w));
    s4 = s4 + v7;
  }
  y0 = s4;
}
