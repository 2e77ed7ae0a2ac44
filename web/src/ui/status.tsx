import { t } from '../text';
import { Icon, type IconName } from './icons';
import css from './status.module.css';

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'calm';

const healths: Record<string, { icon: IconName; tone: Tone }> = {
  Healthy: { icon: 'okay', tone: 'good' },
  Progressing: { icon: 'progress', tone: 'busy' },
  Suspended: { icon: 'paused', tone: 'calm' },
  Degraded: { icon: 'bad', tone: 'bad' },
  Missing: { icon: 'missing', tone: 'warn' },
  Unknown: { icon: 'unknown', tone: 'calm' },
};

const syncs: Record<string, { icon: IconName; tone: Tone }> = {
  Synced: { icon: 'check', tone: 'good' },
  OutOfSync: { icon: 'differs', tone: 'warn' },
  Unknown: { icon: 'unknown', tone: 'calm' },
};

const operations: Record<string, { icon: IconName; tone: Tone }> = {
  Running: { icon: 'synced', tone: 'busy' },
  Terminating: { icon: 'stop', tone: 'busy' },
  Succeeded: { icon: 'okay', tone: 'good' },
  Failed: { icon: 'bad', tone: 'bad' },
  Error: { icon: 'bad', tone: 'bad' },
};

const stages: Record<string, { icon: IconName; tone: Tone }> = {
  waiting: { icon: 'paused', tone: 'calm' },
  working: { icon: 'progress', tone: 'busy' },
  asked: { icon: 'okay', tone: 'good' },
  failed: { icon: 'bad', tone: 'bad' },
  skipped: { icon: 'stop', tone: 'warn' },
};

const unknown = { icon: 'unknown', tone: 'calm' } as const;

interface Props {
  value: string | undefined;
  /** Only the sign, with the word for those who hear the page. */
  compact?: boolean;
}

export function Health({ value = 'Unknown', compact }: Props) {
  return <Sign look={healths[value] ?? unknown} word={t.health[value] ?? value} label={t.healthIs} compact={compact} />;
}

export function Sync({ value = 'Unknown', compact }: Props) {
  return <Sign look={syncs[value] ?? unknown} word={t.sync[value] ?? value} label={t.syncIs} compact={compact} />;
}

export function OperationSign({ value = 'Unknown', compact }: Props) {
  return <Sign look={operations[value] ?? unknown} word={t.operation[value] ?? value} compact={compact} />;
}

/** StageSign tells how far one of many is. */
export function StageSign({ value }: { value: string }) {
  return <Sign look={stages[value] ?? unknown} word={t.bulk.stages[value] ?? value} />;
}

/** toneOf is the colour of a state of health, for what is more than a sign. */
export function toneOf(health: string | undefined): Tone {
  return (healths[health ?? ''] ?? unknown).tone;
}

interface SignProps {
  look: { icon: IconName; tone: Tone };
  word: string;
  /** What the word is of, where the page does not show it. */
  label?: (word: string) => string;
  compact?: boolean | undefined;
}

export function Sign({ look, word, label, compact }: SignProps) {
  const whole = label?.(word) ?? word;
  return (
    <span className={css.sign} data-tone={look.tone} title={compact || word !== whole ? whole : undefined}>
      <Icon
        name={look.icon}
        {...(compact ? { 'aria-label': whole } : {})}
        className={look.tone === 'busy' ? css.busy : undefined}
      />
      {!compact && <span>{word}</span>}
    </span>
  );
}
