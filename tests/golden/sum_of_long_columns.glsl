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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 127), (t >> 7)), 0); }
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
  int t = P.y * 128 + P.x;
  int e = t * 4;
  ivec4 o = ivec4((((e + ivec4(0, 1, 2, 3))) % 6));
  ivec4 part = (((e + ivec4(0, 1, 2, 3))) / 6);
  vec4 acc = vec4(0.0);
  for (int n = 0; n < 33; n++) {
    ivec4 k = n * 156 + part;
    ivec4 q = k * 6 + o;
    vec4 v1 = vec4(pt_at0(q.x), pt_at0(q.y), pt_at0(q.z), pt_at0(q.w));
    acc = acc + pt_pick(lessThan(k, ivec4(5000)), v1, vec4(0.0));
  }
  vec4 total = acc;
  y0 = total;
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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 127), (t >> 7)), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 2 + P.x;
  int e = t * 4;
  ivec4 o = e + ivec4(0, 1, 2, 3);
  vec4 acc = vec4(0.0);
  for (int k0 = 0; k0 < 156; k0++) {
    int k = k0;
    ivec4 q = k * 6 + o;
    vec4 v1 = vec4(pt_at0(q.x), pt_at0(q.y), pt_at0(q.z), pt_at0(q.w));
    acc = acc + v1;
  }
  vec4 total = acc;
  y0 = total;
}
