import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';

import { t } from '../text';
import { Command } from './copy';
import { Note } from './form';
import css from './heldlist.module.css';
import { Icon } from './icons';
import { wordsOf } from './state';
import { useTell } from './toast';
import { useWhy, type Reason } from './why';

/** How many minutes an approval holds, as its text says. */
export const approvedFor = 60;

interface Props {
  title: string;
  /** What becomes of them when the word is given. */
  lead: string;
  /** How many there are; the items may be fewer. */
  count: number;
  /** Whether there are others that one may not see. */
  others?: boolean | undefined;
  items: { key: string; text: ReactNode }[];
  /** What the button says; nobody but who may has it. */
  act: string;
  may: boolean;
  command: string;
  give: (headers: Reason) => Promise<unknown>;
  given: string;
  /** The first word of the queries that show them. */
  kind: 'applications' | 'sets';
}

/** HeldList are deletions that wait for somebody's word, who sees all of them before. */
export function HeldList(p: Props) {
  const [asking, ask] = useState(false);
  return (
    <section aria-label={p.title} className={css.held}>
      <Icon name="bin" size={18} />
      <div className={css.text}>
        <h2>{p.title}</h2>
        <p className="dim">{p.may ? t.held.way : t.held.mayNot}</p>
        <p className={css.ways}>
          {p.may && (
            <Button size="compact-sm" variant="default" onClick={() => ask(true)}>
              {p.act}…
            </Button>
          )}
          <Command text={p.command} />
        </p>
      </div>
      {asking && <Ask {...p} close={() => ask(false)} />}
    </section>
  );
}

function Ask({ close, ...p }: Props & { close: () => void }) {
  const client = useQueryClient();
  const tell = useTell();
  const why = useWhy();
  const give = useMutation({
    mutationFn: () => p.give(why.reason),
    onSuccess: () => {
      tell.good(p.given);
      close();
    },
    // What is refused is often another list by now: it comes with the next answer.
    onSettled: () => client.invalidateQueries({ queryKey: [p.kind] }),
  });
  const more = p.count - p.items.length;
  return (
    <Modal opened onClose={close} title={p.title} size="lg" closeButtonProps={{ 'aria-label': t.action.close }}>
      <div className={css.form}>
        <p>{p.lead}</p>
        <ul className={css.list} tabIndex={0} aria-label={p.title}>
          {p.items.map((i) => (
            <li key={i.key}>{i.text}</li>
          ))}
          {more > 0 && <li className="dim">{t.held.more(more)}</li>}
          {p.others && <li className="dim">{t.held.unseen}</li>}
        </ul>
        {why.field}
        {give.error && <Note tone="bad">{wordsOf(give.error)}</Note>}
        <div className={css.buttons}>
          <Button variant="default" onClick={close}>
            {t.action.cancel}
          </Button>
          <Button color="red.9" loading={give.isPending} onClick={() => give.mutate()}>
            {p.act}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
