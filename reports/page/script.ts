// The one script of the pages: it filters rows, copies texts and, for print, unfolds what tells of causes; without it, everything is still readable.

// Kept to what any browser runs. It reads the page and hides parts of it: it never makes markup out of text.
export const SCRIPT = `
'use strict';
const address = new URLSearchParams(location.search);
for (const form of document.querySelectorAll('form.filter')) {
  const scope = document.getElementById(form.dataset.for);
  const facets = Array.from(form.querySelectorAll('select'));
  const boxes = Array.from(form.querySelectorAll('input[type=checkbox]'));
  const rows = Array.from(scope.querySelectorAll('tr[data-kind]'), (row) => ({
    row, kinds: row.dataset.kind.split(' '), text: row.textContent.toLowerCase(),
    facets: facets.map(({ name }) => row.closest('[data-' + name + ']')?.dataset[name]),
  }));
  const status = form.querySelector('output');
  const usual = boxes.filter((box) => box.checked).map((box) => box.value).join();
  const apply = () => {
    const words = form.elements.words.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const kinds = boxes.filter((box) => box.checked).map((box) => box.value);
    let shown = 0;
    for (const { row, kinds: own, text, facets: values } of rows) {
      const hit = own.some((kind) => kinds.includes(kind)) && words.every((word) => text.includes(word)) &&
        facets.every(({ value }, index) => value === '' || value === values[index]);
      row.hidden = !hit;
      if (hit) shown += 1;
    }
    const narrowed = words.length > 0 || kinds.length < boxes.length || facets.some(({ value }) => value !== '');
    for (const group of scope.querySelectorAll('[data-group]')) {
      group.hidden = group.querySelector('tr[data-kind]:not([hidden])') === null;
      if (group.tagName === 'DETAILS') group.open = narrowed && !group.hidden && shown <= 200;
    }
    status.textContent = narrowed ? shown + ' of ' + rows.length + ' shown' : '';
  };
  const remember = () => {
    const kinds = boxes.filter((box) => box.checked).map((box) => box.value).join();
    const state = { words: form.elements.words.value.trim(), verdict: kinds === usual ? '' : kinds || 'none' };
    for (const { name, value } of facets) state[name] = value;
    for (const [name, value] of Object.entries(state)) value === '' ? address.delete(name) : address.set(name, value);
    const query = address.toString();
    try { history.replaceState(null, '', location.pathname + (query && '?' + query) + location.hash); } catch {}
  };
  const told = (name) => address.get(name) ?? '';
  form.elements.words.value = told('words');
  for (const facet of facets) if (Array.from(facet.options).some(({ value }) => value === told(facet.name))) facet.value = told(facet.name);
  if (told('verdict')) for (const box of boxes) box.checked = told('verdict').split(',').includes(box.value);
  form.addEventListener('input', () => { apply(); remember(); });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  if (form.dataset.now === 'yes' || address.size > 0) apply();
}
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const from = document.getElementById(button.dataset.copy);
    try { await navigator.clipboard.writeText(from.textContent); }
    catch { getSelection().selectAllChildren(from); document.execCommand('copy'); }
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}
const unfold = () => { for (const one of document.querySelectorAll('.symptoms, .cause > article .program details')) one.open = true; };
addEventListener('beforeprint', unfold);
const open = () => {
  const wanted = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = wanted; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  if (wanted && wanted.hidden) wanted.hidden = false;
  if (wanted) wanted.scrollIntoView();
};
addEventListener('hashchange', open);
open();
`
