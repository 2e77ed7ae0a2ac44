import { Button, Checkbox, Modal, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { api, body, type KeyRule } from '../../api/client';
import { t } from '../../text';
import { makeKeyCommand } from '../../ui/commands';
import { Command, Copy } from '../../ui/copy';
import { Note, Rejected } from '../../ui/form';
import { useWhy } from '../../ui/why';
import forms from '../application/form.module.css';
import css from './page.module.css';
import { rulesOf, ruleText } from './rule';

const lives = [7, 30, 90, 180, 365];

/** MakeKey asks what a key is for, and shows it once. */
export function MakeKey({ close }: { close: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [days, setDays] = useState(90);
  const [reads, setReads] = useState(true);
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState('');
  const why = useWhy();
  const make = useMutation({
    mutationFn: (rules: KeyRule[]) =>
      body(
        api.POST('/api/v1/keys', {
          body: { name: name.trim(), days, scope: { readOnly: reads, rules } },
          headers: why.reason,
        }),
      ),
    // What is made is nowhere else: it is not kept longer than it is shown.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
  });
  const submit = () => {
    const { rules, bad } = rulesOf(text);
    const problem = bad ? t.keys.badRule(bad) : !reads && rules.length === 0 ? t.keys.nothing : '';
    setWrong(problem);
    if (problem === '') make.mutate(rules);
  };
  const made = make.data;
  const scope = { reads, rules: rulesOf(text).rules.map(ruleText), days };
  return (
    <Modal
      opened
      onClose={close}
      title={made ? t.keys.made(made.name) : t.keys.create}
      size="lg"
      closeOnClickOutside={!made}
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      {made ? (
        <div className={forms.form}>
          <Note tone="warn">{t.keys.once}</Note>
          <p className={css.token}>
            <code aria-label={t.keys.token}>{made.token}</code>
            <Copy text={made.token} />
          </p>
          <div className={forms.buttons}>
            <Button onClick={close}>{t.action.done}</Button>
          </div>
        </div>
      ) : (
        <form
          className={forms.form}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <TextInput
            label={t.keys.name}
            placeholder={t.keys.nameHint}
            value={name}
            required
            withAsterisk={false}
            maxLength={63}
            autoComplete="off"
            onChange={(e) => setName(e.currentTarget.value)}
            data-autofocus
          />
          <NativeSelect
            label={t.keys.days}
            value={String(days)}
            data={lives.map((n) => ({ value: String(n), label: t.keys.day(n) }))}
            onChange={(e) => setDays(Number(e.currentTarget.value))}
          />
          <Checkbox label={t.keys.reads} checked={reads} onChange={(e) => setReads(e.currentTarget.checked)} />
          <Textarea
            label={t.keys.rules}
            description={t.keys.rulesHint}
            placeholder={t.keys.rulesExample}
            rows={3}
            maxLength={20_000}
            spellCheck={false}
            value={text}
            error={wrong}
            onChange={(e) => setText(e.currentTarget.value)}
          />
          {why.field}
          <Rejected error={make.error} />
          <div className={forms.buttons}>
            {name.trim() !== '' && <Command text={makeKeyCommand(window.location.origin, name.trim(), scope)} />}
            <Button variant="default" onClick={close}>
              {t.action.cancel}
            </Button>
            <Button type="submit" loading={make.isPending} disabled={name.trim() === ''}>
              {t.keys.create}
            </Button>
          </div>
        </form>
      )}
    </Modal>
  );
}
