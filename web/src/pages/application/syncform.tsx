import { Button, Checkbox, Modal, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { api, body, type Application, type Difference, type Ref, type Resource } from '../../api/client';
import { diffQuery } from '../../api/queries';
import { t } from '../../text';
import { quoted, useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { wordsOf } from '../../ui/state';
import { Sync } from '../../ui/status';
import { useTell } from '../../ui/toast';
import { useWhy } from '../../ui/why';
import { refKey } from './address';
import css from './form.module.css';
import { optionsOf, SyncOptions } from './syncoptions';

interface Props {
  app: Application;
  opened: boolean;
  close: () => void;
}

/** SyncForm asks how to sync. */
export function SyncForm({ app, opened, close }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t.syncForm.title(app.row.name)}
      size="lg"
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      <Form app={app} close={close} />
    </Modal>
  );
}

function Form({ app, close }: Omit<Props, 'opened'>) {
  const { namespace, name, sources } = app.row;
  const key = { namespace, name };
  const [revision, setRevision] = useState('');
  const [set, setSet] = useState({ prune: false, dryRun: false, force: false, noHooks: false });
  const [options, setOptions] = useState({ set: {}, text: '' });
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const resources = app.resources ?? [];
  const picked = chosen ? resources.filter((r) => chosen.has(refKey(r))) : [];
  const tell = useTell();
  const commands = useCommands();
  const client = useQueryClient();
  const why = useWhy();
  const sync = useMutation({
    mutationFn: () =>
      body(
        api.POST('/api/v1/applications/{namespace}/{name}/sync', {
          params: { path: key },
          headers: why.reason,
          body: {
            ...set,
            options: optionsOf(options),
            ...(revision.trim() && { revision: revision.trim() }),
            ...(chosen && { resources: picked.map(bare) }),
          },
        }),
      ),
    onSuccess: () => {
      tell.good(t.syncForm.asked(name));
      void client.invalidateQueries({ queryKey: ['applications'] });
      close();
    },
  });
  const option = (name: keyof typeof set, label: string, description?: string) => (
    <Checkbox
      label={label}
      description={description}
      checked={set[name]}
      onChange={(e) => setSet({ ...set, [name]: e.currentTarget.checked })}
    />
  );
  const one = sources?.length === 1 ? sources[0]?.target : undefined;
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        sync.mutate();
      }}
    >
      <Effect app={app} />
      {option('prune', t.syncForm.prune)}
      {option('dryRun', t.syncForm.dryRun)}
      {option('force', t.syncForm.force, t.syncForm.forceHint)}
      {option('noHooks', t.syncForm.noHooks)}
      <Checkbox
        label={
          chosen
            ? `${t.syncForm.resources}: ${t.syncForm.chosen(picked.length, resources.length)}`
            : t.syncForm.resources
        }
        checked={chosen !== null}
        disabled={resources.length === 0}
        onChange={(e) =>
          setChosen(e.currentTarget.checked ? new Set(resources.filter((r) => r.sync !== 'Synced').map(refKey)) : null)
        }
      />
      {chosen && <Choice resources={resources} chosen={chosen} choose={setChosen} />}
      <TextInput
        label={t.syncForm.revision}
        placeholder={t.syncForm.revisionHint(one ?? t.syncForm.target)}
        value={revision}
        maxLength={256}
        spellCheck={false}
        onChange={(e) => setRevision(e.currentTarget.value)}
        disabled={!app.can.includes('override')}
        description={app.can.includes('override') ? undefined : t.syncForm.noOverride}
      />
      <SyncOptions options={options} change={setOptions} />
      {why.field}
      {sync.error && (
        <p className={css.error} role="alert">
          {wordsOf(sync.error)}
        </p>
      )}
      <div className={css.buttons}>
        <Command text={commands.sync(app.row, flagsOf(revision.trim(), set, optionsOf(options), picked))} />
        <Button variant="default" onClick={close}>
          {t.action.cancel}
        </Button>
        <Button type="submit" loading={sync.isPending} disabled={chosen !== null && picked.length === 0}>
          {set.dryRun ? t.syncForm.submitDry : t.syncForm.submit}
        </Button>
      </div>
    </form>
  );
}

/** Objects that are named; the difference has all. */
const named = 6;

/** Effect tells what a sync would change. */
function Effect({ app }: { app: Application }) {
  const diff = useQuery({ ...diffQuery({ namespace: app.row.namespace, name: app.row.name }), retry: false });
  const count = (verb: Difference['verb']) => (diff.data ?? []).filter((d) => d.verb === verb).length;
  if (diff.error) return <p className="dim">{t.syncForm.unknown}</p>;
  if (diff.data === undefined) return <p className="dim">{t.syncForm.looking}</p>;
  const text = t.syncForm.changes(count('create'), count('update'), count('prune'));
  const list = (diff.data ?? []).map((d) => `${d.kind} ${d.name}`);
  return (
    <>
      <p>
        {t.syncForm.lead} <strong>{text || t.syncForm.nothing}</strong>
      </p>
      {list.length > 0 && (
        <p className={`dim ${css.object ?? ''}`}>
          {list.slice(0, named).join(', ')} {list.length > named && t.syncForm.further(list.length - named)}
        </p>
      )}
    </>
  );
}

interface ChoiceProps {
  resources: Resource[];
  chosen: ReadonlySet<string>;
  choose: (chosen: ReadonlySet<string>) => void;
}

const mostShown = 200;

function Choice({ resources, chosen, choose }: ChoiceProps) {
  const [text, setText] = useState('');
  const found = resources.filter((r) => `${r.kind} ${r.name}`.toLowerCase().includes(text.toLowerCase()));
  const toggle = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    choose(next);
  };
  return (
    <div className={css.choice}>
      <div className={css.row}>
        {resources.length > 8 && (
          <TextInput
            size="xs"
            aria-label={t.syncForm.find}
            placeholder={t.syncForm.find}
            value={text}
            onChange={(e) => setText(e.currentTarget.value)}
          />
        )}
        <Button size="compact-xs" variant="subtle" onClick={() => choose(new Set(found.map(refKey)))}>
          {t.syncForm.all}
        </Button>
        <Button size="compact-xs" variant="subtle" onClick={() => choose(new Set())}>
          {t.syncForm.none}
        </Button>
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => choose(new Set(resources.filter((r) => r.sync !== 'Synced').map(refKey)))}
        >
          {t.syncForm.differing}
        </Button>
      </div>
      <div className={css.objects}>
        {found.slice(0, mostShown).map((r) => (
          <Checkbox
            key={refKey(r)}
            size="xs"
            checked={chosen.has(refKey(r))}
            onChange={() => toggle(refKey(r))}
            label={
              <span className={css.object}>
                <span className="dim">{r.kind}</span> {r.name} {r.sync && <Sync value={r.sync} compact />}
              </span>
            }
          />
        ))}
        {found.length > mostShown && <p className="dim">{t.syncForm.further(found.length - mostShown)}</p>}
      </div>
    </div>
  );
}

const bare = ({ group, version, kind, namespace, name }: Resource): Ref => ({ group, version, kind, namespace, name });

/** The flags that options have of their own. */
const short: Record<string, string> = {
  'Replace=true': '--replace',
  'ServerSideApply=true': '--server-side',
  'ApplyOutOfSyncOnly=true': '--apply-out-of-sync-only',
};

function flagsOf(revision: string, set: Record<string, boolean>, options: string[], picked: Resource[]): string[] {
  return [
    set.prune && '--prune',
    set.dryRun && '--dry-run',
    set.force && '--force',
    set.noHooks && '--no-hooks',
    ...options.map((o) => short[o] ?? `--sync-option ${quoted(o)}`),
    revision && `--revision ${quoted(revision)}`,
    ...picked.map(
      (r) => `--resource ${quoted(`${r.group ?? ''}:${r.kind}:${r.namespace ? `${r.namespace}/` : ''}${r.name}`)}`,
    ),
  ].filter((flag): flag is string => typeof flag === 'string' && flag !== '');
}
