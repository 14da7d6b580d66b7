'use strict';
// The camera's picture. Dark ones are brightened for display, with a note.

class CameraView {
  constructor(model, clock) {
    Object.assign(this, { model, clock, index: -1, lifting: true, now: '' });
    this.image = h('img', { alt: '', onclick: () => this.enlarge(), onload: () => this.loaded(), onerror: () => this.loaded() });
    this.empty = h('p', { class: 'empty' }, t(model.live ? 'no_picture' : 'no_scored_picture'));
    this.caption = h('p', { class: 'caption', 'aria-live': 'polite' });
    this.over = h('div', { class: 'over', hidden: true, role: 'alert' });
    this.strip = h('div', { class: 'strip' });
    this.lift = h('input', { type: 'checkbox', checked: true, onchange: () => { this.lifting = this.lift.checked; this.redraw(); } });
    this.tools = h('div', { class: 'tools' }, h('label', { class: 'lift' }, this.lift, ' ', t('lift')), h('span', { class: 'strip-step' }, iconButton('previous', () => this.step(-1)), ' ', iconButton('next', () => this.step(1))), iconButton('enlarge', () => this.enlarge()));
    this.element = panel('camera-panel', t('camera'), this.tools, h('div', { class: 'screen' }, this.image, this.empty, this.over), this.caption, this.strip);
    this.isSeen = false;
    new IntersectionObserver(([seen]) => { this.isSeen = seen.isIntersecting; }).observe(this.element);
  }

  step(by) {
    const { pictures } = this.model.data;
    const index = Math.min(Math.max(this.index + by, 0), pictures.length - 1);
    if (pictures[index]) this.clock.show(pictures[index].ts);
  }

  // Shows a text over the picture, such as why it is old; empty: none. isNote: only at its foot.
  warn(words, isNote = false) {
    this.over.hidden = !words;
    this.over.classList.toggle('note', isNote);
    this.image.classList.toggle('old', Boolean(words));
    setText(this.over, words);
  }

  // Live: the current picture instead of the latest capture. One that arrives while another is
  // loading waits for it: a picture that is replaced during loading is never displayed.
  stream(src) {
    if (src && this.loading) { this.next = src; return; }
    this.next = '';
    if (src === this.now) return;
    this.now = src;
    this.redraw();
  }

  loaded() {
    this.loading = false;
    if (this.next) this.stream(this.next);
  }

  // Whether the robot has a camera: the embedded one, or one that has sent a picture.
  get isThere() { return Boolean(this.model.data.world.name || this.model.data.pictures.length || this.now); }

  // Whether it shows the current or latest picture of the camera.
  get isLive() { return Boolean(this.now && this.clock.follows); }

  show(ts) {
    const index = this.model.pictureAt(ts);
    const { follows } = this.clock;
    if (index === this.index && this.drawn === this.model.data.pictures.length && follows === this.followed) return;
    Object.assign(this, { index, followed: follows });
    this.redraw();
  }

  redraw() {
    this.element.hidden = !this.isThere;
    const { pictures } = this.model.data;
    const picture = pictures[this.index];
    const live = this.isLive;
    const src = live ? this.now : picture ? picture.src : '';
    this.image.hidden = !src;
    this.empty.hidden = Boolean(src);
    setText(this.empty, picture && picture.why ? picture.why : t(this.clock.follows ? 'no_picture' : 'no_scored_picture'));
    if (src) {
      if (this.image.getAttribute('src') !== src) { this.image.src = src; this.loading = true; }
      this.image.style.filter = !live && this.lifting && picture.lift > 1 ? `brightness(${picture.lift})` : '';
    }
    this.caption.replaceChildren(...(live ? [t('live_camera')] : picture ? this.words(picture) : []));
    this.image.alt = this.caption.textContent;
    this.drawStrip();
  }

  words(picture) {
    if (picture.words) return [h('b', {}, t('looked')), ` ${picture.words} · ${t('picture_n', this.index + 1, this.model.data.pictures.length)} · `, moment(picture.stamp, this.model.began)];
    const judged = picture.good === null ? t('not_judged') : picture.good ? t('good') : t('too_dark');
    const lifted = picture.lift > 1 ? ` · ${this.lifting ? t('lifted', picture.lift) : t('as_taken')}` : '';
    return [h('b', {}, `${t('score')} ${number(picture.score)}`), ` · ${judged} · ${t('picture_n', this.index + 1, this.model.data.pictures.length)} · `, moment(picture.stamp, this.model.began), h('span', { class: 'lifted' }, lifted)];
  }

  drawStrip() {
    const { pictures } = this.model.data;
    if (this.drawn !== pictures.length || this.drawnLift !== this.lifting) {
      this.drawn = pictures.length;
      this.drawnLift = this.lifting;
      const shown = pictures.map((picture, index) => [picture, index]).filter(([picture]) => picture.src).slice(-60);
      replaceChildren(this.strip, shown.map(([picture, index]) => {
        const image = h('img', { src: picture.src, alt: '', loading: 'lazy' });
        if (this.lifting && picture.lift > 1) image.style.filter = `brightness(${picture.lift})`;
        const button = h('button', { type: 'button', class: 'thumb', 'aria-label': t('picture_n', index + 1, pictures.length), onclick: () => this.clock.show(picture.ts) }, image, h('span', { class: `dot level-${level(picture.score)}` }, String(index + 1)));
        button.dataset.index = index;
        return button;
      }));
    }
    for (const button of this.strip.children) button.setAttribute('aria-current', String(Number(button.dataset.index) === this.index));
  }

  enlarge() {
    if (!this.image.hidden) showLarge(this);
  }
}

// A picture as large as the window; arrow keys go through the others. No modal dialog: that would
// put the stop out of reach.
function showLarge(camera) {
  const behind = document.getElementById('stage');
  const before = document.activeElement;
  const over = new AbortController();
  const image = h('img', { alt: '' });
  const caption = h('p', { class: 'caption' });
  const draw = () => {
    image.src = camera.image.src;
    image.alt = camera.image.alt;
    image.style.filter = camera.image.style.filter;
    setText(caption, camera.caption.textContent);
  };
  const go = (by) => {
    camera.step(by);
    camera.show(camera.clock.ts); // the other parts follow with the next frame
    draw();
  };
  const close = () => {
    over.abort();
    behind.inert = false;
    shade.remove();
    dialog.remove();
    before.focus({ preventScroll: true });
  };
  const button = (words, act) => h('button', { type: 'button', onclick: act }, words);
  const shade = h('div', { class: 'shade', onclick: close });
  const dialog = h('dialog', { class: 'large', 'aria-label': t('enlarge') },
    image, caption, h('div', { class: 'tools' }, button(`‹ ${t('previous')}`, () => go(-1)), button(`${t('next')} ›`, () => go(1)), button(t('close'), close)));
  const keys = { ArrowLeft: () => go(-1), ArrowRight: () => go(1), Escape: close };
  document.addEventListener('keydown', (event) => keys[event.key] && keys[event.key](), { signal: over.signal });
  behind.inert = true;
  document.body.append(shade, dialog);
  draw();
  dialog.show();
}
