// map add
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
uniform float F[2];
uniform int I[8];
layout(location = 0) out vec4 y0;
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[2] + P.x;
  int i3 = pt_quotient(t1, F[1]);
  int i4 = i3 & 3;
  int i5 = pt_modulo(t1, I[3], F[1]) * I[4] + (i3 >> 2);
  vec4 v6 = vec4(pt_texel0(i5)[i4], pt_texel0(i5 + I[5])[i4], pt_texel0(i5 + I[6])[i4], pt_texel0(i5 + I[7])[i4]);
  vec4 v7 = v6 + vec4(F[0]);
  y0 = v7;
}
