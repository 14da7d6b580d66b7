'use strict';
// PageData with queries by time for the parts of the page. Patches of a live run extend it.

const JUMP_M = 1.0; // a step of the pose beyond this is no drive
const KEY_EVERY = 64; // moments of the tree between two that are kept whole

// Index of the last value that is not later than ts; -1 before the first.
function lastBefore(values, ts, of = (each) => each) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(values[middle]) <= ts) low = middle + 1; else high = middle;
  }
  return low - 1;
}

class StageModel {
  constructor(data) {
    this.data = data;
    this.version = 0; // rises with each change
    this.toldVersion = 0; // rises with each event
    this.prepare();
  }

  get began() { return this.data.began; }
  get ended() { return this.data.ended; }
  get live() { return this.data.live; }
  // The robot's time, also while nothing comes; a simulated one is known as far as it was sent.
  get now() { return this.ended < EPOCH_FROM_S ? this.ended : this.ended + (performance.now() - this.sentAt) / 1000; }
  // Whether goals that have not ended were pursued still when this was made.
  get goesOn() { return this.live || this.data.run.made_at !== null; }

  prepare() {
    this.sentAt = performance.now();
    this.trees = this.data.trees.map((tree) => new TreeThroughTime(tree));
    this.distance = [];
    this.corners = [[Infinity, Infinity], [-Infinity, -Infinity]]; // of the ground that was driven on
    this.extendDistance();
  }

  extendDistance() {
    const { x, y } = this.data.poses;
    for (let index = this.distance.length; index < x.length; index += 1) {
      const step = index ? Math.hypot(x[index] - x[index - 1], y[index] - y[index - 1]) : 0;
      this.corners = [[Math.min(this.corners[0][0], x[index]), Math.min(this.corners[0][1], y[index])], [Math.max(this.corners[1][0], x[index]), Math.max(this.corners[1][1], y[index])]];
      this.distance.push((this.distance[index - 1] || 0) + (step < JUMP_M ? step : 0));
    }
  }

  // Applies a patch: columns and lists grow, goals are replaced, the rest is new.
  patch(patch) {
    const { data } = this;
    for (const [name, columns] of Object.entries(patch.series || {})) {
      for (const [column, values] of Object.entries(columns)) data[name][column].push(...values);
    }
    for (const [name, values] of Object.entries(patch.lists || {})) data[name].push(...values);
    for (const goal of patch.goals || []) this.patchGoal(goal);
    for (const [number, nodes] of Object.entries(patch.nodes || {})) this.trees[number].plant(nodes);
    for (const [number, moments] of Object.entries(patch.moments || {})) this.trees[number].extend(moments);
    for (const tree of patch.trees || []) {
      data.trees.push(tree);
      this.trees.push(new TreeThroughTime(tree));
    }
    if (patch.world) data.world = patch.world;
    if (patch.ended !== undefined) { data.ended = patch.ended; this.sentAt = performance.now(); }
    this.extendDistance();
    this.version += 1;
    if ((patch.goals || []).length || ((patch.lists || {}).events || []).length) this.toldVersion += 1;
  }

  // A goal comes whole the first time, then with its rows from a number on.
  patchGoal({ number: at, trivial, from, story }) {
    const known = this.data.goals[at];
    const rows = known ? [...known.story.rows.slice(0, from), ...story.rows] : story.rows;
    this.data.goals[at] = { number: at, trivial, left_out: 0, story: { ...story, rows } };
    this.data.began = Math.min(this.data.began, story.began); // it may be older than the page
  }

  poseAt(ts) {
    const { poses } = this.data;
    const index = lastBefore(poses.ts, ts);
    const from = Math.max(index, 0);
    return poses.ts.length ? { index: from, x: poses.x[from], y: poses.y[from], yaw: poses.yaw[from] } : null;
  }

  pictureAt(ts) { return Math.max(lastBefore(this.data.pictures, ts, (each) => each.ts), this.data.pictures.length ? 0 : -1); }
  eventAt(ts) { return lastBefore(this.data.events, ts, (each) => each[0]); }
  planAt(ts) { return this.data.plans[lastBefore(this.data.plans, ts, (each) => each[0])]; }

  // The goal at a time: of those that had begun, the last one that had not ended, or else the one that ended last.
  // One that ended in the queue, or went before another, may have begun later than the one that goes on. What ends
  // all goals ends those in the queue after the active one, which is shown then.
  goalAt(ts) {
    const begun = this.data.goals.filter((goal) => goal.story.began <= ts);
    const endedWith = (goal, latest) => goal.story.began === goal.story.ended && goal.story.answer === latest.story.answer;
    const isLater = (goal, latest) => goal.story.ended >= latest.story.ended && !endedWith(goal, latest);
    const last = begun.reduce((latest, goal) => (!latest || isLater(goal, latest) ? goal : latest), null);
    return begun.findLast((goal) => !goal.story.over || goal.story.ended >= ts) || last;
  }

  treeAt(ts) { return this.trees.findLast((tree) => tree.began <= ts) || this.trees[0] || null; }
  stageAt(ts) { return this.data.stages[lastBefore(this.data.stages, ts, (each) => each[0])]; }
  modeAt(ts) { return (this.stageAt(ts) || [0, ''])[1]; }

  // The message of a behaviour that runs at a time; empty: it does not run.
  wordsOf(name, ts) {
    const tree = this.treeAt(ts);
    const id = tree ? tree.nodes.findIndex(([each]) => each === name) : -1;
    if (id < 0) return '';
    const { letters, words } = tree.stateAt(tree.indexAt(ts));
    return letters[id] === 'R' ? words[id] : '';
  }

  // Until a moment.
  picturesOf(goal, until = Infinity) {
    const { began } = goal.story;
    const ended = Math.min(this.endOf(goal), until);
    return this.data.pictures.filter((each) => each.ts >= began && each.ts <= ended);
  }

  bestPicture(goal, until) {
    return this.picturesOf(goal, until).filter((each) => each.src && !each.words).reduce((best, each) => (best && best.score >= each.score ? best : each), null);
  }

  // A goal as it was at a time, without its later end.
  goalUntil(goal, until) {
    const { story } = goal;
    return until === Infinity || (story.over && story.ended <= until) ? goal : { ...goal, story: { ...story, over: false, outcome: 'unfinished', answer: '', summary: {} } };
  }

  // A goal that is under way lasts until now.
  endOf(goal) { return goal.story.over || !this.goesOn ? goal.story.ended : this.ended; }

  stepsOf(goal) { return goal.story.rows.filter((row) => row.tool !== undefined); }

  chargeIn(began, ended) {
    const { ts, value } = this.data.charge;
    const measured = value.slice(Math.max(lastBefore(ts, began), 0), lastBefore(ts, ended) + 1).filter((each) => each !== null);
    return measured.length ? [measured[0], measured[measured.length - 1]] : null;
  }

  chargeAt(ts) {
    const value = this.data.charge.value[lastBefore(this.data.charge.ts, ts)];
    return value === undefined ? null : value;
  }

  distanceIn(began, ended) {
    const { ts } = this.data.poses;
    const last = lastBefore(ts, ended);
    return last < 0 ? 0 : this.distance[last] - (this.distance[lastBefore(ts, began)] || 0);
  }

  // Places that tools were asked to drive to until a moment: the last one that has not ended.
  targetAt(ts) {
    const goal = this.goalAt(ts);
    if (!goal) return null;
    const step = this.stepsOf(goal).findLast((each) => each.began !== null && each.began <= ts && (each.ended === null || each.ended > ts));
    const { x, y } = step ? step.arguments : {};
    return Number.isFinite(x) && Number.isFinite(y) ? { x, y } : null;
  }
}

// One tree: its nodes, and their letters and words at any moment.
class TreeThroughTime {
  constructor(tree) {
    this.nodes = tree.nodes;
    this.moments = [];
    this.fields = tree.fields;
    this.merged = tree.merged;
    this.state = { letters: this.nodes.map(() => 'I'), words: this.nodes.map(() => ''), fields: this.fields.map(() => '') };
    this.keys = [];
    this.extend(tree.moments);
  }

  get began() { return this.moments.length ? this.moments[0][0] : Infinity; }

  // Behaviours that were not there before: they are reached from now on alone.
  plant(nodes) {
    this.nodes.push(...nodes);
    for (const state of [this.state, ...this.keys]) {
      state.letters.push(...nodes.map(() => 'I'));
      state.words.push(...nodes.map(() => ''));
    }
  }

  extend(moments) {
    for (const moment of moments) {
      this.apply(this.state, moment);
      this.moments.push(moment);
      if ((this.moments.length - 1) % KEY_EVERY === 0) this.keys.push(copyOf(this.state));
    }
  }

  apply(state, [, letters, words, , fields]) {
    for (const id in letters) state.letters[id] = letters[id];
    for (const id in words) state.words[id] = words[id];
    for (const id in fields) state.fields[id] = fields[id];
  }

  indexAt(ts) { return Math.max(lastBefore(this.moments, ts, (each) => each[0]), 0); }

  stateAt(index) {
    if (index >= this.moments.length - 1) return copyOf(this.state);
    const key = Math.floor(index / KEY_EVERY);
    const state = copyOf(this.keys[key]);
    for (let each = key * KEY_EVERY + 1; each <= index; each += 1) this.apply(state, this.moments[each]);
    return state;
  }
}

function copyOf({ letters, words, fields }) {
  return { letters: [...letters], words: [...words], fields: [...fields] };
}
