'use strict';
// All parts of the page with one clock: choosing a time moves all of them.

const LATEST_FRAME_MS = 100;
const CALM_MS = 500; // between two drawings of what follows the run and takes half a frame, or is out of view

class Stage {
  constructor(root, data) {
    Object.assign(this, { root, model: new StageModel(data) });
    this.clock = new StageClock(this.model);
    this.over = new AbortController(); // ends what listens to the document
    document.addEventListener('keydown', (event) => this.key(event), { signal: this.over.signal });
    this.asked = false;
    this.clock.listen(() => this.showSoon());
  }

  // Ends: another stage replaces this one.
  close() {
    this.over.abort();
    clearTimeout(this.later);
    this.clock.stop();
    if (this.charts) this.charts.close();
  }

  // Makes the parts anew, in the language of now.
  build() {
    if (this.charts) this.charts.close();
    const { model, clock } = this;
    this.camera = new CameraView(model, clock);
    this.map = new MapView(model, clock, (number) => clock.show(model.data.pictures[number].ts));
    this.timeline = new TimelineView(model, clock);
    this.charts = new ChartsView(model, clock);
    this.tree = new TreeView(model);
    this.decisions = new DecisionsView(model, clock);
    this.head = new HeadView(model, clock, this.camera);
    this.details = new DetailsView(model);
    this.now = new NowView(model, clock, (number) => this.reveal(number));
    this.views = [this.head, this.map, this.camera, this.now, this.decisions, this.tree, this.details];
    this.calm = [this.timeline, this.charts, this.decisions];
    this.drawnAt = this.clock.follows ? performance.now() : -CALM_MS; // the first paint does not wait for them
    this.front = h('div', { class: 'front' }, this.top(), this.head.element, h('section', { class: 'cockpit', 'aria-label': t('cockpit') }, this.map.element, this.camera.element, this.now.element, this.heldNote()));
    this.parts = h('div', { class: 'parts' }, this.decisions.element, h('div', { class: 'aside' }, this.head.panel, this.tree.element), this.timeline.element, this.charts.element, this.details.element);
    replaceChildren(this.root, h('main', {}, this.front, this.parts), this.timeline.bar);
    this.show();
  }

  // Live, over map and camera: that they show another moment than now.
  heldNote() {
    this.heldWords = h('strong', {});
    const back = () => { this.clock.follow(); this.timeline.liveButton.focus({ preventScroll: true }); };
    this.held = h('section', { class: 'held-note', 'aria-label': t('back_to_live'), hidden: true }, this.heldWords, h('button', { type: 'button', onclick: back }, t('back_to_live')));
    return this.held;
  }

  showHeld() {
    const isHeld = this.model.live && !this.clock.follows;
    this.held.hidden = !isHeld;
    this.front.classList.toggle('is-held', isHeld);
    if (isHeld) setText(this.heldWords, t('held_note', momentText(this.clock.ts - this.model.began)));
  }

  // Opens a decision in the list of all of them.
  reveal(number) {
    this.decisions.element.open = true;
    this.decisions.reveal(number);
    this.decisions.element.scrollIntoView({ block: 'nearest' });
  }

  top() {
    const choice = (label, values, current, act) => {
      const select = h('select', { 'aria-label': label, onchange: () => act(select.value) }, values.map(([value, words]) => h('option', { value, selected: value === current }, words)));
      return select;
    };
    this.extras = this.extras || h('div', { class: 'extras' });
    return h('div', { class: 'top' }, h('span', { class: 'mark' }, 'bt_executive'), h('span', { class: 'run-name' }, this.model.data.name), this.made(), this.extras,
      h('div', { class: 'choices' }, choice(t('language'), [['en', 'English'], ['ja', '日本語']], Language.current, (code) => { Language.choose(code); this.build(); if (this.rebuilt) this.rebuilt(); }),
      choice(t('theme'), [['auto', t('auto')], ['light', t('light')], ['dark', t('dark')]], remembered('theme') || 'auto', (theme) => { chooseTheme(theme); this.charts.rebuild(); })));
  }

  // Of a report that was made while a goal was pursued: up to when it knows anything.
  made() {
    const { began, events, run } = this.model.data;
    if (run.made_at === null) return null;
    const [last] = events[events.length - 1];
    return h('strong', { class: 'made' }, t('made_meanwhile', momentText(run.made_at - began), momentText(last - began)));
  }

  // With the next frame; a hidden page has no frames, and is drawn a little later.
  showSoon() {
    if (this.asked) return;
    this.asked = true;
    const once = () => {
      if (!this.asked) return;
      this.asked = false;
      this.show();
    };
    requestAnimationFrame(once);
    setTimeout(once, LATEST_FRAME_MS);
  }

  show() {
    if (!this.views) return;
    this.timeline.showBar(this.clock.ts);
    this.showHeld();
    for (const view of this.views) if (!view.isCalm) view.show(this.clock.ts);
    if (!this.clock.follows) { this.showCalm(); return; }
    this.later ??= setTimeout(() => this.showCalm(), Math.max(this.drawnAt + CALM_MS - performance.now(), 0));
  }

  // A task of its own: what has just happened is painted before these are drawn.
  showCalm() {
    clearTimeout(this.later);
    this.later = null;
    this.drawnAt = performance.now();
    for (const view of this.calm) view.show(this.clock.ts);
  }

  patch(patch) {
    this.model.patch(patch);
    this.clock.moved();
  }

  // The keys of the time bar work wherever no other element uses them.
  key(event) {
    const busy = event.target.closest('input, textarea, select, dialog, [role=tree], .virtual, .map, button, summary');
    if (busy || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (['ArrowLeft', 'ArrowRight', ' '].includes(event.key)) this.clock.key(event);
  }
}

function chooseTheme(theme) {
  remember('theme', theme);
  if (theme === 'auto') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.setAttribute('data-theme', theme);
}

function chooseFromBrowser() {
  Language.choose(remembered('language') || (navigator.language || 'en').slice(0, 2));
  chooseTheme(remembered('theme') || 'auto');
}

// A link may name a moment: #t=12.5 is 12.5 s after the start.
function showMomentOfAddress(clock) {
  const seconds = Number(new URLSearchParams(location.hash.slice(1)).get('t') || NaN);
  if (Number.isFinite(seconds)) clock.show(clock.model.began + seconds);
}
