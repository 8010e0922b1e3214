// map take
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
uniform isampler2D x1;
layout(location = 0) out vec4 y0;
float pt_at(sampler2D x, int i) { return texelFetch(x, ivec2((i >> 2) & 2047, i >> 13), 0)[i & 3]; }
int pt_at(isampler2D x, int i) { return texelFetch(x, ivec2((i >> 2) & 2047, i >> 13), 0)[i & 3]; }
ivec4 pt_place(ivec4 i, int n) { return clamp(i + n * ivec4(lessThan(i, ivec4(0))), 0, n - 1); }
ivec4 pt_place(uvec4 i, int n) { return ivec4(min(i, uvec4(n - 1))); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int e = ((P.y << 11) | P.x) << 2;
  int i1 = (e >> 3);
  ivec4 v2 = ivec4(pt_at(x1, i1));
  int j3 = pt_place(v2, 9).x * 8 + (e & 7);
  vec4 v4 = texelFetch(x0, ivec2((j3 >> 2) & 2047, j3 >> 13), 0);
  y0 = v4;
}
