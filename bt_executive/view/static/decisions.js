'use strict';
// Every requested tool, in order; each opens to the details of its decision.

const LONGEST_CLOSED = 140; // characters of a result in a row that is not open

class DecisionsView {
  constructor(model, clock) {
    Object.assign(this, { model, clock, open: new Set(), all: false, drawnVersion: -1, now: -1, filter: '' });
    this.list = new VirtualList(t('decisions'), (item) => this.row(item), (item) => this.sign(item));
    this.list.followsEnd = true;
    this.count = h('span', { class: 'quiet' });
    const search = h('input', { type: 'search', placeholder: t('filter'), 'aria-label': t('filter'), oninput: () => { this.filter = search.value.toLowerCase(); this.fill(); } });
    this.which = h('select', { 'aria-label': t('decisions'), onchange: () => { this.all = this.which.value === 'all'; this.fill(); } }, h('option', { value: 'decisions' }, t('decisions_only')), h('option', { value: 'all' }, t('all_events')));
    this.element = foldable('decisions-panel', t('decisions'), h('div', { class: 'tools' }, search, this.which, this.count), signLegend(), this.list.element);
    // Out of view it is drawn less often: measuring rows causes a layout of the page.
    new IntersectionObserver((entries) => { this.isCalm = !entries[entries.length - 1].isIntersecting; if (!this.isCalm) this.show(this.clock.ts); }).observe(this.element);
  }

  items() {
    const { data } = this.model;
    if (this.all) return data.events.map(([ts, kind, tool, message, ok], index) => ({ key: `e${index}`, ts, event: { kind, tool, message, ok } }));
    const items = [];
    for (const goal of data.goals) {
      items.push({ key: `g${goal.number}`, ts: goal.story.began, goal });
      for (const row of goal.story.rows) items.push({ key: `r${row.number}`, ts: row.tool === undefined ? row.ts : row.asked, [row.tool === undefined ? 'remark' : 'step']: row });
      if (goal.left_out) items.push({ key: `l${goal.number}`, ts: this.model.endOf(goal), note: t('more_rows', goal.left_out) });
    }
    return items;
  }

  // What a row shows, as text.
  sign(item) {
    const what = item.goal ? [item.goal.story.text, item.goal.story.over, item.goal.story.outcome] : [item.step, item.remark, item.event, item.note];
    return JSON.stringify([item.key, item.ts, this.list.items[this.now] === item, this.open.has(item.key), what]);
  }

  fill() {
    const items = this.items().filter((item) => !this.filter || JSON.stringify(item).toLowerCase().includes(this.filter));
    setText(this.count, items.length ? t('events_shown', items.length) : t('no_decisions'));
    this.list.set(items);
    this.drawnVersion = this.model.toldVersion;
    this.mark(this.clock.ts);
  }

  show(ts) {
    if (this.drawnVersion !== this.model.toldVersion) this.fill();
    else this.mark(ts);
  }

  mark(ts) {
    const index = this.list.items.findLastIndex((item) => item.ts <= ts + 1e-6);
    if (index === this.now) return;
    this.now = index;
    this.list.refresh();
    if (index >= 0 && !this.list.element.contains(document.activeElement)) this.list.showIndex(index);
  }

  // Opens a decision and shows its moment.
  reveal(number) {
    this.open.add(`r${number}`);
    const index = this.list.items.findIndex((item) => item.key === `r${number}`);
    this.list.refresh();
    if (index >= 0) this.list.showIndex(index);
  }

  row(item) {
    const current = this.list.items[this.now] === item;
    const time = h('button', { type: 'button', class: 'jump', title: dayText(item.ts), onclick: () => this.clock.show(item.ts) }, momentText(item.ts - this.model.began));
    const line = (name, ...children) => h('div', { class: `row-line ${name}`, 'aria-current': current ? 'time' : null }, time, ...children);
    if (item.goal) return line('goal-line', h('b', {}, item.goal.story.text), badge(item.goal));
    if (item.note) return line('quiet', item.note);
    if (item.event) return line(`event ${item.event.kind.toLowerCase()}`, h('span', { class: 'tone' }, item.event.kind), h('span', {}, item.event.message));
    if (item.remark) return line(`remark ${item.remark.tone}`, h('span', { class: 'tone' }, t(`tone_${item.remark.tone}`)), h('span', {}, item.remark.text));
    return this.step(item, line);
  }

  step(item, line) {
    const { step } = item;
    const open = this.open.has(item.key);
    const words = step.verdict === 'refused' ? step.reason : step.result || (step.began === null ? t(step.verdict || 'undecided') : t('still_runs'));
    const tone = toneOf(step);
    const toggle = h('button', { type: 'button', class: 'opener', 'aria-expanded': String(open), onclick: () => this.toggle(item) }, h('i', { class: `sign ${tone}` }, SIGN_OF[tone]), h('b', {}, callText(step.tool, step.arguments)), ' ', h('span', { class: 'words' }, open || words.length <= LONGEST_CLOSED ? words : `${words.slice(0, LONGEST_CLOSED)}…`));
    const head = line(`step ${tone}`, toggle);
    return open ? h('div', {}, head, this.details(step)) : head;
  }

  toggle(item) {
    if (!this.open.delete(item.key)) { this.open.add(item.key); this.clock.show(item.ts); }
    this.list.refresh();
    const again = [...this.list.rows.querySelectorAll('.opener')].find((each) => each.closest('[data-index]').dataset.index === String(this.list.items.indexOf(item)));
    if (again) again.focus();
  }

  // The details: proposal, verdict, guard, reason, approval, result.
  details(step) {
    const took = step.ended !== null && step.began !== null ? ` · ${t('took', duration(step.ended - step.began))}` : '';
    const result = step.began === null ? t(step.verdict === 'asked' ? 'asked' : 'not_run') : step.ended === null ? t('still_runs') : `${step.result}${took}`;
    const rows = [
      [t('proposal'), callText(step.tool, step.arguments), step.by ? t('asked_by', step.by) : '', step.thought ? `“${step.thought}”` : ''],
      [t('verdict'), t(step.verdict || 'undecided')],
      [t('guard'), step.guard || t('no_guard')],
      [t('reason'), step.reason || (step.verdict === 'allowed' ? t('no_reason') : (step.approval && step.approval.risk) || t('none'))],
      ...(isRefused(step) ? whyRows(step) : []).map(([name, value]) => [name, ...[value].flat()]),
      [t('approval'), ...approvalWords(step.approval)],
      [t('result'), result],
    ];
    const guards = step.guards.length ? h('details', {}, h('summary', {}, `${t('guards_read')} (${step.guards.length})`), h('dl', { class: 'guards' }, step.guards.map(([name, value]) => h('div', { class: name === step.guard ? 'refused' : '' }, h('dt', {}, name), h('dd', {}, value))))) : null;
    if (guards) guards.addEventListener('toggle', () => this.list.heights.fill(undefined));
    return h('div', { class: 'way' }, h('dl', {}, rows.map(([title, ...words]) => h('div', {}, h('dt', {}, title), h('dd', {}, words.filter(Boolean).map((each) => h('p', {}, each)))))), guards);
  }
}

function approvalWords(approval) {
  if (!approval) return [t('no_approval')];
  const action = { approve: t('approved'), edit: t('edited'), reject: t('rejected') }[approval.action] || t('unanswered');
  return [`${action}${approval.word ? `: ${approval.word}` : ''}`, approval.amounts_to ? `${t('amounts_to')} ${approval.amounts_to}` : '', approval.risk, approval.ruling];
}

function badge(goal) {
  const outcome = goal.story.over ? goal.story.outcome : goal.story.outcome === 'unfinished' ? 'running' : goal.story.outcome;
  return h('span', { class: `badge ${outcome}` }, t(outcome));
}
