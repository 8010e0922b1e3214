// map way
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
layout(location = 1) out uvec4 y1;
bool pt_is_nan_1(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
float pt_exp_1(float x) { return mix(exp(x), x, pt_is_nan_1(x)); }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[4], t >> I[5]), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[6] + P.x;
  int e2 = t1 * 4;
  ivec4 v3 = ivec4(I[0]);
  ivec4 v4 = ivec4(I[1]);
  ivec4 v5 = ivec4(I[2]);
  ivec4 v6 = ivec4(I[3]);
  vec4 v7 = vec4(F[0]);
  ivec4 i8 = e2 + ivec4(0, 1, 2, 3);
  ivec4 v9 = min(i8, v3 * v4 - 1);
  ivec4 v10 = v9 / v4;
  ivec4 v11 = v9 - v10 * v4;
  vec4 r12 = vec4(0);
  uvec4 r13 = uvec4(0);
  vec4 r14 = vec4(0);
  uvec4 r15 = uvec4(0);
  int v28 = v5[0];
  int v29 = v28 - 1;
  int v30 = v10[0];
  int v31 = min(max(v30, 0), v29);
  int v34 = v6[0];
  int v35 = v34 - 1;
  int v37 = v31 * v34;
  float v44 = v7[0];
  for (int k16 = 0; k16 < 4; k16++) {
    int r17 = 0;
    float r18 = 0.0;
    bool r19 = false;
    float r20 = 0.0;
    bool r21 = false;
    int v32 = v11[k16];
    for (int k22 = 0; k22 < I[7]; k22++) {
      int r23 = r17;
      float r24 = r18;
      int v33 = v32 + r23;
      int v36 = min(max(v33, 0), v35);
      int v38 = v37 + v36;
      ivec4 v39 = ivec4(v38);
      int i40 = v39.x;
      vec4 v41 = vec4(pt_at0(i40));
      float v42 = v41[0];
      float v43 = abs(v42);
      bool v45 = v43 > v44;
      if (v45) {
        bool v46 = r23 > 2;
        r18 = r24;
        r19 = true;
        r20 = r24;
        r21 = v46;
        break;
      }
      float v48 = 1.0 / (1.0 + pt_exp_1(-v42));
      float v49 = 0.5 * v48;
      float v50 = r24 + v49;
      int v51 = r23 + 1;
      r17 = v51;
      r18 = v50;
    }
    r12 = vec4(r12.yzw, r18);
    r13 = uvec4(r13.yzw, uint(r19));
    r14 = vec4(r14.yzw, r20);
    r15 = uvec4(r15.yzw, uint(r21));
  }
  uvec4 v52 = r13 ^ 1u;
  vec4 v53 = mix(r14, r12, bvec4(v52));
  uvec4 v54 = r13 & r15;
  y0 = v53;
  y1 = v54;
}
