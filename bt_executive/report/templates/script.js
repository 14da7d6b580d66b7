'use strict';
// The tree through time. Everything is in the page: nothing is asked of the network.

const WORDS = { I: 'not reached', R: 'running', S: 'success', F: 'failure' };
const KEY_EVERY = 100; // moments between two whole states, so that going back is quick
const PLAY_MS = 350;

class TreeThroughTime {
  constructor(section) {
    const data = JSON.parse(section.querySelector('.moments').textContent);
    this.moments = data.moments;
    this.says = data.says;
    this.rows = [...section.querySelectorAll('.nodes li')];
    this.fields = [...section.querySelectorAll('.state tbody tr')];
    this.depths = this.rows.map((row) => [...row.classList].find((name) => name.startsWith('depth-')));
    this.section = section;
    this.slider = section.querySelector('.time');
    this.keys = this.wholeStates();
    this.timer = null;
    this.listen();
    this.show(this.moments.length - 1, false);
  }

  listen() {
    const on = (name, act) => this.section.querySelector(name).addEventListener('click', act);
    on('.back', () => this.step(-1));
    on('.next', () => this.step(1));
    on('.back-event', () => this.stepEvent(-1));
    on('.next-event', () => this.stepEvent(1));
    on('.play', () => this.play());
    on('.all', (event) => this.section.querySelector('.nodes').classList.toggle('whole', event.target.checked));
    this.slider.addEventListener('input', () => this.show(Number(this.slider.value)));
    this.section.querySelector('.controls').addEventListener('keydown', (event) => {
      const jump = { PageUp: -1, PageDown: 1 }[event.key];
      if (jump) { event.preventDefault(); this.stepEvent(jump); }
      if (event.key === ' ' && event.target === this.slider) { event.preventDefault(); this.play(); }
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step && event.target !== this.slider) { event.preventDefault(); this.step(step); }
    });
  }

  wholeStates() {
    const keys = [];
    const state = { status: Array(this.rows.length).fill('I'), words: Array(this.rows.length).fill(''), fields: Array(this.fields.length).fill('') };
    this.moments.forEach((moment, index) => {
      this.apply(state, moment);
      if (index % KEY_EVERY === 0) keys.push(copyOf(state));
    });
    return keys;
  }

  apply(state, [, , status, words, , fields]) {
    for (const [id, letter] of Object.entries(status)) state.status[id] = letter;
    for (const [id, text] of Object.entries(words)) state.words[id] = text;
    for (const [id, text] of Object.entries(fields)) state.fields[id] = text;
  }

  stateAt(index) {
    const key = Math.floor(index / KEY_EVERY);
    const state = copyOf(this.keys[key]);
    for (let each = key * KEY_EVERY + 1; each <= index; each += 1) this.apply(state, this.moments[each]);
    return state;
  }

  show(index, moveCursors = true) {
    this.index = Math.max(0, Math.min(index, this.moments.length - 1));
    this.slider.value = this.index;
    const [ts, mode, , , , changed] = this.moments[this.index];
    const { status, words, fields } = this.stateAt(this.index);
    this.rows.forEach((row, id) => {
      row.className = `${this.depths[id]} s-${status[id]}`;
      row.querySelector('.status').textContent = WORDS[status[id]];
      row.querySelector('.words').textContent = words[id];
    });
    this.fields.forEach((row, id) => {
      row.className = id in changed ? 'changed' : '';
      row.querySelector('td').textContent = fields[id];
    });
    const at = `${(ts - this.moments[0][0]).toFixed(2)} s`;
    this.slider.setAttribute('aria-valuetext', `${at}, mode ${mode}`);
    this.section.querySelector('.at').textContent = `${at} after the start (${this.index + 1} of ${this.moments.length})`;
    this.section.querySelector('.mode').textContent = mode;
    const said = this.says[this.saidBy(this.told(this.index))];
    this.section.querySelector('.said').textContent = said ? said[1] : '';
    if (moveCursors) placeCursors(ts);
  }

  // The number of the latest event of the trace at a moment.
  told(index) {
    return this.moments[index][4];
  }

  // Where in the sayings an event stands, or the latest one before it.
  saidBy(event) {
    let low = 0;
    let high = this.says.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.says[middle][0] <= event) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  showEvent(event) {
    const index = this.moments.findIndex((moment) => moment[4] >= event);
    this.show(index < 0 ? this.moments.length - 1 : index);
  }

  covers(event) {
    return event <= this.told(this.moments.length - 1);
  }

  step(by) {
    this.stop();
    this.show(this.index + by);
  }

  stepEvent(by) {
    this.stop();
    const now = this.told(this.index);
    let index = this.index;
    while (index > 0 && index < this.moments.length - 1 && this.told(index) === now) index += by;
    this.showEvent(this.told(index));
  }

  play() {
    if (this.timer !== null) { this.stop(); return; }
    if (this.index === this.moments.length - 1) this.show(0);
    this.timer = setInterval(() => {
      this.show(this.index + 1);
      if (this.index === this.moments.length - 1) this.stop();
    }, PLAY_MS);
    this.section.querySelector('.play').textContent = 'Pause';
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.section.querySelector('.play').textContent = 'Play';
  }
}

function copyOf({ status, words, fields }) {
  return { status: [...status], words: [...words], fields: [...fields] };
}

function placeCursors(ts) {
  for (const chart of document.querySelectorAll('svg.chart')) {
    const [began, ended, left, right] = ['began', 'ended', 'left', 'right'].map((name) => Number(chart.dataset[name]));
    const inside = ts >= began && ts <= ended;
    const x = inside ? left + ((ts - began) / (ended - began)) * (right - left) : -9;
    const cursor = chart.querySelector('.cursor');
    cursor.setAttribute('x1', x);
    cursor.setAttribute('x2', x);
  }
}

const trees = [...document.querySelectorAll('section.tree')].map((section) => new TreeThroughTime(section));

for (const button of document.querySelectorAll('button.jump')) {
  button.addEventListener('click', () => {
    const event = Number(button.dataset.event);
    const tree = trees.find((each) => each.covers(event)) || trees[trees.length - 1];
    if (!tree) return;
    tree.showEvent(event);
    tree.section.scrollIntoView();
    tree.slider.focus({ preventScroll: true });
  });
}
