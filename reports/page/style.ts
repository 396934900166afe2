// The style sheet of the pages: light and dark, for screen and paper; no resource from elsewhere.

export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #fcfcfa; --card: #fff; --text: #1d2025; --quiet: #5b626d; --line: #dcdfe4; --link: #0b57b7; --code: #f3f4f2;
  --pass: #1a7f47; --finding: #c3232f; --untested: #5f6773; --untestable: #976100; --observed: #2563c9;
  --pass-bar: #2e9e60; --finding-bar: #d33a45; --untested-bar: #c3c8d0; --untestable-bar: #e0a83c; --observed-bar: #6b9cec;
  --on-bar: #14171b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1b1f25; --text: #e6e8eb; --quiet: #a0a8b4; --line: #343a43; --link: #7fb2ff; --code: #23282f;
    --pass: #5fd394; --finding: #ff8288; --untested: #a6aeba; --untestable: #f0bc58; --observed: #8fb8ff;
    --pass-bar: #3fae72; --finding-bar: #e8656d; --untested-bar: #6b7480; --untestable-bar: #c9963a; --observed-bar: #5c8fe6;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.75rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
header, main, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.75rem; }
footer { padding-bottom: 2rem; color: var(--quiet); font-size: .9rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, input:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 3; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .35rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-top: .5rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0; }
p { margin: .4rem 0; max-width: 60rem; }
.quiet { color: var(--quiet); }
nav { position: sticky; top: 0; z-index: 2; background: var(--page); border-bottom: 1px solid var(--line); margin-top: 1rem; }
nav a:not(:hover) { text-decoration: none; } nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; list-style: none; max-width: 76rem; margin: 0 auto; padding: .5rem 1.25rem; font-size: .92rem; }
code, pre, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .86em; }
code, pre, dd, td, .foreign { unicode-bidi: isolate; overflow-wrap: anywhere; }
summary, p, li, dt, h1, h2, h3, h4, h5 { overflow-wrap: anywhere; } td, th { overflow-wrap: break-word; }
.moment { white-space: nowrap; }
pre { background: var(--code); border-radius: 6px; padding: .6rem .8rem; margin: .4rem 0; white-space: pre-wrap; }
.banner { border: 1px solid var(--line); border-left: .5rem solid var(--untested); background: var(--card); border-radius: 6px; padding: .8rem 1.1rem; margin: 1rem 0; }
.banner.conforms { border-left-color: var(--pass); } .banner.nonconforming { border-left-color: var(--finding); } .banner.inconclusive { border-left-color: var(--untestable); }
.banner strong { font-size: 1.35rem; } .banner ul { margin: .4rem 0 0; padding-left: 1.2rem; }
.conforms strong, .v-pass { color: var(--pass); } .nonconforming strong, .v-finding { color: var(--finding); } .inconclusive strong, .v-untestable { color: var(--untestable); }
.v-untested { color: var(--untested); } .v-observed { color: var(--observed); }
.verdict { font-weight: 600; white-space: nowrap; }
svg { display: block; width: 100%; height: auto; }
.bar-pass { fill: var(--pass-bar); } .bar-finding { fill: var(--finding-bar); } .bar-untested { fill: var(--untested-bar); } .bar-untestable { fill: var(--untestable-bar); } .bar-observed { fill: var(--observed-bar); }
.axis { stroke: var(--line); } svg text { fill: var(--quiet); font-size: 11px; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; list-style: none; margin: .6rem 0 0; padding: 0; }
.legend svg { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; vertical-align: -1px; }
.facts { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .15rem 1.25rem; margin: 0; }
.facts dt { color: var(--quiet); } .facts dd { margin: 0; white-space: pre-wrap; }
article { background: var(--card); border: 1px solid var(--line); border-left: .35rem solid var(--finding); border-radius: 6px; padding: .8rem 1rem; margin: .8rem 0; }
article.quietly { border-left-color: var(--untestable); }
article h4 { margin: 0; font-size: 1.02rem; } .cause > h3 { margin-bottom: 0; }
article .facts { margin: .6rem 0; } article .facts dd { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .86em; line-height: 1.6; }
article .facts :is(.requires, .expected, .because) { font: inherit; }
article .received { color: var(--finding); font-weight: 600; } article.quietly .received { color: var(--untestable); }
.tag { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .55rem; font-size: .82rem; color: var(--quiet); white-space: nowrap; font-weight: 400; }
summary { cursor: pointer; } details > summary { padding: .3rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; background: var(--card); border: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); font-weight: 600; background: var(--code); }
.number, table .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.zero { color: var(--quiet); font-weight: 400; }
tbody th { font-weight: 400; } tbody .area { font-weight: 600; background: var(--code); }
th.source { color: var(--quiet); font-size: .86rem; background: var(--code); }
td.meter { width: 9rem; min-width: 6rem; vertical-align: middle; }
.operation { border-bottom: 1px solid var(--line); } .operation table { margin: .3rem 0 1rem; }
.operation summary { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; } .operation summary::before { content: "▸"; color: var(--quiet); width: .8rem; } .operation[open] > summary::before { content: "▾"; }
.operation summary::-webkit-details-marker { display: none; } .operation summary .counts { margin-left: auto; font-size: .88rem; }
.counts span + span { margin-left: .8rem; }
td.wide { min-width: 14rem; } td.wide svg { margin: .35rem 0; }
.index { padding-left: 1.4rem; margin: .5rem 0 0; } .index li { margin: .3rem 0; } .evidence { color: var(--quiet); margin: .1rem 0 .4rem; }
.areas { list-style: none; margin: 1rem 0 0; padding: 0; } .areas li { display: grid; grid-template-columns: 8rem 1fr 17rem; gap: 0 1.25rem; align-items: center; margin: .25rem 0; } .areas svg { height: .7rem; }
.columns { margin: .6rem 0; } .columns p { max-width: none; margin: 0; font-size: .86rem; color: var(--quiet); } .columns svg { height: 5.25rem; } .ends { display: flex; justify-content: space-between; }
.filter { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: center; padding: .5rem 0; }
.filter input[type=search] { font: inherit; padding: .3rem .5rem; min-width: 17rem; background: var(--card); color: var(--text); border: 1px solid var(--quiet); border-radius: 4px; }
.grid .cell { text-align: center; } .grid td.cell { white-space: nowrap; } th[scope=row] { min-width: 8rem; } .reasons > li { margin: .6rem 0; }
.permalink { text-decoration: none; color: var(--quiet); font-weight: 400; padding: 0 .2rem; }
h2:not(:hover, :focus-within) > .permalink, h3:not(:hover, :focus-within) > .permalink, h4:not(:hover, :focus-within) > .permalink { opacity: 0; }
h5 { font-size: .95rem; margin: 1rem 0 .2rem; } h5 .quiet { font-weight: 400; }
.cause { margin: 1.5rem 0 2.5rem; } .cause > h3 { font-size: 1.15rem; line-height: 1.35; }
blockquote { margin: .7rem 0; padding: .2rem 0 .2rem 1rem; border-left: 3px solid var(--line); } blockquote p { font-family: Georgia, "Times New Roman", serif; font-size: 1.08rem; }
blockquote footer { max-width: none; margin: 0; padding: 0; font-size: .85rem; }
.program { margin: .3rem 0; padding-left: 1.6rem; } .program > li { margin: .25rem 0; } .program > li::marker { color: var(--quiet); }
.program .deviates > code { font-weight: 600; } .program .deviates > details > summary { color: var(--finding); font-weight: 600; }
.program summary { padding: 0; font-size: .88rem; } .program summary .quiet { font-weight: 400; }
.sequence { min-width: 36rem; max-width: 46rem; margin: .6rem 0; } .sequence text { text-anchor: middle; font-size: 12.5px; }
.sequence .lane-name { font-weight: 600; fill: var(--text); } .sequence .caller { text-anchor: start; } .lane { stroke: var(--line); stroke-width: 2; }
.sequence .call { fill: var(--text); font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12px; }
.arrow { stroke: var(--quiet); stroke-width: 1.2; } line.reply { stroke: var(--quiet); stroke-width: 1.2; stroke-dasharray: 5 4; }
line.wrong { stroke: var(--finding); stroke-width: 2; } .sequence text.wrong { fill: var(--finding); font-weight: 600; }
.head { fill: context-stroke; } .defs { position: absolute; width: 0; height: 0; }
.records { width: auto; margin: .6rem 0 .2rem; } .differs { background: color-mix(in srgb, var(--untestable-bar) 14%, var(--card)); } mark { background: none; color: inherit; font-weight: 700; }
.copied { position: relative; } .copied > .copy { position: absolute; right: .5rem; top: .5rem; }
.copy { font: inherit; font-size: .8rem; color: var(--text); background: var(--card); border: 1px solid var(--quiet); border-radius: 4px; padding: 0 .5rem; cursor: pointer; }
.replay { margin: .25rem 0; max-width: none; } .replay > .quiet:first-child { display: inline-block; min-width: 12.5rem; }
.untested > h2 { border: 0; margin: 1.4rem 0 .3rem; padding: 0; font-size: 1.1rem; } .needs { padding-left: 1.6rem; margin: .3rem 0; } .needs > li { margin: .2rem 0; } .needs strong { font-weight: 500; }
.marks { margin-bottom: 1rem; } .pictures { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; max-width: 100%; }
figcaption { font-weight: 600; margin-bottom: .4rem; } .picture { width: auto; max-width: none; }
.picture text { text-anchor: middle; font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; } .picture .state-name { font: 600 12px system-ui, sans-serif; fill: var(--text); }
.state { fill: var(--code); stroke: var(--quiet); } .dot { fill: var(--text); } .ring { fill: none; stroke: var(--text); } .edge { fill: none; stroke: var(--quiet); stroke-width: 1.1; }
.picture text.m-passed { fill: var(--pass); } .picture text.m-partly { fill: var(--untestable); } .picture text.m-broken { fill: var(--finding); font-weight: 700; } .picture text.m-unreached, .picture text.m-aside { fill: var(--untested); }
.m-passed { color: var(--pass); } .m-partly { color: var(--untestable); } .m-broken { color: var(--finding); font-weight: 600; } .m-unreached, .m-aside { color: var(--untested); }
.picture a:hover text, .chips a:hover { text-decoration: underline; } .chips { width: 0; min-width: max(100%, 15rem); margin: .5rem 0 0; font-size: .86rem; } .chips a { display: inline-block; margin-right: .9rem; text-decoration: none; }
.access td, .access th { padding: .2rem .5rem; } .access td { text-align: center; white-space: nowrap; font-variant-numeric: tabular-nums; } .access .caller { vertical-align: bottom; text-align: center; } .access .caller span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
.access .took { color: var(--pass); } .access .denied { color: var(--quiet); } .access .wrong { color: var(--finding); font-weight: 700; outline: 2px solid var(--finding); outline-offset: -2px; }
.access thead th:first-child, .access tbody th[scope=row] { position: sticky; left: 0; } .access tbody th[scope=row] { background: var(--card); white-space: nowrap; }
tr:target, article:target { outline: 2px solid var(--link); }
.filter select { font: inherit; padding: .25rem; background: var(--card); color: var(--text); border: 1px solid var(--quiet); border-radius: 4px; }
[hidden] { display: none !important; }
@media (max-width: 40rem) { .tag { white-space: normal; } .operation summary > * { min-width: 0; overflow-wrap: anywhere; } header, main, footer { padding-left: .9rem; padding-right: .9rem; } nav ul { padding-left: .9rem; } .filter input[type=search] { min-width: 0; width: 100%; } .facts { grid-template-columns: 1fr; } .facts dt { margin-top: .4rem; } nav { position: static; }
  .areas li { grid-template-columns: max-content 1fr; margin: .4rem 0; } .areas span { text-align: right; } .areas svg { grid-area: 2 / 1 / 3 / 3; height: .5rem; }
  .diagram, .permalink { display: none; } .replay > .quiet:first-child { min-width: 0; }
  .stack, .stack tbody { display: block; } .stack thead { display: none; } .stack tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
  .stack th, .stack td { padding: 0; border: 0; min-width: 0; text-align: left; white-space: normal; background: none; } .stack :is(th, td.meter, td:last-child, .choices td:nth-child(2), .defects td, .records td), .clauses td:first-child { flex: 1 0 100%; }
  td.meter svg { height: .5rem; margin: .2rem 0; } .shares .zero { display: none; } .shares td:nth-child(2)::after { content: " pass"; } .shares td:nth-child(3)::after { content: " finding"; } .shares td:nth-child(4)::after { content: " untested"; } .shares td:nth-child(5)::after { content: " untestable"; } .shares td:nth-child(6)::after { content: " observed"; }
  .requests td:nth-child(2)::after { content: " requests"; } .requests td:nth-child(3) { order: 1; flex: 1 0 100%; } .requests td:nth-child(4)::before { content: "mean "; } .requests td:nth-child(5) { flex: none; } .requests td:nth-child(5)::before { content: "slowest "; }
  .clauses td:nth-child(4)::before { content: "exercised "; } .choices td:nth-child(3)::before { content: "observed: "; } .choices td:nth-child(4)::before { content: "pinned: "; } .choices td:last-child { flex: none; }
  .stack.grid tbody td.cell:nth-child(n) { flex: none; text-align: left; } .grid td.cell::before { content: "run " attr(data-run) ": "; color: var(--quiet); font-weight: 400; } .grid td.verdict { flex: 1 0 100%; } .runs td.number::after { content: " requests"; } .runs td.wide { flex: 1 0 100%; }
  .access td:empty { display: none; } .access tbody th[scope=row] { position: static; flex: 1 0 100%; } .access td { display: flex; justify-content: space-between; gap: 1rem; flex: 1 0 100%; } .access td::before { content: attr(data-caller); color: var(--quiet); font-weight: 400; }
  .defects td:nth-child(4)::before { content: "read as: "; } .records td:nth-child(2)::before { content: "earlier: "; } .records td:nth-child(3)::before { content: "now: "; }
}
@page { margin: 14mm; @bottom-right { content: counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; color: #444; } }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --text: #000; --quiet: #444; --line: #bbb; --code: #f4f4f4; --pass: #1a7f47; --finding: #b3121e; --untested: #555; --untestable: #7a4e00; --observed: #1d4fa3;
    --pass-bar: #2e9e60; --finding-bar: #d33a45; --untested-bar: #c3c8d0; --untestable-bar: #e0a83c; --observed-bar: #6b9cec; }
  body { font-size: 10pt; } nav, .filter, .skip, .copy, .permalink { display: none; } header, main, footer { max-width: none; padding: 0; }
  .symptoms > details:not([open]), .replay + details:not([open]) { display: none; }
  .scroll { overflow: visible; } table { font-size: 8.5pt; } th, td { padding: .15rem .35rem; } td.meter { min-width: 3rem; width: 4rem; }
  tr, svg, figure, .facts > *, li > code, h2, h3, h4, h5, blockquote { break-inside: avoid; } h2, h3, h4, h5, blockquote, tr:has(> .area) { break-after: avoid; } .replay { break-before: avoid; }
  article { -webkit-box-decoration-break: clone; box-decoration-break: clone; }
  svg, .banner { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`
