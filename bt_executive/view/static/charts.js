'use strict';
// Charts of measured values, by uPlot: score, battery, distance, cost. One cursor for all.

const CHART_PX = 120;

class ChartsView {
  constructor(model, clock) {
    Object.assign(this, { model, clock, charts: [], drawnVersion: -1, drawnRange: '' });
    this.box = h('div', { class: 'charts' });
    this.element = foldable('charts-panel', t('charts'), this.box);
    new ResizeObserver(() => this.resize()).observe(this.box);
    this.over = new AbortController();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.rebuild(), { signal: this.over.signal });
  }

  // [title, x, y, options] of each value that there is.
  series() {
    const { data } = this.model;
    const scored = data.pictures.filter((each) => Number.isFinite(each.score) && !each.words);
    const good = data.world.light ? data.world.light.good : null;
    const all = [
      ['chart_score', scored.map((each) => each.ts), scored.map((each) => each.score), { range: [0, 1], points: true, line: good }],
      ['chart_battery', ...this.held(data.charge.ts, data.charge.value), { least: 2 }],
      ['chart_distance', ...this.held(data.poses.ts, this.model.distance, data.poses.gap, this.model.poseAge || 0), { from: 0 }],
      data.cost.ts.length ? ['chart_cost', ...this.held(data.cost.ts, data.cost.value), { from: 0 }] : ['chart_tokens', ...this.held(data.tokens.ts, data.tokens.value), { from: 0 }],
    ];
    return all.filter(([key, x, y]) => x.length && y.some((each) => each || key === 'chart_score'));
  }

  // A live value is valid until now, or until its last reading, `age` seconds ago.
  held(ts, values, gaps, age = 0) { return stepped(ts, values, gaps || [], this.model.live ? this.model.ended - age : null); }

  close() {
    this.over.abort();
    for (const { plot } of this.charts) plot.destroy();
    this.charts = [];
  }

  rebuild() {
    const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    for (const { plot } of this.charts) plot.destroy();
    this.box.replaceChildren();
    this.charts = this.series().map(([key, x, y, options]) => {
      const holder = h('figure', { class: 'chart' }, h('figcaption', {}, t(key)));
      this.box.append(holder);
      return { key, plot: new uPlot(this.options(options, ink, holder), this.values(x, y), holder) };
    });
    this.drawnVersion = this.model.version;
  }

  values(x, y) { return [x.map((ts) => ts - this.model.began), [...y]]; }

  options(options, ink, holder) {
    const axis = { stroke: ink('--quiet'), grid: { stroke: ink('--line'), width: 1 }, ticks: { stroke: ink('--line'), width: 1 }, font: '12px system-ui', size: 34 };
    return {
      width: Math.max(holder.clientWidth, 120), height: CHART_PX, legend: { show: false }, cursor: { drag: { setScale: false }, points: { size: 7 } },
      scales: { x: { time: false, range: () => this.clock.range.map((ts) => ts - this.model.began) }, y: { range: (_, low, high) => yRange(options, low, high) } },
      axes: [{ ...axis, size: 26, values: (_, splits) => splits.map(clockText) }, { ...axis, size: 44 }],
      series: [{}, { stroke: ink('--run'), width: 2, paths: options.points ? () => null : undefined, points: { show: options.points || false, size: 7, fill: ink('--sheet') } }],
      hooks: {
        ready: [(plot) => plot.over.addEventListener('click', () => plot.cursor.left >= 0 && this.clock.show(this.model.began + plot.posToVal(plot.cursor.left, 'x')))],
        draw: [(plot) => { if (options.line !== null && options.line !== undefined) drawLevel(plot, 'y', options.line, ink('--good'), [6, 4]); drawLevel(plot, 'x', this.clock.ts - this.model.began, ink('--accent'), []); }],
      },
    };
  }

  resize() {
    const width = this.box.clientWidth;
    if (!width || !this.isAsked) return;
    if (!this.charts.length || this.drawnVersion !== this.model.version) this.rebuild();
    for (const { plot } of this.charts) plot.setSize({ width: Math.max(plot.root.parentElement.clientWidth, 120), height: CHART_PX });
  }

  update() {
    const series = this.series();
    if (series.map(([key]) => key).join() !== this.charts.map(({ key }) => key).join()) { this.rebuild(); return; }
    series.forEach(([, x, y], index) => this.charts[index].plot.setData(this.values(x, y)));
    this.drawnVersion = this.model.version;
  }

  show() {
    this.isAsked = true; // may be before it has a size
    if (!this.box.clientWidth) return;
    const range = this.clock.range.join();
    const moved = range !== this.drawnRange;
    this.drawnRange = range;
    if (this.drawnVersion !== this.model.version) this.update();
    else if (moved) for (const { plot } of this.charts) plot.setData(plot.data);
    else for (const { plot } of this.charts) plot.redraw(false, false);
  }
}

// The points to draw: a value is valid until the next one, a step; gaps are not
// drawn. A null says that a gap begins; gaps[i], that one ends at i and began at the point before.
function stepped(ts, values, gaps, until) {
  const [x, y] = [[], []];
  const add = (at, value) => { x.push(at); y.push(value); };
  values.forEach((value, index) => {
    const before = y.length ? y[y.length - 1] : null;
    if (before !== null) add(gaps[index] ? ts[index - 1] : ts[index], gaps[index] ? null : before);
    if (before !== value || gaps[index]) add(ts[index], value);
  });
  const last = y.length ? y[y.length - 1] : null;
  if (until !== null && last !== null && until > x[x.length - 1]) add(until, last);
  return [x, y];
}

function yRange({ range, from, least }, low, high) {
  if (range) return range;
  if (low === null) return [0, 1];
  const pad = Math.max((high - low) * 0.1, (least || 0) / 2, 1e-6);
  return [from === undefined ? low - pad : from, Math.max(high + pad, (from || 0) + 1e-3)];
}

// A straight line through a chart at a value of an axis.
function drawLevel(plot, axis, value, stroke, dashes) {
  const { ctx, bbox } = plot;
  const at = plot.valToPos(value, axis, true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.beginPath();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash(dashes.map((each) => each * devicePixelRatio));
  if (axis === 'x') { ctx.moveTo(at, bbox.top); ctx.lineTo(at, bbox.top + bbox.height); } else { ctx.moveTo(bbox.left, at); ctx.lineTo(bbox.left + bbox.width, at); }
  ctx.stroke();
  ctx.restore();
}
