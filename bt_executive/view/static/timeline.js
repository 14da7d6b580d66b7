'use strict';
// The time bar: a slider for all parts of the page, with lanes of events above it.

const LANE_PX = 18;
const LANE_NAME_PX = 132;
const MOST_LANES = 10;
const SLIDER_STEPS = 10000;

class TimelineView {
  constructor(model, clock) {
    Object.assign(this, { model, clock, drawnVersion: -1, drawnRange: '' });
    this.svg = s('svg', { class: 'lanes', role: 'img', 'aria-label': t('timeline') });
    this.cursor = s('line', { class: 'cursor', y1: 0 });
    this.svg.addEventListener('pointerdown', (event) => this.choose(event));
    this.svg.addEventListener('pointermove', (event) => event.buttons && this.choose(event));
    const span = h('select', { 'aria-label': t('span'), title: t('span'), onchange: () => this.clock.chooseSpan(Number(span.value) || span.value) }, SPANS.map((each) => h('option', { value: each, selected: each === clock.span }, Number.isFinite(each) ? duration(each).replace(/ 00 s$|\.0(?= s)/, '') : t(`span_${each}`))));
    this.element = foldable('timeline-panel', t('timeline'), h('div', { class: 'tools' }, span), h('div', { class: 'lanes-box' }, this.svg));
    new ResizeObserver(([{ contentRect }]) => { this.width = contentRect.width; if (this.isAsked) this.draw(); }).observe(this.svg);
    this.bar = this.makeBar();
  }

  makeBar() {
    this.play = iconButton('play', () => this.clock.play());
    this.slider = h('input', { type: 'range', class: 'time', min: 0, max: SLIDER_STEPS, step: 1, 'aria-label': t('time'), title: t('keys_help') });
    this.slider.addEventListener('input', () => {
      const [from, to] = this.clock.range;
      this.clock.show(from + (this.slider.value / SLIDER_STEPS) * (to - from));
    });
    this.slider.addEventListener('keydown', (event) => this.clock.key(event));
    this.at = h('output', { class: 'at' });
    this.said = h('span', { class: 'said' });
    this.speed = h('select', { 'aria-label': t('speed'), onchange: () => { this.clock.speed = Number(this.speed.value); } }, [1, 2, 4, 10, 30].map((each) => h('option', { value: each, selected: each === 4 }, `${each}×`)));
    this.liveButton = this.model.live ? h('button', { type: 'button', class: 'go-live', onclick: () => this.clock.follow() }, t('go_live')) : null;
    this.now = h('div', { class: 'row now' }, this.at, this.said);
    return h('section', { class: 'time-bar', 'aria-label': t('time') },
      h('div', { class: 'row' }, iconButton('previous_event', () => this.clock.stepEvent(-1)), this.play, iconButton('next_event', () => this.clock.stepEvent(1)), this.slider, this.speed, this.liveButton),
      this.now);
  }

  // Without a connection there is nothing live to follow.
  lose(isLost) { this.liveButton.disabled = isLost; }

  x(ts) {
    const [from, to] = this.range;
    return LANE_NAME_PX + ((ts - from) / (to - from)) * (this.width - LANE_NAME_PX - 8);
  }

  choose(event) {
    const share = (event.clientX - this.svg.getBoundingClientRect().left - LANE_NAME_PX) / (this.width - LANE_NAME_PX - 8);
    const [from, to] = this.range;
    this.clock.show(from + Math.min(Math.max(share, 0), 1) * (to - from));
  }

  draw() {
    if (!this.width) return;
    this.drawnVersion = this.model.version;
    this.range = this.clock.range;
    this.drawnRange = this.range.join();
    const goals = this.model.data.goals.filter((goal) => this.isIn(goal.story.began, this.model.endOf(goal)));
    const steps = goals.flatMap((goal) => this.model.stepsOf(goal).map((step) => ({ ...step, until: this.model.endOf(goal) }))).filter((step) => this.isIn(step.asked, step.ended === null ? step.until : step.ended));
    const lanes = [...new Set(steps.map((step) => step.tool))];
    const laneOf = (tool) => Math.min(lanes.indexOf(tool), MOST_LANES - 1) + 2;
    const shown = [t('goal'), t('mode'), ...(lanes.length > MOST_LANES ? [...lanes.slice(0, MOST_LANES - 1), '…'] : lanes)];
    const height = shown.length * LANE_PX + 22;
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${height}`);
    this.svg.setAttribute('height', height);
    this.cursor.setAttribute('y2', height - 18);
    replaceChildren(this.svg, this.axis(height), shown.map((name, row) => s('text', { class: 'lane', x: LANE_NAME_PX - 8, y: row * LANE_PX + 13, 'text-anchor': 'end' }, name.length > 19 ? `${name.slice(0, 18)}…` : name)),
      s('clipPath', { id: 'lanes-clip' }, s('rect', { x: LANE_NAME_PX - 1, y: 0, width: Math.max(this.width - LANE_NAME_PX, 1), height })),
      s('g', { 'clip-path': 'url(#lanes-clip)' }, goals.map((goal) => this.drawBar(goal.story.began, this.model.endOf(goal), 0, goal.story.over ? goal.story.outcome : 'running', goal.story.text)),
        this.modes(), steps.map((step) => this.step(step, laneOf(step.tool))), this.cursor));
    this.show(this.clock.ts);
  }

  isIn(began, ended) { return ended >= this.range[0] && began <= this.range[1]; }

  drawBar(began, ended, row, tone, title) {
    const x = this.x(began);
    return s('rect', { class: `bar ${tone}`, x, y: row * LANE_PX + 3, width: Math.max(this.x(ended) - x, 2), height: LANE_PX - 6, rx: 2 }, s('title', {}, title));
  }

  modes() {
    const { stages } = this.model.data;
    return stages.map(([ts, mode, cause], index) => [ts, stages[index + 1] ? stages[index + 1][0] : this.model.ended, mode, cause]).filter(([began, ended, mode]) => mode && this.isIn(began, ended))
      .map(([began, ended, mode, cause]) => this.drawBar(began, ended, 1, `mode-${mode.toLowerCase()}`, cause ? `${mode}: ${cause}` : mode));
  }

  step(step, row) {
    const title = `${step.tool}: ${step.verdict === 'refused' ? step.reason : step.result || t('still_runs')}`;
    if (step.began !== null) return this.drawBar(step.began, step.ended === null ? step.until : step.ended, row, step.ended === null && step.until >= this.model.ended ? 'running' : step.ok === null ? 'open' : step.early ? 'early' : step.ok ? 'ok' : 'bad', title);
    const [x, y] = [this.x(step.asked), row * LANE_PX + LANE_PX / 2];
    return step.verdict === 'refused' ? s('path', { class: 'cross', d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8` }, s('title', {}, title)) : null;
  }

  axis(height) {
    const [from, to] = this.range.map((ts) => ts - this.model.began);
    const step = roundStep(((to - from) * 80) / Math.max(this.width - LANE_NAME_PX, 80) || 1);
    const ticks = [];
    for (let at = Math.ceil(from / step - 1e-9) * step; at <= to; at += step) ticks.push(at);
    return ticks.map((at) => {
      const x = this.x(this.model.began + at);
      return s('g', { class: 'grid' }, s('line', { x1: x, x2: x, y1: 0, y2: height - 18 }), s('text', { x, y: height - 4, 'text-anchor': x > this.width - 24 ? 'end' : 'middle' }, clockText(at)));
    });
  }

  show(ts) {
    this.isAsked = true; // may be before it has a size
    if (!this.width) return;
    if (this.drawnVersion !== this.model.version || this.drawnRange !== this.clock.range.join()) { this.draw(); return; }
    const x = this.x(ts);
    this.cursor.setAttribute('x1', x);
    this.cursor.setAttribute('x2', x);
  }

  // The time bar, which is always in view.
  showBar(ts) {
    const { range } = this.clock;
    this.slider.value = Math.round(((ts - range[0]) / (range[1] - range[0])) * SLIDER_STEPS);
    const at = momentText(ts - this.model.began);
    this.slider.setAttribute('aria-valuetext', at);
    setText(this.at, this.model.live && !this.clock.follows ? t('held', at) : at);
    this.at.title = dayText(ts);
    const event = this.model.data.events[this.model.eventAt(ts)];
    setText(this.said, event ? `${momentText(event[0] - this.model.began)}: ${event[3]}` : '');
    this.said.title = event ? `${dayText(event[0])} ${event[3]}`.trim() : ''; // it may be cut off
    this.showPlaying(this.clock.playing);
    if (this.liveButton) this.liveButton.setAttribute('aria-pressed', String(this.clock.follows));
  }

  showPlaying(playing) {
    const name = playing ? 'pause_play' : 'play';
    if (this.playing === name) return;
    this.playing = name;
    this.play.replaceChildren(icon(name));
    this.play.setAttribute('aria-label', t(name));
  }
}

// The time of day; empty where the clock is that of a simulation.
