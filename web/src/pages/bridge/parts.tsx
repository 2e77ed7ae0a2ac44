import type { ReactNode } from 'react';

import { t } from '../../text';
import { Icon } from '../../ui/icons';
import css from './parts.module.css';

type Tone = 'calm' | 'warn' | 'bad';

/** Count is a number; what it is of is said where the head of the column is not in sight. */
export function Count({ n, of, tone = 'calm' }: { n: number; of: string; tone?: Tone }) {
  return (
    <span className={css.count} data-tone={n > 0 ? tone : 'calm'}>
      <span className={css.of}>{of}</span> {n.toLocaleString('en')}
    </span>
  );
}

const most = 3;

/** Names shows the first of several names, and how many there are besides. */
export function Names({ names, of, tone, none }: { names: string[]; of: string; tone: Tone; none?: string }) {
  if (names.length === 0) return <span className={`dim ${css.none ?? ''}`}>{none ?? '–'}</span>;
  return (
    <span className={css.names} title={names.slice(0, 40).join(', ')}>
      <span className={css.of}>{of}</span>
      {names.slice(0, most).map((name) => (
        <span key={name} className={css.tag} data-tone={tone}>
          {name}
        </span>
      ))}
      {names.length > most && <span className="dim">{t.bridge.more(names.length - most)}</span>}
    </span>
  );
}

/** Place is whether a key is a label or an annotation. */
export function Place({ of }: { of: string }) {
  return <span className={css.place}>{of === 'label' ? t.bridge.label : t.bridge.annotation}</span>;
}

export function KeyButton({
  name,
  open,
  children,
}: {
  name: { in: string; name: string };
  open: () => void;
  children?: ReactNode;
}) {
  return (
    <span className={css.key}>
      <button type="button" onClick={open} title={t.bridge.open(name.name)}>
        {name.name}
      </button>
      <Place of={name.in} />
      {children}
    </span>
  );
}

export function Problem({ text }: { text: string }) {
  return (
    <span className={css.problem}>
      <Icon name="bad" size={14} /> {text}
    </span>
  );
}
