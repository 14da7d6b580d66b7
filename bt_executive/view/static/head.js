'use strict';
// The goals of the run; and of the chosen one a line with mode, outcome and figures, which opens to its
// answer and its best picture.

const BRIEF = 2; // figures beside the goal: for how long, how far

class HeadView {
  constructor(model, clock, camera) {
    Object.assign(this, { model, clock, camera, chosen: null, drawnVersion: -1, texts: {} });
    this.list = h('nav', { class: 'goals', 'aria-label': t('goals') });
    this.panel = foldable('goals-panel', t('goals'), this.list);
    this.mode = h('span', { class: 'mode' });
    this.words = h('h1', {});
    this.badge = h('span', { class: 'outcome' });
    this.brief = h('dl', { class: 'figures brief' });
    this.about = h('div', { class: 'about' });
    this.element = h('details', { class: 'head-goal', open: !model.live }, h('summary', {}, this.mode, this.badge, this.words, this.brief), this.about);
  }

  // The goal that is shown: the chosen one, or that of the moment, as in the card of the newest decision.
  current(ts) {
    const { goals } = this.model.data;
    if (this.chosen !== null && goals[this.chosen]) return goals[this.chosen];
    return this.model.goalAt(ts) || (this.model.live ? null : goals[0]) || null;
  }

  // The time up to which a goal is shown: on a live page, that of the mode beside it. A report shows whole goals.
  get until() { return this.model.live && !this.clock.follows ? this.clock.ts : Infinity; }

  choose(goal) {
    this.chosen = goal.number;
    this.clock.show(this.model.endOf(goal));
    this.draw(this.clock.ts);
  }

  show(ts) {
    const at = this.model.goalAt(ts);
    if (this.chosen !== null && at && at.number !== this.chosen) this.chosen = null;
    this.showMode(this.isLost && this.clock.follows ? '' : this.model.modeAt(ts));
    const goal = this.current(ts);
    if (this.drawnVersion !== this.model.version || this.drawnUntil !== this.until || goal !== this.shown) this.draw(ts);
  }

  // Without a connection the current mode is unknown.
  lose(isLost) {
    this.isLost = isLost;
    this.show(this.clock.ts);
  }

  showMode(mode) {
    setText(this.mode, mode || t('no_mode'));
    this.mode.className = `mode mode-${mode.toLowerCase()}`;
  }

  // Each part is replaced only when it changes, so that an element being clicked stays.
  draw(ts) {
    this.drawnVersion = this.model.version;
    this.drawnUntil = this.until;
    this.shown = this.current(ts);
    const { goals } = this.model.data;
    const { shown, until } = this;
    const known = shown && this.model.goalUntil(shown, until);
    const best = goals.map((goal) => (goal.trivial ? null : this.model.bestPicture(goal)));
    const signs = goals.map((goal, index) => [goal.trivial, goal.story.text, goal.story.over, goal.story.outcome, best[index] && best[index].src]);
    if (this.isNew('list', [signs, shown && shown.number, this.camera.lifting])) this.drawList(best);
    const pictured = shown && !shown.trivial ? this.model.bestPicture(shown, until) : null;
    if (shown && this.isNew('about', [shown.number, known.story.text, known.story.over, known.story.outcome, known.story.answer, pictured && pictured.src, this.camera.lifting])) this.drawGoal(known, pictured);
    if (!shown && this.isNew('about', null)) this.drawNone();
    if (shown) this.showFigures(known, until);
  }

  drawGoal(goal, best) {
    setText(this.words, goal.story.text);
    this.words.title = goal.story.text;
    replaceChildren(this.badge, badge(goal));
    replaceChildren(this.about, this.answer(goal, best));
  }

  drawNone() {
    setText(this.words, t('no_goal'));
    replaceChildren(this.badge);
    replaceChildren(this.brief);
    replaceChildren(this.about, this.model.live ? h('p', { class: 'quiet' }, t('no_goal_hint')) : null);
  }

  isNew(part, value) {
    const text = JSON.stringify(value);
    if (this.texts[part] === text) return false;
    this.texts[part] = text;
    return true;
  }

  drawList(best) {
    const { goals } = this.model.data;
    this.panel.hidden = goals.length < 2;
    const telling = goals.filter((goal) => !goal.trivial);
    const trivial = goals.filter((goal) => goal.trivial);
    const wasOpen = this.fold && this.fold.open;
    const wasAt = this.list.children.length ? this.list.scrollTop : 0; // asking an empty one would lay out the page
    const entry = (goal) => this.entry(goal, best[goal.number]);
    const inOrder = (some) => (this.model.live ? some.map(entry).reverse() : some.map(entry)); // live, the newest first
    this.fold = trivial.length ? h('details', { open: wasOpen || false }, h('summary', {}, t(trivial.length === 1 ? 'other_goal' : 'other_goals', trivial.length)), inOrder(trivial)) : null;
    replaceChildren(this.list, inOrder(telling), this.fold);
    if (wasAt) this.list.scrollTop = wasAt;
    this.showEntry();
  }

  // Brings the goal that is shown into view, in the list alone.
  showEntry() {
    const entry = this.list.querySelector('[aria-current=true]');
    if (!entry || !this.list.clientHeight) return;
    const [top, bottom] = [entry.offsetTop - this.list.offsetTop, entry.offsetTop - this.list.offsetTop + entry.offsetHeight];
    if (top < this.list.scrollTop || bottom > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = bottom - this.list.clientHeight;
  }

  entry(goal, best) {
    const took = goal.story.over ? duration(this.model.endOf(goal) - goal.story.began) : '';
    return h('button', { type: 'button', class: 'goal-entry', 'aria-current': String(goal === this.shown), onclick: () => this.choose(goal) },
      best ? lifted(best, this.camera.lifting) : null, h('span', { class: 'text' }, goal.story.text), badge(goal), h('span', { class: 'quiet' }, took));
  }

  answer({ story }, best) {
    const show = () => { this.clock.show(best.ts); this.camera.enlarge(); };
    this.numbers = h('dl', { class: 'figures' });
    return [h('div', {}, story.answer ? h('blockquote', { tabindex: 0 }, story.answer.split('\n').map((line) => h('p', {}, line))) : null, this.numbers),
      best ? h('figure', { class: 'best' }, h('button', { type: 'button', onclick: show, 'aria-label': t('enlarge') }, lifted(best, this.camera.lifting)), h('figcaption', {}, `${t('best_picture')} · ${t('score')} ${number(best.score)}`, best.lift > 1 && this.camera.lifting ? h('span', { class: 'lifted' }, ` · ${t('lifted', best.lift)}`) : null)) : null];
  }

  showFigures(goal, until) {
    const figures = this.figures(goal, until);
    if (!this.isNew('figures', [goal.number, figures]) && this.numbers.children.length) return;
    const rows = (some) => some.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)));
    replaceChildren(this.numbers, rows(figures));
    replaceChildren(this.brief, rows(figures.slice(0, BRIEF)));
  }

  figures(goal, until) {
    const { story } = goal;
    const ended = Math.max(Math.min(this.model.endOf(goal), until), story.began);
    const steps = this.model.stepsOf(goal).filter((step) => step.asked <= until);
    const scores = steps.filter((step) => step.score !== null && step.ended <= until).map((step) => step.score);
    const charge = this.model.chargeIn(story.began, ended);
    const { summary } = story;
    const model = summary.model || {};
    const distance = Number.isFinite(summary.distance_m) ? summary.distance_m : this.model.distanceIn(story.began, ended);
    const tokens = (model.input_tokens || 0) + (model.output_tokens || 0);
    const figures = [
      [t('duration'), duration(ended - story.began)], [t('distance'), `${number(distance)} m`],
      [t('score'), scores.length ? t('score_change', number(scores[0]), number(scores[scores.length - 1]), number(Math.max(...scores))) : '–'],
      [t('battery'), charge ? `${number(charge[0], 1)} → ${number(charge[1], 1)} %` : '–'],
      [t('tools'), `${summary.steps ?? steps.length} (${t('refused_count')} ${summary.refusals ?? steps.filter((step) => step.verdict === 'refused').length})`],
      model.calls ? [t('calls'), String(model.calls)] : null, tokens ? [t('tokens_used'), tokens.toLocaleString('en')] : null, model.cost_usd ? [t('cost'), `${number(model.cost_usd, 4)} USD`] : null,
    ];
    return figures.filter(Boolean);
  }
}

function lifted(picture, lifting) {
  const image = h('img', { src: picture.src, onerror: () => { image.hidden = true; }, alt: `${t('score')} ${number(picture.score)}` });
  if (lifting && picture.lift > 1) image.style.filter = `brightness(${picture.lift})`;
  return image;
}
