// contract dot
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
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
layout(location = 2) out vec4 y2;
layout(location = 3) out vec4 y3;
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 31), (t >> 5)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int quad = (P.y >> 1) * 6 + (P.x >> 1);
  int n0 = (quad % 6) * 2 + (P.x & 1);
  int block = (quad / 6) * 2 + (P.y & 1);
  int m0 = (block & 7) * 4;
  int line = (block >> 3);
  vec4 s00 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s20 = vec4(0);
  vec4 s30 = vec4(0);
  int ax = (m0 >> 2);
  int ay = 0;
  int bt = n0;
  for (int k = 0; k < 16; k++) {
    int bk = bt + k * 48;
    vec4 t00 = texelFetch(x0, ivec2(ax, ay + k * 1), 0);
    vec4 t10 = texelFetch(x0, ivec2(ax + 8, ay + k * 1), 0);
    vec4 t20 = texelFetch(x0, ivec2(ax + 16, ay + k * 1), 0);
    vec4 t30 = texelFetch(x0, ivec2(ax + 24, ay + k * 1), 0);
    vec4 a0 = vec4(t00.x, t10.x, t20.x, t30.x);
    vec4 a1 = vec4(t00.y, t10.y, t20.y, t30.y);
    vec4 a2 = vec4(t00.z, t10.z, t20.z, t30.z);
    vec4 a3 = vec4(t00.w, t10.w, t20.w, t30.w);
    vec4 b00 = pt_texel1(bk);
    vec4 b10 = pt_texel1(bk + 12);
    vec4 b20 = pt_texel1(bk + 24);
    vec4 b30 = pt_texel1(bk + 36);
    s00 += a0.x * b00 + a0.y * b10 + a0.z * b20 + a0.w * b30;
    s10 += a1.x * b00 + a1.y * b10 + a1.z * b20 + a1.w * b30;
    s20 += a2.x * b00 + a2.y * b10 + a2.z * b20 + a2.w * b30;
    s30 += a3.x * b00 + a3.y * b10 + a3.z * b20 + a3.w * b30;
  }
  y0 = s00;
  y1 = s10;
  y2 = s20;
  y3 = s30;
}

// map dot
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform sampler2DArray x0;
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 32 + P.x;
  int i1 = (t / 12);
  int i2 = (t % 12);
  int i3 = (i1 >> 2);
  vec4 v4 = texelFetch(x0, ivec3(i2, i3, (i1 & 3)), 0);
  y0 = v4;
}
