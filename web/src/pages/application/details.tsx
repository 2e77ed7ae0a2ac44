import { useQuery } from '@tanstack/react-query';

import type { Key, Row } from '../../api/client';
import { applicationQuery } from '../../api/queries';
import { t } from '../../text';
import { Command } from '../../ui/copy';
import { useCommands } from '../../ui/commands';
import css from './details.module.css';

/** Characters of a value that is shown at once; others are folded. */
const longest = 300;

/** Folded is a long text, such as an object that kubectl applied last, that is opened on request. */
function Folded({ text }: { text: string }) {
  return (
    <details>
      <summary>{t.details.long(text.length)}</summary>
      {text}
    </details>
  );
}

/** Details are what else is known of an Application. */
export function Details({ appKey, row }: { appKey: Key; row: Row }) {
  const commands = useCommands();
  const app = useQuery(applicationQuery(appKey)).data;
  const sources = (row.sources ?? []).map((s): [string, string] => [
    s.repoURL,
    [s.chart ?? s.path, s.target].filter(Boolean).join(' @ '),
  ]);
  const groups: [string, [string, string][]][] = [
    [t.details.sources, sources],
    [t.details.labels, Object.entries(row.labels ?? {})],
    [t.details.annotations, Object.entries(app?.annotations ?? {})],
    [t.details.images, (row.images ?? []).map((i): [string, string] => [i, ''])],
    [t.details.options, (app?.spec.syncPolicy?.syncOptions ?? []).map((o): [string, string] => [o, ''])],
  ];
  return (
    <div className={css.details}>
      <section className={css.commands}>
        <h2>{t.action.commandHint}</h2>
        {(['tree', 'diff', 'sync', 'history', 'trace', 'logs', 'why'] as const).map((verb) => (
          <Command key={verb} text={commands[verb](appKey)} />
        ))}
      </section>
      {groups
        .filter(([, entries]) => entries.length > 0)
        .map(([name, entries]) => (
          <section key={name}>
            <h2>{name}</h2>
            <dl className={css.list}>
              {entries.map(([k, v]) => (
                <div key={k}>
                  <dt>{k}</dt>
                  {v && <dd>{v.length > longest ? <Folded text={v} /> : v}</dd>}
                </div>
              ))}
            </dl>
          </section>
        ))}
    </div>
  );
}
