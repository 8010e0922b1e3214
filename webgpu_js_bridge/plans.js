/** @file Plans: sequences of dispatches with temporaries, decoded once, run by one call. */
/** @import { BoundGroup, Buffer, Draw, Make, Plan, Plans, Run } from "./types" */
import { DONATED, decodePlan } from "../webgl_js_bridge/plan_words.js";

/**
 * Bind groups kept for each draw. A loop whose result is its next argument alternates between two buffers, and
 * two such plans after each other between four.
 */
const KEPT_GROUPS = 4;

/** @type {Make<Plans, "gpu" | "commands" | "buffers" | "programs" | "reader" | "timer" | "backlog" | "failures">} */
export function createPlans({
  gpu,
  commands,
  buffers,
  programs,
  reader,
  timer,
  backlog,
  failures,
}) {
  /** @type {Map<number, Plan>} */
  const plans = new Map();
  let draws = 0;
  let groups = 0;
  let checking = false;
  let timing = false;

  /** @param {number} id @param {Int32Array} words @returns {Plan} */
  function decode(id, words) {
    const { minUniformBufferOffsetAlignment: alignment } = gpu.limits;
    let parameterBytes = 0;
    const { draws, ...plan } = decodePlan(
      id,
      words,
      (next) => buffers.shape(next()),
      (next) => ({ program: programs.get(next()), x: next(), y: next(), z: next() }),
    );
    const complete = draws.map((draw) => {
      const { program, inputs, targets, floats, ints, uints } = draw;
      const scalars = Int32Array.of(...floats, ...ints, ...uints);
      const wanted = "r".repeat(inputs.length) + "w".repeat(targets.length);
      if (program.kinds !== wanted + (scalars.length > 0 ? "u" : ""))
        throw new Error(
          `shader ${program.name} has the bindings ${program.kinds}; got ${inputs.length} inputs, ` +
            `${targets.length} outputs and ${scalars.length} scalars`,
        );
      const offset = parameterBytes;
      const size = Math.ceil(scalars.length / 4) * 16;
      parameterBytes += Math.ceil(size / alignment) * alignment;
      const bound = Int32Array.of(...inputs, ...targets);
      return { ...draw, scalars, bound, offset, size, kept: [], replaced: 0 };
    });
    return {
      ...plan,
      draws: complete,
      scalars: new Int32Array(parameterBytes / 4),
      parameters: null,
      batch: -1,
    };
  }

  /** Send the scalars of all draws to the GPU if one differs from the last run. @param {Plan} plan @param {Int32Array} words */
  function update(plan, words) {
    const { scalars } = plan;
    if (scalars.length === 0) return;
    let changed = false;
    for (let i = 0; i < plan.draws.length; i++) {
      const { scalars: places, offset } = plan.draws[i];
      const start = offset >> 2;
      for (let j = 0; j < places.length; j++) {
        const word = words[places[j]];
        if (scalars[start + j] !== word) {
          scalars[start + j] = word;
          changed = true;
        }
      }
    }
    if (plan.parameters === null) {
      const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
      plan.parameters = gpu.device.createBuffer({ size: scalars.byteLength, usage });
      changed = true;
    }
    if (!changed) return;
    // The buffer is written before work that is submitted later.
    if (plan.batch === commands.batch()) commands.flush();
    gpu.device.queue.writeBuffer(plan.parameters, 0, scalars);
  }

  /** @param {Draw} draw @param {GPUBuffer[]} bound @param {GPUBuffer | null} parameters */
  function createGroup({ program, offset, size }, bound, parameters) {
    groups += 1;
    /** @type {GPUBindGroupEntry[]} */
    const entries = bound.map((buffer, binding) => ({ binding, resource: { buffer } }));
    if (parameters !== null && size > 0)
      entries.push({ binding: bound.length, resource: { buffer: parameters, offset, size } });
    return gpu.device.createBindGroup({ layout: programs.group(program), entries });
  }

  /** Return the bind group of a draw's buffers in this run. @param {Draw} draw @param {Plan} plan */
  function groupOf(draw, { slots, parameters }) {
    const { bound, kept } = draw;
    next: for (let i = 0; i < kept.length; i++) {
      const { buffers: have } = kept[i];
      for (let j = 0; j < bound.length; j++)
        if (have[j] !== /** @type {Buffer} */ (slots[bound[j]]).buffer) continue next;
      return kept[i].group;
    }
    const have = Array.from(bound, (slot) => /** @type {Buffer} */ (slots[slot]).buffer);
    const group = createGroup(draw, have, parameters);
    kept[draw.replaced] = { buffers: have, group };
    draw.replaced = (draw.replaced + 1) % KEPT_GROUPS;
    return group;
  }

  /**
   * Open a buffer for an output, registered under the output's handle, or for a temporary.
   * @param {Plan} plan @param {number} slot @param {Int32Array} words @param {Run} run
   */
  function open({ leaves, named, shapes }, slot, words, run) {
    if (slot >= named) return buffers.take(shapes[slot]);
    const buffer = buffers.open(words[1 + slot], shapes[slot]);
    buffer.run = run;
    buffer.output = slot - leaves;
    return buffer;
  }

  /** Submit a draw in a pass of its own, and check or measure it. @param {Draw} draw @param {GPUBindGroup} group */
  function submitAlone({ program, x, y, z }, group) {
    const { device } = gpu;
    const { name } = program;
    const pipeline = programs.pipeline(program);
    const started = performance.now();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass(timing ? timer.pass(name) : undefined);
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(x, y, z);
    pass.end();
    commands.submit(encoder, (message) =>
      failures.cause(new Error(`shader ${name}: its dispatch failed; got ${message}`)),
    );
    if (timing) timer.submitted(name, started);
  }

  /** Encode and submit all draws of a plan. @param {Plan} plan @param {Int32Array} words @param {Run} run */
  function encode(plan, words, run) {
    const { slots, draws } = plan;
    const alone = checking || timing;
    for (let i = 0; i < draws.length; i++) {
      const draw = draws[i];
      const { program, targets, ends } = draw;
      for (let j = 0; j < targets.length; j++) {
        const target = targets[j];
        slots[target] ??= open(plan, target, words, run);
      }
      const group = groupOf(draw, plan);
      if (alone) submitAlone(draw, group);
      else {
        const pass = commands.pass();
        pass.setPipeline(program.pipeline ?? programs.pipeline(program));
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(draw.x, draw.y, draw.z);
        plan.batch = commands.batch();
        commands.dispatched();
      }
      for (let j = 0; j < ends.length; j++) {
        const word = words[1 + ends[j]];
        if (word < 0) {
          run.freed.push(-word);
          buffers.free(-word);
        }
      }
    }
    commands.planEnded();
  }

  /** Issue all draws of a plan, or undo those issued and throw. @param {Plan} plan @param {Int32Array} words */
  function issue(plan, words) {
    const { leaves, named, slots, wanted } = plan;
    /** @type {Run} */
    const run = { handles: words.slice(1 + leaves, 1 + named), wanted, isRead: false, freed: [] };
    try {
      for (let i = 0; i < leaves; i++) slots[i] = buffers.get(Math.abs(words[1 + i]));
      update(plan, words);
      encode(plan, words, run);
      // No draw writes an output without elements.
      for (let i = leaves; i < named; i++) slots[i] ??= open(plan, i, words, run);
      if (wanted.includes(true)) reader.readAhead(run);
    } catch (error) {
      for (let i = leaves; i < named; i++) if (slots[i] !== null) buffers.free(words[1 + i]);
      for (const handle of run.freed) buffers.lose(handle, DONATED);
      throw error;
    } finally {
      for (let i = named; i < slots.length; i++) {
        const temporary = slots[i];
        if (temporary !== null) buffers.release(temporary);
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

    /** Run a plan; return true if the caller should wait for `caughtUp` before the next one. */
    run(id, words) {
      const plan = get(id);
      if (words.length < plan.words)
        throw new Error(`plan ${id} takes ${plan.words} words; got ${words.length}`);
      failures.raise();
      const started = timing ? performance.now() : 0;
      issue(plan, words);
      draws += plan.draws.length;
      if (timing) {
        const result = plan.draws.at(-1)?.program.name ?? "no draw";
        timer.show("plans", `plan ${id}: ${result}`, started, performance.now());
      }
      backlog.add(plan);
      return backlog.isFull();
    },

    prepare: (id) => programs.prepare(get(id).draws),
    ready: (id) => programs.ready(get(id).draws),

    drop(id) {
      commands.flush();
      plans.get(id)?.parameters?.destroy();
      plans.delete(id);
    },

    checks(on) {
      checking = on;
    },

    profile(on) {
      timing = on;
    },

    /** Forget the lost device's objects. */
    clear() {
      for (const plan of plans.values()) {
        plan.parameters = null;
        for (const draw of plan.draws) Object.assign(draw, { kept: [], replaced: 0 });
      }
    },

    stats: () => ({ plans: plans.size, draws, bindGroups: groups }),
  };
}
