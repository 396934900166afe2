// The one script of the pages: it filters rows that are there already; without it, everything is still readable.

// Kept to what any browser runs. It reads the page and hides parts of it: it never makes markup out of text.
export const SCRIPT = `
'use strict';
for (const form of document.querySelectorAll('form.filter')) {
  const scope = document.getElementById(form.dataset.for);
  const rows = Array.from(scope.querySelectorAll('tr[data-kind]'), (row) => ({
    row, kinds: row.dataset.kind.split(' '), text: row.textContent.toLowerCase(),
  }));
  const status = form.querySelector('output');
  const apply = () => {
    const words = form.elements.words.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const kinds = Array.from(form.querySelectorAll('input[type=checkbox]')).filter((box) => box.checked).map((box) => box.value);
    let shown = 0;
    for (const { row, kinds: own, text } of rows) {
      const hit = own.some((kind) => kinds.includes(kind)) && words.every((word) => text.includes(word));
      row.hidden = !hit;
      if (hit) shown += 1;
    }
    const narrowed = words.length > 0 || kinds.length < form.querySelectorAll('input[type=checkbox]').length;
    for (const group of scope.querySelectorAll('[data-group]')) {
      group.hidden = group.querySelector('tr[data-kind]:not([hidden])') === null;
      if (group.tagName === 'DETAILS') group.open = narrowed && !group.hidden && shown <= 200;
    }
    status.textContent = narrowed ? shown + ' of ' + rows.length + ' shown' : '';
  };
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  if (form.dataset.now === 'yes') apply();
}
const open = () => {
  const wanted = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = wanted; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  if (wanted) wanted.scrollIntoView();
};
addEventListener('hashchange', open);
open();
`
