import { Button, Modal, PasswordInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { api, body, type Account } from '../../api/client';
import { sessionQuery } from '../../api/queries';
import { t } from '../../text';
import { Rejected } from '../../ui/form';
import { useTell } from '../../ui/toast';
import { useWhy } from '../../ui/why';
import forms from '../application/form.module.css';

const most = 1024;

/** SetPassword asks for a new password, and for the own one of who sets it. */
export function SetPassword({ account: { name }, close }: { account: Account; close: () => void }) {
  const client = useQueryClient();
  const tell = useTell();
  const local = useQuery(sessionQuery).data?.user?.via === 'local';
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const why = useWhy();
  const set = useMutation({
    mutationFn: () =>
      body(
        api.PUT('/api/v1/accounts/{name}/password', {
          params: { path: { name } },
          body: { current, password },
          headers: why.reason,
        }),
      ),
    gcTime: 0,
    onSuccess: () => {
      tell.good(t.accounts.done(name));
      void client.invalidateQueries({ queryKey: ['accounts'] });
      close();
    },
  });
  const shown = {
    maxLength: most,
    required: true,
    withAsterisk: false,
    visibilityToggleButtonProps: { 'aria-label': t.form.show },
  };
  return (
    <Modal opened onClose={close} title={t.accounts.setOf(name)} closeButtonProps={{ 'aria-label': t.action.close }}>
      <form
        className={forms.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (password === again) set.mutate();
        }}
      >
        <p>{t.accounts.setLead}</p>
        {local && (
          <PasswordInput
            {...shown}
            label={t.accounts.current}
            value={current}
            autoComplete="current-password"
            onChange={(e) => setCurrent(e.currentTarget.value)}
            data-autofocus
          />
        )}
        <PasswordInput
          {...shown}
          label={t.accounts.next}
          value={password}
          autoComplete="new-password"
          onChange={(e) => setPassword(e.currentTarget.value)}
        />
        <PasswordInput
          {...shown}
          label={t.accounts.again}
          value={again}
          autoComplete="new-password"
          error={again !== '' && again !== password ? t.accounts.differs : null}
          onChange={(e) => setAgain(e.currentTarget.value)}
        />
        {why.field}
        <Rejected error={set.error} />
        <div className={forms.buttons}>
          <Button variant="default" onClick={close}>
            {t.action.cancel}
          </Button>
          <Button type="submit" loading={set.isPending} disabled={password === '' || password !== again}>
            {t.accounts.set}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
