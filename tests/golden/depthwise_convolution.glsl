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
uniform sampler2D x1;
uniform float F[9];
uniform int I[22];
layout(location = 0) out vec4 y0;
ivec4 pt_quotient4(ivec4 x, float r) { return ivec4((vec4(x) + 0.5) * r); }
ivec4 pt_modulo4(ivec4 x, int n, float r) { return x - pt_quotient4(x, r) * n; }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 3, t >> 2), 0); }
float pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[2] + P.x;
  int e2 = t1 * 4;
  vec4 s7 = vec4(0.0);
  for (int k8 = 0; k8 < 3; k8++) {
    for (int k9 = 0; k9 < 2; k9++) {
      int q10 = (k8 * 2 + k9) * I[3] + e2;
      ivec4 i11 = q10 + ivec4(0, 1, 2, 3);
      ivec4 i12 = pt_quotient4(i11, F[0]) * I[4] + (pt_quotient4(i11, F[1]) & 1) * I[5] + (pt_quotient4(i11, F[2]) & 1) * I[6] + pt_modulo4(pt_quotient4(i11, F[3]), I[7], F[4]) * I[8] + pt_modulo4(pt_quotient4(i11, F[5]), I[9], F[5]) * I[10] + pt_modulo4(i11, I[11], F[5]);
      ivec4 c13 = pt_quotient4(i12, F[6]);
      ivec4 c14 = pt_modulo4(pt_quotient4(i12, F[7]), I[12], F[8]) - 2;
      ivec4 c15 = pt_modulo4(pt_quotient4(i12, F[5]), I[13], F[8]);
      ivec4 c16 = pt_modulo4(i12, I[14], F[5]);
      ivec4 j17 = c13 * I[15] + c14 * I[16] + c15 * I[17] + c16;
      uvec4 m18 = uvec4(lessThan(uvec4(c14), uvec4(uint(I[18])))) & uvec4(lessThan(uvec4(c15), uvec4(uint(I[19]))));
      ivec4 j19 = j17 * ivec4(m18);
      vec4 v20 = vec4(pt_at0(j19.x), pt_at0(j19.y), pt_at0(j19.z), pt_at0(j19.w));
      vec4 v21 = mix(vec4(0.0), v20, bvec4(m18));
      ivec4 i22 = pt_quotient4(i11, F[1]) * I[20] + pt_modulo4(i11, I[21], F[5]);
      vec4 v23 = vec4(pt_at1(i22.x), pt_at1(i22.y), pt_at1(i22.z), pt_at1(i22.w));
      vec4 v24 = v21 * v23;
      s7 = s7 + v24;
    }
  }
  y0 = s7;
}
