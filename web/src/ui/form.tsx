import { Anchor, Button, Modal, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useBlocker } from 'react-router';

import { Problem } from '../api/client';
import { t } from '../text';
import css from './form.module.css';
import { wordsOf } from './state';
import { useTell } from './toast';
import { useWhy, type Reason } from './why';

/** faultsOf are what a server says of the fields that were sent, by their paths. */
export const faultsOf = (error: unknown): Record<string, string> => (error instanceof Problem ? error.fields : {});

interface SecretProps {
  label: string;
  /** Something is stored, which is never shown. */
  stored: boolean;
  /** What is entered; null keeps what is stored, an empty text takes it away. */
  value: string | null;
  change: (value: string | null) => void;
  error?: string | undefined;
  /** It has several lines, such as a key. */
  lines?: boolean;
  description?: string;
}

/** Secret is a field whose value can be written, and not read. */
export function Secret({ label, stored, value, change, error, lines, description }: SecretProps) {
  const taken = stored && value === '';
  const shared = {
    label,
    error,
    description: taken ? t.form.takenAway : stored ? t.form.isSet : description,
    placeholder: stored && !taken ? '••••••••' : '',
    value: value ?? '',
    autoComplete: 'off',
    spellCheck: false,
  };
  const typed = (text: string) => change(text === '' && stored ? null : text);
  return (
    <div className={css.secret}>
      {lines ? (
        <Textarea {...shared} rows={3} maxLength={65_536} onChange={(e) => typed(e.currentTarget.value)} />
      ) : (
        <PasswordInput
          {...shared}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t.form.show }}
          onChange={(e) => typed(e.currentTarget.value)}
        />
      )}
      {stored && (
        <span>
          <Anchor
            className={css.act ?? ''}
            component="button"
            type="button"
            size="sm"
            onClick={() => change(taken ? null : '')}
          >
            {taken ? t.form.keep : t.form.takeAway}
          </Anchor>
        </span>
      )}
    </div>
  );
}

/** Unsaved asks before somebody leaves a page with changes that are not saved. */
export function Unsaved({ dirty }: { dirty: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [dirty]);
  return (
    <Modal
      opened={blocker.state === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={t.form.unsaved}
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      <div className={css.page}>
        <p>{t.form.unsavedLead}</p>
        <div className={css.buttons}>
          <Button variant="default" data-autofocus onClick={() => blocker.reset?.()}>
            {t.form.stay}
          </Button>
          <Button color="red.9" onClick={() => blocker.proceed?.()}>
            {t.form.leave}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

interface Drafting<D, T> {
  /** What the fields have at first. */
  first: () => D;
  /** Sends what is entered, with why, and returns what is stored now. */
  send: (draft: D, headers: Reason) => Promise<T>;
  nameOf: (saved: T) => string;
  /** The first word of the queries that show it. */
  kind: 'clusters' | 'repositories' | 'projects';
  done: (saved: T) => void;
  /** What else is to do when something is entered. */
  entered?: () => void;
}

/** useDraft keeps what is entered in a form until it is saved. */
export function useDraft<D, T>({ first, send, nameOf, kind, done, entered }: Drafting<D, T>) {
  const [draft, setDraft] = useState(first);
  const [dirty, setDirty] = useState(false);
  const client = useQueryClient();
  const tell = useTell();
  const why = useWhy();
  const goOn = useSaved(done);
  const save = useMutation({
    mutationFn: () => send(draft, why.reason),
    onSuccess: (saved) => {
      setDirty(false);
      tell.good(t.form.saved(nameOf(saved)));
      void client.invalidateQueries({ queryKey: [kind] });
      goOn(saved);
    },
  });
  /** correct forgets what was said of what is not entered any more. */
  const correct = () => {
    if (!save.isPending) save.reset();
  };
  const change = (next: Partial<D>) => {
    setDraft((old) => ({ ...old, ...next }));
    setDirty(true);
    correct();
    entered?.();
  };
  return { draft, dirty, change, correct, save, why };
}

/** useSaved goes on when something was saved: after the guard has seen that nothing is left to save. */
function useSaved<T>(done: (saved: T) => void): (saved: T) => void {
  const [saved, setSaved] = useState<{ it: T } | null>(null);
  const latest = useRef(done);
  useEffect(() => {
    latest.current = done;
  });
  useEffect(() => {
    if (saved) latest.current(saved.it);
  }, [saved]);
  return (it) => setSaved({ it });
}

interface RemoveProps {
  /** What is to be typed. */
  name: string;
  opened: boolean;
  close: () => void;
  remove: (headers: Reason) => void;
  pending: boolean;
  error: unknown;
  children: ReactNode;
}

/** Remove deletes something when its name was typed. */
export function Remove({ name, opened, close, remove, pending, error, children }: RemoveProps) {
  const [typed, setTyped] = useState('');
  const why = useWhy();
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t.form.removeTitle(name)}
      size="lg"
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      <form
        className={css.remove}
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === name) remove(why.reason);
        }}
      >
        {children}
        {why.field}
        <TextInput
          label={t.form.removeConfirm(name)}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          onChange={(e) => setTyped(e.currentTarget.value)}
        />
        {error !== null && error !== undefined && <Note tone="bad">{wordsOf(error)}</Note>}
        <div className={css.buttons}>
          <Button className={css.last ?? ''} variant="default" onClick={close}>
            {t.action.cancel}
          </Button>
          <Button type="submit" color="red.9" disabled={typed !== name} loading={pending}>
            {t.form.removeSubmit}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** Note is a line that stands out. */
export function Note({ tone, children }: { tone?: 'good' | 'bad' | 'warn'; children: ReactNode }) {
  return (
    <div className={css.note} data-tone={tone} role={tone === 'bad' ? 'alert' : tone === 'good' ? 'status' : undefined}>
      {children}
    </div>
  );
}

/** Probed tells whether what is described answers. */
export function Probed({ probe }: { probe: { ok: boolean; message: string; milliseconds: number } | undefined }) {
  if (!probe) return null;
  return (
    <Note tone={probe.ok ? 'good' : 'bad'}>
      {probe.message} <span className="dim">{t.form.took(probe.milliseconds)}</span>
    </Note>
  );
}

/** Rejected tells why a write was not done; what fields have to say stands beside them. */
export function Rejected({ error, reload }: { error: unknown; reload?: (() => void) | undefined }) {
  if (error === null || error === undefined) return null;
  const stale = error instanceof Problem && (error.status === 409 || error.status === 412);
  const fields = Object.keys(faultsOf(error)).filter((f) => f !== '');
  return (
    <Note tone="bad">
      <p>{fields.length > 0 ? t.form.wrong : wordsOf(error)}</p>
      {stale && reload && (
        <Anchor className={css.act ?? ''} component="button" type="button" onClick={reload}>
          {t.form.reload}
        </Anchor>
      )}
    </Note>
  );
}
