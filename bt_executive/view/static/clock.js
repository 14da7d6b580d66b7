'use strict';
// The time that all parts of the page show. Live it follows the latest; choosing a time stops that.

const PLAY_FRAME_MS = 50;
const SPANS = ['all', 'goal', 600, 120, 30]; // s, or the whole run, or the goal of the moment
const LIVE_SPAN = 600;
const EPOCH_FROM_S = 1e9; // ROS seconds below it count from the start of a simulation

class StageClock {
  constructor(model) {
    this.model = model;
    this.listeners = [];
    this.ts = model.ended;
    this.follows = model.live;
    this.span = model.live ? LIVE_SPAN : 'all';
    this.from = model.began;
    this.timer = null;
    this.speed = 4;
  }

  listen(listener) { this.listeners.push(listener); }

  tell() { for (const listener of this.listeners) listener(this.ts); }

  chooseSpan(span) {
    this.span = span;
    this.tell();
  }

  // The interval that time bar, timeline and charts show: [from, to].
  get range() {
    const { began, ended } = this.model;
    if (this.span === 'goal') {
      const goal = this.model.goalAt(this.ts);
      return goal ? [goal.story.began, Math.max(this.model.endOf(goal), this.ts, goal.story.began + 1)] : [began, Math.max(ended, began + 1)];
    }
    if (this.span === 'all' || ended - began <= this.span) return [began, Math.max(ended, began + 1)];
    if (this.follows || this.ts > this.from + this.span) this.from = this.ts - this.span;
    if (this.ts < this.from) this.from = this.ts;
    this.from = Math.min(Math.max(this.from, began), ended - this.span);
    return [this.from, this.from + this.span];
  }

  // A time was chosen.
  show(ts) {
    this.follows = false;
    this.ts = Math.min(Math.max(ts, this.model.began), this.model.ended);
    this.tell();
  }

  follow() {
    this.stop();
    this.follows = this.model.live;
    this.ts = this.model.ended;
    this.tell();
  }

  // The run has continued.
  moved() {
    if (this.follows) this.ts = this.model.ended;
    this.tell();
  }

  get playing() { return this.timer !== null; }

  play() {
    if (this.playing) { this.stop(); this.tell(); return; }
    if (this.ts >= this.model.ended) this.ts = this.model.began;
    this.follows = false;
    let last = performance.now();
    this.timer = setInterval(() => {
      const now = performance.now();
      const ts = this.ts + ((now - last) / 1000) * this.speed;
      last = now;
      if (ts >= this.model.ended) this.stop();
      this.ts = Math.min(ts, this.model.ended);
      this.tell();
    }, PLAY_FRAME_MS);
    this.tell();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }

  stepTick(by) {
    const tree = this.model.treeAt(this.ts);
    if (!tree) return;
    this.stop();
    const index = Math.min(Math.max(tree.indexAt(this.ts) + by, 0), tree.moments.length - 1);
    this.show(tree.moments[index][0]);
  }

  stepEvent(by) {
    this.stop();
    const { events } = this.model.data;
    let index = this.model.eventAt(this.ts);
    const now = events[index] ? events[index][0] : this.model.began;
    while (events[index + by] && events[index + by][0] === now) index += by;
    const event = events[Math.min(Math.max(index + by, 0), events.length - 1)];
    if (event) this.show(event[0]);
  }

  key(event) {
    const acts = {
      ArrowLeft: () => this.stepTick(-1), ArrowRight: () => this.stepTick(1),
      PageUp: () => this.stepEvent(-1), PageDown: () => this.stepEvent(1),
      Home: () => this.show(this.model.began), End: () => (this.model.live ? this.follow() : this.show(this.model.ended)),
      ' ': () => this.play(),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }
}

function dayText(ts) { return ts < EPOCH_FROM_S ? '' : new Date(ts * 1000).toLocaleTimeString(Language.current); }

// Seconds of the run: the page's one clock.
function clockText(seconds) {
  if (Math.abs(seconds) < 600) return `${shortNumber(seconds)} s`;
  const two = (value) => String(value).padStart(2, '0');
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return whole < 3600 ? `${minutes}:${two(whole % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

// A moment on that clock, to a tenth of a second.
function momentText(seconds) { return Math.abs(seconds) < 600 ? `${number(seconds, 1)} s` : clockText(seconds); }

// The same as an element: the time of day when it is pointed at.
function moment(ts, began) { return h('time', { title: dayText(ts) }, momentText(ts - began)); }
