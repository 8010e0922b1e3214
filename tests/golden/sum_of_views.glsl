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
uniform int I[7];
layout(location = 0) out vec4 y0;
ivec4 pt_quotient4(ivec4 x, float r) { return ivec4((vec4(x) + 0.5) * r); }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  vec4 s3 = vec4(0.0);
  for (int k4 = 0; k4 < I[2]; k4++) {
    int q5 = k4 * I[3] + e2;
    ivec4 i6 = q5 + ivec4(0, 1, 2, 3);
    ivec4 i7 = pt_quotient4(i6, F[0]) + ((i6 / 3) & I[4]) * I[5] + i6 % 3 * I[6];
    vec4 v8 = vec4(pt_at0(i7.x), pt_at0(i7.y), pt_at0(i7.z), pt_at0(i7.w));
    s3 = s3 + v8;
  }
  y0 = s3;
}
