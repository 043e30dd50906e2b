/* SPDX-License-Identifier: MIT */
/* harness/app/page.js - sorts the table of kernels by a column; the page is whole without. The build embeds it. */
(function () {
'use strict';
var table = document.getElementById('kernels');
if (!table) return;
var heads = Array.prototype.slice.call(table.tHead.rows[0].cells), body = table.tBodies[0];
function value(row, at) {
  var cell = row.cells[at], v = cell.getAttribute('data-v');
  return v === null ? cell.textContent : Number(v);
}
heads.forEach(function (head, at) {
  var button = document.createElement('button');
  button.type = 'button';
  button.textContent = head.textContent;
  head.textContent = '';
  head.append(button);
  button.addEventListener('click', function () {
    var up = head.getAttribute('aria-sort') === 'descending';
    heads.forEach(function (h) { h.removeAttribute('aria-sort'); });
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    Array.prototype.slice.call(body.rows).sort(function (a, b) {
      var x = value(a, at), y = value(b, at), by = x < y ? -1 : x > y ? 1 : 0;
      return up ? by : -by;
    }).forEach(function (row) { body.append(row); });
  });
});
})();
