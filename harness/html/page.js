/* SPDX-License-Identifier: MIT */
/* harness/html/page.js - filters, keys and links of the page, which is whole without them. The build embeds it; the
 * page's policy lets in nothing else. */
(function () {
'use strict';
var d = document, names = {
  P: 'PASS', F: 'FAIL', D: 'DISAGREE', B: 'BROKEN', L: 'LOST', S: 'SKIP', U: 'UNJUDGED', x: 'XFAIL', X: 'XPASS'
};
function get(id) { return d.getElementById(id); }
function all(s, e) { return Array.prototype.slice.call((e || d).querySelectorAll(s)); }
var q = get('q'), vs = get('vs'), dd = get('dd'), shown = get('shown'), list = get('list');
var cases = [], boxes = [], at = -1, timer = 0;
all('.suite', list).forEach(function (suite) {
  all('.rule', suite).forEach(function (rule) {
    all('.k', rule).forEach(function (e) {
      cases.push({
        e: e, rule: rule, suite: suite, v: e.getAttribute('data-v'), d: e.hasAttribute('data-d'), text: null
      });
    });
  });
});
Object.keys(names).forEach(function (letter) {
  if (!cases.some(function (c) { return c.v.indexOf(letter) >= 0; })) return;
  var label = d.createElement('label'), box = d.createElement('input'), word = d.createElement('span');
  box.type = 'checkbox';
  box.checked = true;
  box.value = letter;
  box.addEventListener('change', changed);
  word.className = 'v v' + letter;
  word.textContent = names[letter];
  label.append(box, ' ', word);
  vs.append(label, ' ');
  boxes.push(box);
});
function textOf(c) {
  if (c.text === null)
    c.text = (c.e.lastElementChild.id + ' ' + c.e.textContent + ' ' +
      c.rule.firstElementChild.nextElementSibling.textContent).toLowerCase();
  return c.text;
}
function checked() {
  return boxes.filter(function (b) { return b.checked; }).map(function (b) { return b.value; });
}
function apply() {
  var words = q.value.toLowerCase().split(/\s+/).filter(Boolean), n = 0, keep = new Set();
  var asked = words.length > 0 || (dd && dd.checked);
  var letters = checked();
  asked = asked || letters.length < boxes.length;
  cases.forEach(function (c) {
    var ok = letters.some(function (l) { return c.v.indexOf(l) >= 0; }) && (!dd || !dd.checked || c.d) &&
      words.every(function (w) { return textOf(c).indexOf(w) >= 0; });
    if (c.e.hidden === ok) c.e.hidden = !ok;
    if (ok) { n++; keep.add(c.rule); keep.add(c.suite); }
  });
  all('.rule,.suite', list).forEach(function (e) { e.hidden = !keep.has(e); });
  if (asked && n <= 400) keep.forEach(function (e) { if (e.tagName === 'DETAILS') e.open = true; });
  shown.textContent = n + ' of ' + cases.length + ' cases';
  at = -1;
}
function remember() {
  var off = boxes.filter(function (b) { return !b.checked; }), parts = [];
  if (q.value) parts.push('q=' + encodeURIComponent(q.value));
  if (off.length) parts.push('v=' + checked().join(''));
  if (dd && dd.checked) parts.push('d=1');
  try {
    history.replaceState(null, '', parts.length ? '#?' + parts.join('&') : '#cases');
  } catch (e) { /* some viewers forbid it */ }
}
function changed() { clearTimeout(timer); apply(); remember(); }
function reveal(e) {
  for (var up = e; up && up !== d; up = up.parentNode) {
    up.hidden = false;
    if (up.tagName === 'DETAILS') up.open = true;
  }
}
function follow() {
  var hash = location.hash.slice(1), target;
  if (hash.charAt(0) === '?') {
    var v = null;
    q.value = '';
    hash.slice(1).split('&').forEach(function (part) {
      var word;
      try { word = decodeURIComponent(part.slice(2)); } catch (e) { return; }
      if (part.indexOf('q=') === 0) q.value = word;
      if (part.indexOf('v=') === 0) v = word;
      if (part.indexOf('d=') === 0 && dd) dd.checked = word === '1';
    });
    boxes.forEach(function (b) { b.checked = v === null || v.indexOf(b.value) >= 0; });
    apply();
    get('cases').scrollIntoView();
    return;
  }
  try { target = get(decodeURIComponent(hash)); } catch (e) { return; }
  if (!target) return;
  reveal(target);
  if (target.className === 'body') target.parentNode.scrollIntoView({block: 'center'});
  else target.scrollIntoView({block: 'start'});
}
q.addEventListener('input', function () { clearTimeout(timer); timer = setTimeout(changed, 120); });
if (dd) dd.addEventListener('change', changed);
get('oa').addEventListener('click', function () {
  cases.forEach(function (c) { if (!c.e.hidden) { c.suite.open = true; c.e.open = true; } });
});
get('ca').addEventListener('click', function () {
  cases.forEach(function (c) { c.e.open = false; c.suite.open = false; });
});
d.addEventListener('keydown', function (e) {
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  if (e.key === 'Escape' && d.activeElement === q) { q.value = ''; changed(); q.blur(); return; }
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(d.activeElement.tagName) && d.activeElement.type !== 'checkbox') return;
  if (e.key === '/') { e.preventDefault(); q.focus(); q.select(); return; }
  if (e.key !== 'j' && e.key !== 'k') return;
  var step = e.key === 'j' ? 1 : -1, i = at;
  do { i += step; } while (cases[i] && cases[i].e.hidden);
  if (!cases[i]) return;
  at = i;
  cases[i].suite.open = true;
  cases[i].e.firstElementChild.focus();
  cases[i].e.scrollIntoView({block: 'nearest'});
});
addEventListener('hashchange', follow);
get('filters').hidden = false;
all('.keys').forEach(function (e) { e.hidden = false; });
follow();
})();
