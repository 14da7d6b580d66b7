'use strict';
// The latest decision: proposal, verdict, reason, and the next action.

const PLANNER = 'Ask for the next tool'; // as tree/picture.py names it
const SIGN_OF = { ok: '✓', refused: '⊘', bad: '✗', early: '■', asked: '?', open: '▸' };
const NAME_OF = { ok: 'succeeded', refused: 'refused', bad: 'failed', early: 'ended_early', asked: 'asked', open: 'still_runs' };

class NowView {
  // reveal(number): shows a decision in the list of all of them.
  constructor(model, clock, reveal) {
    Object.assign(this, { model, clock, reveal, open: new Set(), drawn: '', cards: new Map() });
    this.waiting = h('div', { class: 'waits' }); // live: what waits for the operator
    this.newest = h('div', { class: 'newest' });
    this.planner = h('p', { class: 'quiet planner', hidden: true });
    this.scroll = h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('now') }, this.waiting, this.planner, this.newest);
    this.newer = h('button', { type: 'button', class: 'newer', onclick: () => this.letGo() }, t('newer'));
    this.element = panel('now-panel', t('now'), this.newer, this.scroll);
    this.scroll.addEventListener('pointerleave', ({ pointerType }) => { if (pointerType === 'mouse' && !this.newest.contains(document.activeElement)) this.letGo(); });
    this.newest.addEventListener('focusout', ({ relatedTarget }) => { if (!this.newest.contains(relatedTarget) && !this.newest.matches(':hover')) this.letGo(); });
    this.letGo();
  }

  // A card that is pointed at, or that the keyboard is in, stays where it is while newer ones come above it.
  get read() { const of = (how) => this.newest.querySelector(`.decision:not(.end)${how}`); return of(':hover') || of(':focus-within'); }

  keep(card, top) {
    const moved = card ? card.getBoundingClientRect().top - top : 0;
    if (Math.abs(moved) < 1) return;
    this.newest.style.minHeight = `${this.scroll.scrollTop + moved + this.scroll.clientHeight}px`;
    this.scroll.scrollTop += moved;
    this.newer.style.visibility = 'visible';
  }

  // Back to the latest, once no older one is being read.
  letGo() {
    if (this.newer.style.visibility === 'visible') this.scroll.scrollTop = 0;
    this.drawn = '';
    this.newest.style.minHeight = '';
    this.newer.style.visibility = 'hidden';
  }

  // Live it is of now, whatever moment the other parts show: it is what can be acted on.
  show(shown) {
    const ts = this.model.live ? this.model.ended : shown;
    const { read } = this;
    const top = read && read.getBoundingClientRect().top;
    const planning = this.model.wordsOf(PLANNER, ts);
    setText(this.planner, planning && t('planner_chooses', planning));
    this.planner.hidden = !planning;
    const goal = this.model.goalAt(ts);
    const steps = goal ? this.model.stepsOf(goal).filter((step) => step.asked <= ts + 1e-6) : [];
    const newest = steps[steps.length - 1] || null;
    const refused = steps.findLast((step) => isRefused(step) && step !== newest) || null;
    const over = goal !== null && goal.story.over && goal.story.ended <= ts + 1e-6;
    const text = JSON.stringify([goal && [goal.number, goal.story.is_joined], over, goal && goal.story.answer, newest, refused, steps.length, Boolean(planning)]);
    const kept = text === this.drawn ? read : this.draw(read, goal, over, newest, refused, steps, planning);
    this.drawn = text;
    this.keep(kept, top);
  }

  // Returns the card that is read: it may be another element by now.
  draw(read, goal, over, newest, refused, steps, planning) {
    const before = this.cards;
    this.cards = new Map();
    const shown = [
      over ? this.end(goal) : null,
      newest ? this.card(before, newest, steps, goal, isRefused(newest) ? 'newest_refusal' : 'newest_decision') : null,
      newest || over || planning ? null : h('p', { class: 'empty' }, t(goal && goal.story.is_joined ? 'decided_before' : 'nothing_decided')),
      refused ? this.card(before, refused, steps, goal, 'latest_refusal') : null];
    const isShown = shown.includes(read);
    const kept = read && !isShown && this.cards.has(read.dataset.key) ? this.cards.get(read.dataset.key).element : read;
    arrange(this.newest, [...shown, kept]);
    if (read === kept && kept && !isShown) setText(kept.querySelector('.label span'), t('earlier_decision'));
    return kept;
  }

  // The same element as long as the decision is the same: what is being clicked is not taken away.
  card(before, step, steps, goal, label) {
    const [text, key] = [JSON.stringify(step), `${goal.number} ${step.number}`];
    const known = before.get(key);
    const card = known && known.text === text ? known : { text, ...this.decision(step) };
    this.cards.set(key, card);
    card.element.dataset.key = key;
    setText(card.label, t(label));
    if (card.after) setText(card.after, this.after(step, steps, goal));
    return card.element;
  }

  end(goal) {
    const { story } = goal;
    return h('article', { class: 'decision end' }, h('p', { class: 'label' }, endWord(story), ' ', moment(story.ended, this.model.began)), badge(goal), story.answer ? h('p', { class: 'ruling' }, story.answer) : null);
  }

  decision(step) {
    const tone = toneOf(step);
    const [label, after] = [h('span', {}), isRefused(step) ? h('span', {}) : null];
    const element = h('article', { class: `decision ${tone}` },
      h('p', { class: 'label' }, label, ' ', moment(step.asked, this.model.began)),
      h('h3', {}, h('i', { class: `sign ${tone}` }, SIGN_OF[tone]), breakable(callText(step.tool, step.arguments))),
      step.thought ? h('p', { class: 'thought' }, `“${step.thought}”`) : null,
      h('p', { class: 'ruling' }, ...rulingWords(step)),
      after ? h('p', { class: 'then' }, h('b', {}, t('then')), ' ', after) : null,
      isRefused(step) ? this.why(step) : h('button', { type: 'button', class: 'link', onclick: () => this.reveal(step.number) }, t('whole_decision')));
    return { element, label, after };
  }

  // What was done after a refusal: the next tool, or the goal's end.
  after(step, steps, goal) {
    const next = steps[steps.indexOf(step) + 1];
    if (next) return `${callText(next.tool, next.arguments)}: ${stepState(next)}`;
    return goal.story.over ? `${endWord(goal.story)}: ${t(goal.story.outcome)}` : t('nothing_since');
  }

  why(step) {
    const rows = whyRows(step);
    const box = h('details', { class: 'why', open: this.open.has(step.number) }, h('summary', {}, t('why_refused')),
      h('dl', {}, rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
      h('button', { type: 'button', class: 'link', onclick: () => this.reveal(step.number) }, t('whole_decision')));
    box.addEventListener('toggle', () => {
      if (box.open === this.open.has(step.number)) return; // drawn anew, as it was
      if (!box.open) { this.open.delete(step.number); return; }
      this.open.add(step.number);
      box.scrollIntoView({ block: 'nearest' });
    });
    return box;
  }
}

// A goal whose executive is gone, or silent, has no end yet.
function endWord({ outcome }) { return t(outcome === 'unfinished' ? 'goal_last_known' : 'goal_ended'); }

function isRefused(step) { return step.verdict === 'refused' || (step.ok === false && Boolean(step.guard)); }

function toneOf(step) { return isRefused(step) ? 'refused' : step.early || step.verdict === 'withdrawn' ? 'early' : step.ok === false ? 'bad' : step.verdict === 'asked' ? 'asked' : step.ok ? 'ok' : 'open'; }

// The meaning of the signs of decisions.
function signLegend() { return h('p', { class: 'legend' }, Object.entries(SIGN_OF).map(([tone, sign]) => h('span', {}, h('i', { class: `sign ${tone}` }, sign), t(NAME_OF[tone])))); }

function stepState(step) {
  if (isRefused(step)) return `${t('refused')}, ${step.reason}`;
  if (step.ended !== null) return step.result;
  return step.began === null ? t(step.verdict || 'undecided') : t('still_runs');
}

function rulingWords(step) {
  if (!isRefused(step)) return [h('b', {}, verdictWords(step)), step.began === null ? '' : ` · ${stepState(step)}`];
  return [h('b', {}, step.guard ? t('refused_by', step.guard) : t('refused')), ' ', step.reason];
}

// A tool that asked for approval and then began was allowed: by a human, or by a changed rule.
function verdictWords({ verdict, approval, began }) {
  const answer = approval && { approve: 'approved', edit: 'edited', reject: 'rejected' }[approval.action];
  if (verdict !== 'asked') return t(verdict === 'allowed' && answer ? answer : verdict || 'undecided');
  return t(answer || (began === null ? 'asked' : 'allowed'));
}

// The reading of the guard with its age, and the rule in the configuration; guard and reason are above.
function whyRows(step) {
  const seen = step.guards.find(([name]) => name === step.guard);
  const { reading, age_s: age, rule, values } = step.why;
  const named = Object.entries(values || {}).map(([name, value]) => `${name} = ${value}`).join(', ');
  const rules = Object.entries(rule || {}).map(([key, value]) => h('span', { class: 'rule' }, h('code', {}, key), ` = ${value}`));
  return [
    [t('reading'), named || (seen ? seen[1] : t('no_reading'))],
    [t('reading_age'), Number.isFinite(age) ? t('age_of', duration(age), t(`reading_${reading}`)) : t('age_own')],
    [t('rule'), rules.length ? rules : t('rule_built_in')],
  ];
}
