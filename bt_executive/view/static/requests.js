'use strict';
// Open approval requests. Those that stay are the same elements while others come and go: with the focus, what is
// typed, and a click that is under way.

const CHANGE_MS = 250; // after the latest key, before the effect of an edit is requested
const READING_MS = 1000; // so long after a request took the place of another one, a press may be meant for that

class Requests {
  // answered(answer): shows the result of an answer.
  constructor(server, answered) {
    Object.assign(this, { server, answered, drafts: new Map(), waiting: [], cards: new Map(), moved: new Map() });
    this.element = h('div', { class: 'requests', role: 'group', 'aria-label': t('requests'), 'aria-live': 'assertive' });
    this.asks = h('button', { type: 'button', class: 'asks', hidden: true, onclick: () => this.lead() });
    new IntersectionObserver(([seen]) => { this.areSeen = seen.isIntersecting; this.name(); }, { rootMargin: '0px 0px -90px' }).observe(this.element);
  }

  show(requests, readOnly) {
    const text = JSON.stringify([requests, readOnly]);
    if (text === this.drawn) return;
    this.drawn = text;
    this.noteMoved(this.waiting.map(({ id }) => id), requests.map(({ id }) => id));
    this.waiting = requests;
    const before = this.cards;
    this.cards = new Map(requests.map((request) => [request.id, this.card(before.get(request.id), request, readOnly)]));
    requests.forEach((request, index) => setText(this.cards.get(request.id).title, `${t('requests')}${requests.length > 1 ? ` (${index + 1}/${requests.length})` : ''}: ${readOnly ? callText(request.tool, request.arguments) : request.tool}`));
    arrange(this.element, [...this.cards.values()].map(({ element }) => element));
    this.name();
    this.count();
  }

  // When another request took the place of one that has ended: the pointer may be above its button.
  noteMoved(before, after) {
    const now = performance.now();
    if (before.some((id) => !after.includes(id))) this.endedAt = now;
    const isMoved = (id, index) => before.indexOf(id) !== index && now - (this.endedAt ?? -Infinity) < READING_MS;
    this.moved = new Map(after.map((id, index) => [id, isMoved(id, index) ? now : this.moved.get(id) ?? -Infinity]));
  }

  // A hint with a link for operators at another part of the page.
  name() {
    const count = this.waiting.length;
    setText(this.asks, `${t('requests')} (${count}) ↑`);
    this.asks.hidden = !count || this.areSeen;
    document.title = `${count ? `(${count}) ` : ''}bt_executive`;
  }

  lead() {
    this.element.scrollIntoView({ block: 'center' });
    const first = this.element.querySelector('button');
    if (first) first.focus({ preventScroll: true });
  }

  card(known, request, readOnly) {
    const text = JSON.stringify([request, readOnly]);
    return known && known.text === text ? known : { text, ...this.request(request, readOnly) };
  }

  request(request, readOnly) {
    const draft = this.drafts.get(request.id) || { arguments: fieldTexts(request.arguments), word: '' };
    this.drafts.set(request.id, draft);
    const answer = async (action, text) => {
      if (action !== 'reject' && performance.now() - this.moved.get(request.id) < READING_MS) { this.answered({ ok: false, text: t('request_moved') }); return; }
      for (const button of element.querySelectorAll('button')) button.disabled = true;
      this.answered(await this.server.ask({ do: 'resolve', request: request.id, action, text }));
      for (const button of element.querySelectorAll('button')) button.disabled = false;
      nameApproval();
    };
    const fields = Object.keys(request.arguments).map((name) => [name, h('input', { type: 'text', value: draft.arguments[name], oninput: () => { draft.arguments[name] = inputs[name].value; nameApproval(); } })]);
    const inputs = Object.fromEntries(fields);
    const wanted = () => JSON.stringify(Object.fromEntries(fields.map(([name, input]) => [name, valueLike(request.arguments[name], input.value)])));
    const isChanged = () => wanted() !== JSON.stringify(request.arguments); // what stands in the fields is what is approved
    const approve = h('button', { type: 'button', class: 'approve', onclick: () => (isChanged() ? answer('edit', wanted()) : answer('approve', '')) });
    const amounts = h('p', { class: 'amounts' }, request.amounts_to);
    const meaning = h('p', { class: 'meaning', 'aria-live': 'polite', hidden: true });
    let asking = null;
    // What a change comes to stands below the fields, on a phone in the place of what the proposal came to, and
    // of the proposal it is struck out: no button moves. It is approved once it is known that it may be.
    const nameApproval = () => {
      setText(approve, t(isChanged() ? 'edit' : 'approve'));
      approve.disabled = isChanged();
      amounts.classList.toggle('before', isChanged());
      for (const [, input] of fields) input.removeAttribute('aria-invalid');
      meaning.hidden = true;
      clearTimeout(asking);
      if (isChanged()) asking = setTimeout(() => this.explain(request, wanted, meaning, approved), CHANGE_MS);
    };
    const approved = (may) => {
      approve.disabled = !may;
      for (const [name, input] of fields) input.setAttribute('aria-invalid', String(!may && input.value !== fieldTexts(request.arguments)[name]));
    };
    nameApproval();
    const word = h('input', { type: 'text', value: draft.word, placeholder: t('why'), 'aria-label': t('why'), oninput: () => { draft.word = word.value; } });
    const title = h('span', {});
    const element = h('article', { class: 'request', 'aria-label': `${t('requests')}: ${request.tool}` },
      h('h3', {}, title, h('span', { class: 'left' })),
      amounts, h('p', {}, request.risk), request.reason ? h('p', { class: 'quiet', title: request.reason }, `“${request.reason}”`) : null,
      readOnly ? null : h('div', { class: 'answers' },
        approve,
        h('span', {}, word, h('button', { type: 'button', class: 'reject', onclick: () => answer('reject', word.value) }, t('reject'))),
        fields.length ? h('span', { class: 'arguments' }, fields.map(([name, input]) => h('label', {}, name, input))) : null), meaning);
    element.dataset.expires = request.expires_at;
    return { element, title };
  }

  // The effect of the arguments in the fields, or why they would be refused. approved(may): whether
  // they can be approved.
  async explain(request, wanted, meaning, approved) {
    const asked = wanted();
    const answer = await this.server.ask({ do: 'change', request: request.id, text: asked });
    if (wanted() !== asked || asked === JSON.stringify(request.arguments)) return;
    approved(answer.ok);
    meaning.hidden = false;
    meaning.classList.toggle('bad', !answer.ok);
    setText(meaning, answer.ok ? t('as_changed', answer.text || callText(request.tool, JSON.parse(asked))) : answer.text);
  }

  // Whether the current state is unknown.
  lose(isLost) { this.isLost = isLost; }

  count() {
    for (const element of this.element.children) {
      if (this.isLost) { setText(element.querySelector('.left'), t('last_report')); continue; }
      const left = Number(element.dataset.expires) - (Date.now() / 1000 - this.server.systemAhead);
      setText(element.querySelector('.left'), Number.isFinite(left) ? t('expired_in', left < 60 ? `${Math.max(Math.round(left), 0)} s` : duration(left)) : '');
    }
  }
}

// Arguments as they stand in fields: texts as they are, all else as JSON.
function fieldTexts(args) {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]));
}

// The value of a field, with the type of the original value; the executive refuses an invalid one with a reason.
function valueLike(before, text) {
  if (typeof before === 'string') return text;
  try { return JSON.parse(text); } catch { return text; }
}
