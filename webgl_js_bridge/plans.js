/** @file Plans: sequences of draws, decoded once from 32-bit words and then run with few GL calls. */
/** @import { Draw, Make, Plan, Plans, Program, Run, Scalars, Texture } from "./types" */

import { DONATED, decodePlan } from "./plan_words.js";

/**
 * Send a uniform array to the GPU if the scalars of this run differ from the last run.
 * @param {Scalars} scalars @param {Int32Array} places @param {Int32Array} words
 */
function update(scalars, places, words) {
  const have = scalars.words;
  // The compiler drops the elements after the last one used.
  const count = Math.min(places.length, have.length);
  let changed = false;
  for (let i = 0; i < count; i++) {
    const word = words[places[i]];
    changed ||= have[i] !== word;
    have[i] = word;
  }
  if (changed) scalars.send();
}

/**
 * Minimum time between two flushes. If a page computes for long in one task, the browser sends draws to the
 * GPU late, and the GPU would not run in parallel with Python. A flush takes a few microseconds, so not
 * every run ends with one.
 */
const FLUSH_MILLISECONDS = 0.2;
/**
 * Draws of a long plan after which the first are sent, so that the GPU begins while others are issued. Calls of
 * trained models of 25 to 160 draws took 9 to 20 % less than with one flush at the end. 4 draws gave the same, 16 and 32 less.
 */
const FLUSH_DRAWS = 8;

/**
 * Handle of a leaf and whether its texture is freed after its last read. A negative word marks the latter.
 * @param {number} word
 */
const leafOf = (word) => ({ handle: Math.abs(word), donated: word < 0 });

/** @type {Make<Plans, "gl" | "state" | "textures" | "programs" | "timer" | "backlog">} */
export function createPlans({ gl, state, textures, programs, timer, backlog }) {
  /** @type {Map<number, Plan>} */
  const plans = new Map();
  let draws = 0;
  let checking = false;
  let timing = false;
  let flushed = 0;
  const cover = () => gl.drawArrays(gl.TRIANGLES, 0, 3);

  /** @param {number} id @param {Int32Array} words @returns {Plan} */
  function decode(id, words) {
    /** @type {Omit<Plan, "ready">} */
    const plan = decodePlan(
      id,
      words,
      (next) => textures.shape(next(), next(), next(), next()),
      (next) => ({ program: programs.get(next()), width: next(), height: next() }),
    );
    for (const { program, inputs } of plan.draws)
      if (inputs.length > state.units)
        throw new Error(
          `shader ${program.name} reads ${inputs.length} inputs; at most ${state.units} here`,
        );
    return { ...plan, ready: false };
  }

  /** Throw if the last draw failed. @param {Program} program */
  function diagnose(program) {
    const status = gl.checkFramebufferStatus(gl.FRAMEBUFFER);
    const error = gl.getError();
    if (status === gl.FRAMEBUFFER_COMPLETE && error === gl.NO_ERROR) return;
    const codes = `error 0x${error.toString(16)}, framebuffer 0x${status.toString(16)}`;
    throw new Error(`shader ${program.name}: its draw failed; got ${codes}`);
  }

  /** Issue one draw. @param {Draw} draw @param {Plan["slots"]} slots @param {Int32Array} words */
  function execute(draw, slots, words) {
    const { program, targets, inputs, floats, ints, uints } = draw;
    state.use(program.linked);
    update(program.floats, floats, words);
    update(program.ints, ints, words);
    update(program.uints, uints, words);
    for (let i = 0; i < inputs.length; i++) {
      const input = /** @type {Texture} */ (slots[inputs[i]]);
      state.bind(i, input.target, input.texture);
    }
    state.into(
      targets.length === 1
        ? textures.framebuffer(/** @type {Texture} */ (slots[targets[0]]))
        : textures.joint(Array.from(targets, (slot) => /** @type {Texture} */ (slots[slot]))),
    );
    state.viewport(draw.width, draw.height);
    if (timing) timer.measure(program.name, cover);
    else cover();
    if (checking) diagnose(program);
  }

  /**
   * Return a texture for an output, registered under the output's handle, or for a temporary.
   * @param {Plan} plan @param {number} slot @param {Int32Array} words @param {Run} run
   */
  function open({ leaves, named, shapes }, slot, words, run) {
    if (slot >= named) return textures.take(shapes[slot]);
    const texture = textures.open(words[1 + slot], shapes[slot]);
    texture.run = run;
    texture.output = slot - leaves;
    return texture;
  }

  /** Issue all draws of a plan, or undo those issued and throw. @param {Plan} plan @param {Int32Array} words */
  function issue(plan, words) {
    const { leaves, named, slots, wanted } = plan;
    const run = { handles: words.slice(1 + leaves, 1 + named), wanted, isRead: false };
    /** @type {number[]} */
    const freed = [];
    try {
      for (let i = 0; i < leaves; i++) slots[i] = textures.get(leafOf(words[1 + i]).handle);
      for (const [number, draw] of plan.draws.entries()) {
        if (number % FLUSH_DRAWS === FLUSH_DRAWS - 1) gl.flush();
        for (const target of draw.targets) slots[target] ??= open(plan, target, words, run);
        execute(draw, slots, words);
        for (const leaf of draw.ends) {
          const { handle, donated } = leafOf(words[1 + leaf]);
          if (!donated) continue;
          // Without its donated leaves a plan cannot be tried again.
          textures.verify(true);
          textures.free(handle);
          freed.push(handle);
        }
      }
      // No draw writes an output without elements.
      for (let i = leaves; i < named; i++) slots[i] ??= open(plan, i, words, run);
      textures.verify();
    } catch (error) {
      for (let i = leaves; i < named; i++) if (slots[i] !== null) textures.free(words[1 + i]);
      for (const handle of freed) textures.lose(handle, DONATED);
      throw error;
    } finally {
      for (let i = named; i < slots.length; i++) {
        const temporary = slots[i];
        if (temporary !== null) textures.release(temporary);
      }
      slots.fill(null);
    }
  }

  /** @param {number} id */
  function get(id) {
    const plan = plans.get(id);
    if (plan === undefined) throw new Error(`no plan ${id}`);
    return plan;
  }

  return {
    register(id, words) {
      if (plans.has(id)) throw new Error(`plan ${id} exists already`);
      plans.set(id, decode(id, words));
    },

    run(id, words) {
      const plan = get(id);
      if (words.length < plan.words)
        throw new Error(`plan ${id} takes ${plan.words} words; got ${words.length}`);
      if (!plan.ready) programs.prepare(plan.draws);
      plan.ready = true;
      const started = timing ? performance.now() : 0;
      if (backlog.isFull()) {
        state.finish();
        backlog.drained();
      }
      backlog.add(plan);
      textures.attempt(() => issue(plan, words));
      draws += plan.draws.length;
      const now = performance.now();
      if (timing) {
        const result = plan.draws.at(-1)?.program.name ?? "no draw";
        timer.show("plans", `plan ${id}: ${result}`, started, now);
      }
      if (now - flushed > FLUSH_MILLISECONDS) {
        gl.flush();
        flushed = now;
      }
    },

    ready: (id) => programs.ready(get(id).draws),
    drop: (id) => void plans.delete(id),

    checks(on) {
      checking = on;
    },

    profile(on) {
      timing = on;
    },

    /** Compile all programs again before their next use: the lost context took them. */
    clear() {
      for (const plan of plans.values()) plan.ready = false;
    },

    stats: () => ({ plans: plans.size, draws }),
  };
}
