import { Button, Modal, Radio, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';

import { api, body, type Application } from '../../api/client';
import { t } from '../../text';
import { wordsOf } from '../../ui/state';
import { useWhy } from '../../ui/why';
import { useFollow } from './follow';
import css from './form.module.css';

interface Props {
  app: Application;
  opened: boolean;
  close: () => void;
}

/** RemoveForm deletes an Application when its name was typed. */
export function RemoveForm({ app, opened, close }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t.removeForm.title(app.row.name)}
      size="lg"
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      <Form app={app} close={close} />
    </Modal>
  );
}

type How = 'foreground' | 'background' | 'orphan';

function Form({ app, close }: Omit<Props, 'opened'>) {
  const { namespace, name, applicationSet } = app.row;
  const [objects, setObjects] = useState<How>('foreground');
  const [typed, setTyped] = useState('');
  const follow = useFollow();
  const navigate = useNavigate();
  const client = useQueryClient();
  const why = useWhy();
  const remove = useMutation({
    mutationFn: () =>
      body(
        api.DELETE('/api/v1/applications/{namespace}/{name}', {
          params: { path: { namespace, name }, query: { objects } },
          headers: why.reason,
        }),
      ),
    onSuccess: () => {
      void follow.deletion(app.row);
      void client.invalidateQueries({ queryKey: ['applications', 'list'] });
      void navigate('/applications');
    },
  });
  const ready = typed === name;
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) remove.mutate();
      }}
    >
      <p>{t.removeForm.count((app.resources ?? []).length)}</p>
      {applicationSet && <p className={css.warn}>{t.removeForm.set(applicationSet)}</p>}
      <Radio.Group label={t.removeForm.what} value={objects} onChange={(value) => setObjects(value)}>
        <div className={css.objects}>
          <Radio mt={6} value="foreground" label={t.removeForm.foreground} />
          <Radio value="background" label={t.removeForm.background} />
          <Radio value="orphan" label={t.removeForm.orphan} />
        </div>
      </Radio.Group>
      {why.field}
      <TextInput
        label={t.removeForm.confirm(name)}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={(e) => setTyped(e.currentTarget.value)}
        data-autofocus
      />
      {remove.error && (
        <p className={css.error} role="alert">
          {wordsOf(remove.error)}
        </p>
      )}
      <div className={css.buttons}>
        <Button variant="default" onClick={close}>
          {t.action.cancel}
        </Button>
        <Button type="submit" color="red" disabled={!ready} loading={remove.isPending}>
          {t.removeForm.submit}
        </Button>
      </div>
    </form>
  );
}
