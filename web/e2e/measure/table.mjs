export const ms = (n) => `${n.toFixed(n < 10 ? 1 : 0)} ms`;
export const mb = (n) => `${(n / 1e6).toFixed(1)} MB`;
export const kib = (n) => `${(n / 1024).toFixed(1)} KiB`;
export const times = (n, of) => `${(n / of).toFixed(n / of < 10 ? 1 : 0)} ×`;

/** quantile of numbers: 0.5 is the median, 1 the largest. */
export const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.round(q * (list.length - 1))];

const line = (what, measured, target, ratio, beside) =>
  `  ${what.padEnd(46)} ${measured.padStart(10)} ${target.padStart(9)} ${ratio.padStart(7)}  ${beside}`.trimEnd();

export const head = () => console.log(line('', 'measured', 'target', 'ratio', 'to what, in the same run'));

/**
 * row prints a figure: what it is, how it is written, the target that it has to stay below, if there is one, and how many
 * times it is what else was measured in the same run.
 */
export function row({ what, measured, as, below, base, to = '' }) {
  const over = below !== undefined && measured > below ? '  OVER ITS TARGET' : '';
  const ratio = base === undefined ? '' : times(measured, base);
  console.log(line(what, as(measured), below === undefined ? '' : as(below).replace('.0', ''), ratio, to + over));
}
