import { NativeSelect, Textarea } from '@mantine/core';

import { t } from '../../text';
import css from './form.module.css';

/** What each option can be set to, beside what the application says. */
const known: [name: string, values: string[]][] = [
  ...[
    'ApplyOutOfSyncOnly',
    'ClientSideApplyMigration',
    'CreateNamespace',
    'FailOnSharedResource',
    'PruneLast',
    'Replace',
    'RespectIgnoreDifferences',
    'ServerSideApply',
    'SkipDryRunOnMissingResource',
    'Validate',
  ].map((name): [string, string[]] => [name, ['true', 'false']]),
  ['PrunePropagationPolicy', ['foreground', 'background', 'orphan']],
];

/** Options are sync options that were chosen, by their names, and those that were typed. */
export interface Options {
  set: Record<string, string>;
  text: string;
}

/** optionsOf are those that a sync is asked for with: NAME=value. */
export const optionsOf = ({ set, text }: Options): string[] => [
  ...Object.entries(set)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`),
  ...text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean),
];

/** SyncOptions asks for the options of one sync; the application's own count where nothing is said. */
export function SyncOptions({ options, change }: { options: Options; change: (options: Options) => void }) {
  const n = optionsOf(options).length;
  return (
    <details className={css.options}>
      <summary>
        {t.syncForm.options} {n > 0 && <span className="dim">{n}</span>}
      </summary>
      <div className={css.grid}>
        {known.map(([name, values]) => (
          <NativeSelect
            key={name}
            size="xs"
            label={name}
            value={options.set[name] ?? ''}
            data={[{ value: '', label: t.syncForm.asSaid }, ...values]}
            onChange={(e) => change({ ...options, set: { ...options.set, [name]: e.currentTarget.value } })}
          />
        ))}
      </div>
      <Textarea
        label={t.syncForm.otherOptions}
        placeholder={t.syncForm.otherExample}
        rows={2}
        maxLength={4096}
        spellCheck={false}
        value={options.text}
        onChange={(e) => change({ ...options, text: e.currentTarget.value })}
      />
    </details>
  );
}
