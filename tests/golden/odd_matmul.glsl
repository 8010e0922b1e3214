// map pad
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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 15), (t >> 4)), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }
vec4 pt_pick(bvec4 c, vec4 a, vec4 b) { return mix(b, a, c); }
ivec4 pt_pick(bvec4 c, ivec4 a, ivec4 b) {
  return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
uvec4 pt_pick(bvec4 c, uvec4 a, uvec4 b) {
  return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 6 + P.x;
  int e = t * 4;
  ivec4 i1 = e + ivec4(0, 1, 2, 3);
  ivec4 c2 = ivec4((i1 / 408));
  ivec4 c3 = ivec4((((i1 / 24)) % 17));
  ivec4 c4 = ivec4((i1 % 24));
  ivec4 j5 = c2 * 357 + c3 * 21 + c4;
  uvec4 m7 = uvec4(lessThan(uvec4(c4), uvec4(21u)));
  ivec4 j8 = j5 * ivec4(m7);
  vec4 v9 = vec4(pt_at0(j8.x), pt_at0(j8.y), pt_at0(j8.z), pt_at0(j8.w));
  vec4 v6 = pt_pick(bvec4(m7), v9, vec4(0.0));
  y0 = v6;
}

// map pad
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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 15), (t >> 4)), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }
vec4 pt_pick(bvec4 c, vec4 a, vec4 b) { return mix(b, a, c); }
ivec4 pt_pick(bvec4 c, ivec4 a, ivec4 b) {
  return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
uvec4 pt_pick(bvec4 c, uvec4 a, uvec4 b) {
  return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 16 + P.x;
  int e = t * 4;
  ivec4 i1 = e + ivec4(0, 1, 2, 3);
  ivec4 c2 = ivec4((i1 / 576));
  ivec4 c3 = ivec4((((i1 / 24)) % 24));
  ivec4 c4 = ivec4((i1 % 24));
  ivec4 j5 = c2 * 483 + c3 * 23 + c4;
  uvec4 m7 = uvec4(lessThan(uvec4(c3), uvec4(21u))) & uvec4(lessThan(uvec4(c4), uvec4(23u)));
  ivec4 j8 = j5 * ivec4(m7);
  vec4 v9 = vec4(pt_at0(j8.x), pt_at0(j8.y), pt_at0(j8.z), pt_at0(j8.w));
  vec4 v6 = pt_pick(bvec4(m7), v9, vec4(0.0));
  y0 = v6;
}

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
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 15), (t >> 4)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int quad = (P.y >> 1) * 3 + (P.x >> 1);
  int n0 = (quad % 3) * 2 + (P.x & 1);
  int line = (quad / 27);
  int block = (((quad / 3)) % 9);
  int m0 = block * 2 + 0 * 1 + (P.y & 1) * 1;
  vec4 s00 = vec4(0);
  int ay = m0;
  int bt = n0;
  for (int k = 0; k < 6; k++) {
    int bk = bt + k * 24;
    vec4 a0 = texelFetch(x0, ivec2(k, ay), 0);
    vec4 b00 = pt_texel1(bk);
    vec4 b10 = pt_texel1(bk + 6);
    vec4 b20 = pt_texel1(bk + 12);
    vec4 b30 = pt_texel1(bk + 18);
    s00 += a0.x * b00 + a0.y * b10 + a0.z * b20 + a0.w * b30;
  }
  y0 = s00;
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
  int t = P.y * 16 + P.x;
  int e = t * 4;
  ivec4 i1 = e + ivec4(0, 1, 2, 3);
  int i2 = ((i1.x) / 23);
  int i3 = ((((i1.x) % 23)) >> 2);
  int i4 = ((i1.y) / 23);
  int i5 = ((((i1.y) % 23)) >> 2);
  int i6 = ((i1.z) / 23);
  int i7 = ((((i1.z) % 23)) >> 2);
  int i8 = ((i1.w) / 23);
  int i9 = ((((i1.w) % 23)) >> 2);
  vec4 v10 = vec4(texelFetch(x0, ivec3((i3 >> 1) * 2 + (i3 & 1), ((i2 >> 1) * 1 + 0) * 2 + ((i2) & 1), 0), 0)[((i1.x) % 23) & 3], texelFetch(x0, ivec3((i5 >> 1) * 2 + (i5 & 1), ((i4 >> 1) * 1 + 0) * 2 + ((i4) & 1), 0), 0)[((i1.y) % 23) & 3], texelFetch(x0, ivec3((i7 >> 1) * 2 + (i7 & 1), ((i6 >> 1) * 1 + 0) * 2 + ((i6) & 1), 0), 0)[((i1.z) % 23) & 3], texelFetch(x0, ivec3((i9 >> 1) * 2 + (i9 & 1), ((i8 >> 1) * 1 + 0) * 2 + ((i8) & 1), 0), 0)[((i1.w) % 23) & 3]);
  y0 = v10;
}
