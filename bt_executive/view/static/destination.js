'use strict';
// A chosen destination: path, length, time and objections, before the goal is sent.

class Destination {
  // answered(answer): shows the result of a request. wanted: the destination of the previous page.
  constructor(server, map, answered, wanted = null) {
    Object.assign(this, { server, map, answered, wanted, desk: null, made: {} });
    this.element = h('section', { class: 'destination', 'aria-label': t('destination'), 'aria-live': 'polite', hidden: true });
    map.letPoint((x, y, name, byKey) => this.choose(x, y, name, byKey));
    map.svg.after(this.element);
    this.element.addEventListener('keydown', (event) => { if (event.key === 'Escape') this.leave(); });
    if (this.wanted) map.setWanted({ ...this.wanted, points: (this.wanted.path || {}).points || [] });
  }

  // byKey: chosen with the keyboard; the focus moves to its title.
  async choose(x, y, name = '', byKey = false) {
    const planned = this.plan({ x: Number(x.toFixed(2)), y: Number(y.toFixed(2)), name });
    if (byKey) this.element.querySelector('.place-title').focus();
    await planned;
  }

  // acts: whether the operator requested it.
  async plan({ x, y, name }, acts = true) {
    const wanted = { x, y, name, id: crypto.randomUUID(), path: null };
    this.wanted = wanted;
    this.map.setWanted({ ...wanted, points: [] });
    this.draw();
    const answer = await this.server.ask({ id: wanted.id, do: 'path', text: `${x} ${y}` }, acts);
    if (answer.ok || this.wanted !== wanted) return;
    wanted.path = { reason: answer.text };
    this.draw();
  }

  // The state for the page of a restarted server: the place without its path.
  get place() { return this.wanted && { x: this.wanted.x, y: this.wanted.y, name: this.wanted.name, path: null }; }

  close() {
    this.wanted = null;
    this.map.setWanted(null);
    this.draw();
  }

  // Back to the map.
  leave() {
    this.close();
    this.map.svg.focus();
  }

  // Whether nothing of this moment is known.
  lose(isLost) {
    this.isLost = isLost;
    this.draw();
  }

  show(desk, readOnly) {
    const isFree = Boolean(this.desk && this.desk.queue.length && !desk.queue.length);
    Object.assign(this, { desk, readOnly });
    this.map.setFound(desk.found);
    if (!this.wanted) return;
    const isHandedOver = this.wanted.id === undefined && desk.presence === 'ready';
    if (isFree || isHandedOver) this.plan(this.wanted, false); // from where the robot stands now
    const { path } = desk;
    if (path && path.key === this.wanted.id && this.wanted.path === null) {
      this.wanted.path = path;
      this.wanted.why = desk.why_long;
      this.map.setWanted({ ...this.wanted, points: path.points });
    }
    this.draw();
  }

  draw() {
    const { wanted, desk } = this;
    const text = JSON.stringify([wanted, this.straight(), desk && [desk.against, desk.holds, desk.queue.length, desk.presence], this.readOnly, this.isLost]);
    if (text === this.drawn) return;
    this.drawn = text;
    this.element.hidden = !wanted;
    const held = this.element.contains(document.activeElement) ? document.activeElement.className : '';
    arrange(this.element, wanted ? this.parts(wanted) : []);
    const again = held && this.element.querySelector(`.${held}, .place-title`);
    if (again) again.focus();
  }

  // The same element as long as it is made of the same: a click that has begun on it ends there.
  kept(part, of, make) {
    const text = JSON.stringify(of);
    if (!this.made[part] || this.made[part].text !== text) this.made[part] = { text, element: make() };
    return this.made[part].element;
  }

  parts(wanted) {
    const { desk } = this;
    const place = `x ${number(wanted.x)} m, y ${number(wanted.y)} m`;
    const title = wanted.name ? `${wanted.name} (${place})` : place;
    const rock = this.map.rockAt(wanted.x, wanted.y);
    const body = rock && rock.kind === 'rock' ? [t('is_body', rock.name)] : [];
    const against = [...body, ...this.against()];
    return [
      this.kept('title', title, () => h('h3', { class: 'place-title', tabindex: -1 }, title)),
      h('p', { class: wanted.path && wanted.path.reason ? 'bad' : 'path-words' }, this.pathWords(wanted)),
      wanted.why ? h('p', { class: 'quiet' }, wanted.why) : null,
      rock && rock.kind === 'flat' ? h('p', { class: 'quiet' }, t('is_flat', rock.name)) : null,
      against.length ? this.kept('against', [body, desk && [desk.against, desk.holds, desk.queue.length, desk.presence], this.readOnly, this.isLost], () => h('ul', { class: 'against', 'aria-label': t('speaks_against') }, against.map((each) => h('li', {}, each)))) : wanted.path && !wanted.path.reason ? h('p', { class: 'quiet' }, t('nothing_against')) : null,
      this.answers(),
    ];
  }

  answers() {
    const buttons = this.kept('answers', this.readOnly || false, () => h('div', { class: 'answers' },
      this.readOnly ? null : h('button', { type: 'button', class: 'go', 'aria-describedby': 'why-not-go', onclick: () => this.go() }, t('go_there')),
      h('button', { type: 'button', class: 'leave', onclick: () => this.leave() }, t('close')),
      this.readOnly ? null : h('small', { id: 'why-not-go', class: 'bad' })));
    if (!this.readOnly) {
      buttons.querySelector('.go').disabled = Boolean(this.whyNot());
      setText(buttons.querySelector('small'), this.whyNot());
    }
    return buttons;
  }

  // Why the goal cannot be sent; empty: it can. A robot without path planning may still drive.
  whyNot() {
    const { desk, wanted } = this;
    if (this.isLost || !desk || desk.presence !== 'ready') return t('against_unknown');
    return wanted.path && wanted.path.is_impossible ? t('no_path_there') : '';
  }

  // From where the robot is now.
  straight() {
    const pose = this.wanted && this.map.model.poseAt(this.map.model.ended);
    return pose ? t('straight', number(Math.hypot(this.wanted.x - pose.x, this.wanted.y - pose.y), 1)) : '';
  }

  pathWords({ path }) {
    const straight = this.straight();
    if (!path) return [t('planning_path'), straight].filter(Boolean).join(' · ');
    if (path.reason) return [t('no_path', path.reason), straight].filter(Boolean).join(' · ');
    return [t('path_length', number(path.length_m, 1)), t('path_time', duration(path.time_s)), straight].filter(Boolean).join(' · ');
  }

  // Current objections to the drive: guards, mode, and goals before it.
  against() {
    const { desk } = this;
    if (!desk) return [];
    if (this.isLost || desk.presence !== 'ready') return [[t('against_unknown')]];
    const guards = (desk.against || []).map((each) => [`${each.reason} `, h('code', {}, each.guard), each.helper && !this.readOnly ? [' ', h('button', { type: 'button', class: 'helper', onclick: () => this.line(`:tool ${each.helper}`) }, t('first', each.helper))] : null]);
    const holds = desk.holds.map((hold) => [`${t(`hold_${hold.kind}`)}${hold.cause ? `: ${hold.cause}` : ''}`]);
    const waits = desk.queue.length ? [[t('goals_before', desk.queue.length)]] : [];
    return [...(desk.against === null ? [[t('no_drive_tool')]] : guards), ...holds, ...waits];
  }

  go() {
    this.line(`:goto ${this.wanted.x} ${this.wanted.y}`);
    this.leave();
  }

  async line(text) { this.answered(await this.server.ask({ do: 'line', text })); }
}
