import { useMemo, useState } from 'react';

import { t } from '../text';
import { diffLines, stretches, type DiffLine, type Stretch } from './diff';
import css from './diffview.module.css';

/** DiffView shows what differs between two texts. */
export function DiffView({ before, after, label }: { before: string; after: string; label: string }) {
  const parts = useMemo(() => stretches(diffLines(before, after)), [before, after]);
  return (
    <div className={css.diff} role="region" aria-label={t.diff.label(label)} tabIndex={0}>
      <table>
        <tbody>
          {parts.map((part, i) => (
            <Part key={i} part={part} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Part({ part }: { part: Stretch }) {
  const [shown, setShown] = useState(false);
  if ('hidden' in part && !shown)
    return (
      <tr className={css.fold}>
        <td colSpan={4}>
          <button type="button" onClick={() => setShown(true)}>
            {t.diff.unchanged(part.hidden.length)}
          </button>
        </td>
      </tr>
    );
  const lines = 'hidden' in part ? part.hidden : part.lines;
  return lines.map((line, i) => <Line key={i} line={line} />);
}

function Line({ line }: { line: DiffLine }) {
  return (
    <tr data-sign={line.sign}>
      <td className={css.number}>{line.before}</td>
      <td className={css.number}>{line.after}</td>
      <td className={css.sign}>
        {line.sign}
        {line.sign !== ' ' && <span className="hear">{line.sign === '+' ? t.diff.added : t.diff.removed}</span>}
      </td>
      <td className={css.text}>{line.text}</td>
    </tr>
  );
}

/** Yaml shows a text with the numbers of its lines. */
export function Yaml({ text, label }: { text: string; label: string }) {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    <div className={css.diff} role="region" aria-label={label} tabIndex={0}>
      <table>
        <tbody>
          {lines.map((line, i) => (
            <tr key={i}>
              <td className={css.number}>{i + 1}</td>
              <td className={css.text}>{line}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
