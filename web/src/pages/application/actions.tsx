import { Button, Menu, Modal, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { api, body, type Acted, type Action, type Key, type Ref } from '../../api/client';
import { actionsQuery, refParams } from '../../api/queries';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { wordsOf } from '../../ui/state';
import { useTell } from '../../ui/toast';
import { useWhy } from '../../ui/why';
import { Fields } from './diff';
import forms from './form.module.css';

interface Props {
  app: Key;
  object: Ref;
}

/** Actions is a menu of what can be done with an object; nothing where there is nothing. */
export function Actions({ app, object }: Props) {
  const query = useQuery({ ...actionsQuery(app, object), retry: false });
  const [chosen, choose] = useState<Action | null>(null);
  const list = query.data ?? [];
  if (list.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end" withinPortal zIndex={400}>
        <Menu.Target>
          <Button size="compact-sm" variant="default" rightSection={<Icon name="down" size={14} />}>
            {t.actions.title}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {list.map((a) => (
            <Menu.Item key={a.name} disabled={a.disabled === true || !a.permitted} onClick={() => choose(a)}>
              {titleOf(a)}
              {!a.permitted && <span className="dim"> · {t.actions.denied}</span>}
              {a.permitted && a.disabled && <span className="dim"> · {t.actions.notNow}</span>}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={chosen !== null}
        onClose={() => choose(null)}
        title={chosen ? t.actions.ask(titleOf(chosen), object.kind, object.name) : ''}
        size="lg"
        zIndex={400}
        closeButtonProps={{ 'aria-label': t.action.close }}
      >
        {chosen && <Ask app={app} object={object} action={chosen} close={() => choose(null)} />}
      </Modal>
    </>
  );
}

const titleOf = (a: Action) => a.title ?? spaced(a.name);

/** spaced makes words of create-job. */
const spaced = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

/** Ask tells what an action would do before it is done. */
function Ask({ app, object, action, close }: Props & { action: Action; close: () => void }) {
  const fields = action.parameters ?? [];
  const [values, setValues] = useState<Record<string, string>>(
    Object.fromEntries(fields.map((p) => [p.name, p.default ?? ''])),
  );
  const tell = useTell();
  const commands = useCommands();
  const client = useQueryClient();
  const why = useWhy();
  const ask = (dryRun: boolean) =>
    body(
      api.POST('/api/v1/applications/{namespace}/{name}/objects/actions', {
        params: { path: app, query: refParams(object) },
        body: { action: action.name, parameters: values, dryRun },
        headers: dryRun ? {} : why.reason,
      }),
    );
  const missing = fields.some((p) => !values[p.name]);
  const would = useQuery({
    queryKey: ['applications', 'action', app.namespace, app.name, object, action.name, values],
    queryFn: () => ask(true),
    enabled: !missing,
    retry: false,
    staleTime: 0,
  });
  const act = useMutation({
    mutationFn: () => ask(false),
    onSuccess: () => {
      tell.good(t.actions.done(titleOf(action), object.name));
      void client.invalidateQueries({ queryKey: ['applications'] });
      close();
    },
  });
  return (
    <form
      className={forms.form}
      onSubmit={(event) => {
        event.preventDefault();
        act.mutate();
      }}
    >
      {fields.map((p) => (
        <TextInput
          key={p.name}
          label={p.name}
          value={values[p.name] ?? ''}
          maxLength={1024}
          required
          onChange={(e) => setValues({ ...values, [p.name]: e.currentTarget.value })}
        />
      ))}
      {!missing && <Would list={would.data ?? undefined} error={would.error} />}
      {why.field}
      {act.error && (
        <p className={forms.error} role="alert">
          {wordsOf(act.error)}
        </p>
      )}
      <div className={forms.buttons}>
        <Command text={commands.action(app, object, action.name, values)} />
        <Button variant="default" onClick={close}>
          {t.action.cancel}
        </Button>
        <Button type="submit" loading={act.isPending} disabled={missing}>
          {titleOf(action)}
        </Button>
      </div>
    </form>
  );
}

function Would({ list, error }: { list: Acted[] | undefined; error: unknown }) {
  if (error) return <p className={forms.warn}>{t.actions.unknown(wordsOf(error))}</p>;
  if (!list) return <p className="dim">{t.actions.looking}</p>;
  if (list.every((d) => d.verb === 'keep')) return <p>{t.actions.nothing}</p>;
  return (
    <div className={forms.form}>
      {list.map((d, i) => (
        <div key={i}>
          <p>
            <span className="dim">{d.kind}</span> <strong>{d.name}</strong> {t.diff.verbs[d.verb] ?? d.verb}
          </p>
          <Fields difference={{ ...d, verb: d.verb }} />
        </div>
      ))}
    </div>
  );
}
