import { Button, Modal } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';

import { t } from '../../text';
import { Note } from '../../ui/form';
import { wordsOf } from '../../ui/state';
import { useWhy, type Reason } from '../../ui/why';
import forms from '../application/form.module.css';

interface Props {
  title: string;
  lead: string;
  /** What the button says that does it. */
  act: string;
  doing: UseMutationResult<unknown, Error, Reason>;
  close: () => void;
}

/** Confirm asks before something is ended. */
export function Confirm({ title, lead, act, doing, close }: Props) {
  const why = useWhy();
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ 'aria-label': t.action.close }}>
      <div className={forms.form}>
        <p>{lead}</p>
        {why.field}
        {doing.error && <Note tone="bad">{wordsOf(doing.error)}</Note>}
        <div className={forms.buttons}>
          <Button variant="default" onClick={close}>
            {t.action.cancel}
          </Button>
          <Button color="red" loading={doing.isPending} onClick={() => doing.mutate(why.reason)}>
            {act}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
