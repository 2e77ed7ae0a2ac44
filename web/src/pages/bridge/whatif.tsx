import { ActionIcon, Button, Checkbox, Drawer, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'react-router';

import type { BridgeApplication, BridgeCluster, BridgePreview } from '../../api/client';
import { previewQuery } from '../../api/queries';
import { t } from '../../text';
import { Guarded } from '../../ui/guarded';
import { Icon } from '../../ui/icons';
import { useReturn } from '../../ui/return';
import { Failed, Loading, Message } from '../../ui/state';
import { Sign } from '../../ui/status';
import { Differences } from '../application/diff';
import { editText, readEdits, wishOf, type Edit } from './edits';
import css from './whatif.module.css';

interface Props {
  cluster: BridgeCluster;
  /** Edits of the address: those that were tried. */
  tried: string[];
  /** What the first edit begins with. */
  begin: Edit | undefined;
  run: (edits: string[]) => void;
  close: () => void;
}

const fresh: Edit = { in: 'label', name: '', value: '', remove: false };

/** WhatIf tells what would become of the applications if a cluster had other metadata. */
export default function WhatIf({ cluster, tried, begin, run, close }: Props) {
  useReturn();
  const edits = readEdits(tried);
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="min(980px, 100vw)"
      title={<span className={css.title}>{t.whatIf.title(cluster.name)}</span>}
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      <p className="dim">{t.whatIf.lead}</p>
      <Form cluster={cluster} first={edits.length > 0 ? edits : [begin ?? fresh]} run={run} />
      {edits.length > 0 && <Answer cluster={cluster.name} edits={edits} />}
    </Drawer>
  );
}

function Form({ cluster, first, run }: { cluster: BridgeCluster; first: Edit[]; run: (edits: string[]) => void }) {
  const [edits, setEdits] = useState(first);
  const names = useId();
  const change = (i: number, part: Partial<Edit>) => setEdits(edits.map((e, j) => (j === i ? { ...e, ...part } : e)));
  const keys = [...(cluster.keys ?? []), ...(cluster.missing ?? [])];
  const whole = edits.filter((e) => e.name !== '');
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        run(whole.map(editText));
      }}
    >
      <datalist id={names}>
        {keys.map((k) => (
          <option key={`${k.in}:${k.name}`} value={k.name} />
        ))}
      </datalist>
      {edits.map((e, i) => (
        <fieldset key={i} className={css.edit}>
          <legend className="hear">{t.whatIf.edit(i + 1)}</legend>
          <NativeSelect
            aria-label={t.whatIf.place}
            value={e.in}
            data={[
              { value: 'label', label: t.bridge.label },
              { value: 'annotation', label: t.bridge.annotation },
            ]}
            onChange={(event) => change(i, { in: event.currentTarget.value as Edit['in'] })}
          />
          <TextInput
            aria-label={t.bridge.columns.key}
            placeholder={t.bridge.columns.key}
            list={names}
            maxLength={317}
            value={e.name}
            onChange={(event) => {
              const name = event.currentTarget.value;
              const known = keys.find((k) => k.name === name);
              change(i, { name, ...(known ? { in: known.in, value: e.value || (known.value ?? '') } : {}) });
            }}
          />
          <TextInput
            aria-label={t.bridge.columns.value}
            placeholder={e.remove ? t.whatIf.gone : t.bridge.columns.value}
            disabled={e.remove}
            maxLength={65_536}
            value={e.remove ? '' : e.value}
            onChange={(event) => change(i, { value: event.currentTarget.value })}
          />
          <Checkbox
            label={t.whatIf.remove}
            checked={e.remove}
            onChange={(event) => change(i, { remove: event.currentTarget.checked })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.whatIf.leave(e.name)}
            disabled={edits.length === 1}
            onClick={() => setEdits(edits.filter((_, j) => j !== i))}
          >
            <Icon name="close" />
          </ActionIcon>
        </fieldset>
      ))}
      <div className={css.actions}>
        <Button type="submit" disabled={whole.length === 0}>
          {t.whatIf.go}
        </Button>
        <Button
          variant="subtle"
          leftSection={<Icon name="plus" />}
          disabled={edits.length >= 20}
          onClick={() => setEdits([...edits, fresh])}
        >
          {t.whatIf.another}
        </Button>
      </div>
    </form>
  );
}

function Answer({ cluster, edits }: { cluster: string; edits: Edit[] }) {
  const query = useQuery(previewQuery(cluster, wishOf(edits)));
  if (query.data) return <Preview preview={query.data} />;
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return <Loading rows={5} />;
}

function Preview({ preview: p }: { preview: BridgePreview }) {
  const apps = p.applications ?? [];
  return (
    <section className={css.answer} aria-label={t.whatIf.answer}>
      {(p.violations ?? []).map((v) => (
        <p key={`${v.in}:${v.name}:${v.schema}`} className={css.violation} data-refused={v.refused || undefined}>
          <Icon name="warning" /> {t.whatIf.violation(`${v.in} ${v.name}`, v.message, v.schema)}{' '}
          {v.refused && t.whatIf.refused}
        </p>
      ))}
      {(p.failures ?? []).map((text) => (
        <p key={text} className={css.violation}>
          <Icon name="warning" /> {t.whatIf.unknown(text)}
        </p>
      ))}
      <Guarded list={p.guarded} verdict={p.removed > 0 ? p.verdict : undefined} />
      {apps.length === 0 ? (
        <Nothing known={(p.failures ?? []).length === 0} />
      ) : (
        <>
          <h2 role="status">{t.whatIf.summary(p.added, p.changed, p.removed, p.kept)}</h2>
          {apps.map((app) => (
            <One key={`${app.namespace}/${app.name}`} app={app} open={apps.length <= 5} />
          ))}
        </>
      )}
    </section>
  );
}

function Nothing({ known }: { known: boolean }) {
  if (!known) return <p>{t.whatIf.nothingElse}</p>;
  return (
    <Message icon="okay" title={t.whatIf.nothing}>
      <p>{t.whatIf.nothingLead}</p>
    </Message>
  );
}

const looks = {
  added: { icon: 'plus', tone: 'good' },
  changed: { icon: 'diff', tone: 'warn' },
  removed: { icon: 'minus', tone: 'bad' },
  kept: { icon: 'paused', tone: 'warn' },
} as const;

function One({ app, open }: { app: BridgeApplication; open: boolean }) {
  const objects = app.objects ?? [];
  const fields = app.fields ?? [];
  return (
    <details className={css.app} open={open}>
      <summary>
        <Sign look={looks[app.effect]} word={t.whatIf.effects[app.effect] ?? app.effect} />
        <strong>{app.name}</strong>
        {app.applicationSet && <span className="dim">{t.whatIf.of(app.applicationSet)}</span>}
        {app.effect !== 'kept' && <span className={css.size}>{t.whatIf.objects(objects.length)}</span>}
      </summary>
      {app.note && <p className={css.note}>{app.note}</p>}
      {fields.length > 0 && (
        <ul className={css.fields}>
          {fields.map((f) => (
            <li key={f.path} className="mono">
              <span className="dim">{f.path}</span> {words(f.old)} → {words(f.new)}
            </li>
          ))}
        </ul>
      )}
      {app.effect !== 'added' && (
        <p>
          <Link to={`/applications/${app.namespace}/${app.name}`}>{t.whatIf.look}</Link>
        </p>
      )}
      {objects.length > 0 && <Differences list={objects} verbs={t.diff.ofWhatIf} />}
    </details>
  );
}

const words = (value: unknown) =>
  value === undefined || value === null ? t.whatIf.none : typeof value === 'string' ? value : JSON.stringify(value);
