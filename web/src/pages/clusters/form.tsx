import { Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { api, body, type Member } from '../../api/client';
import { projectsQuery } from '../../api/queries';
import { t } from '../../text';
import { faultsOf, Note, Probed, Rejected, Secret, Unsaved, useDraft } from '../../ui/form';
import css from '../../ui/form.module.css';
import type { Reason } from '../../ui/why';
import { newDraft, paired, together, unfitOf, wishOf, type Draft, type Method, type SecretName } from './wish';

interface Props {
  /** The one that is changed; null for a new one. */
  member: Member | null;
  done: (saved: Member) => void;
  reload?: () => void;
}

const words = t.clusterForm;

/** ClusterForm connects a cluster, or changes what is stored of one. */
export function ClusterForm({ member, done, reload }: Props) {
  const stored = member?.credentials ?? [];
  const asked = (wish: Draft) => ({ ...wishOf(wish, stored), ...(member && { id: member.id }) });
  const test = useMutation({
    mutationFn: (wish: Draft) => body(api.POST('/api/v1/clusters/test', { body: asked(wish) })),
  });
  // What else does not fit is told in the same round as what only this form can tell.
  const check = useMutation({
    mutationFn: (wish: Draft) => body(api.POST('/api/v1/clusters/test', { body: { ...asked(wish), check: true } })),
  });
  const [unfit, setUnfit] = useState<Record<string, string>>({});
  const { draft, dirty, change, correct, save, why } = useDraft({
    first: () => newDraft(member),
    send: (wish, headers) => send(member, wishOf(wish, stored), headers),
    nameOf: (saved) => saved.name,
    kind: 'clusters',
    done,
    entered: () => {
      test.reset();
      check.reset();
      setUnfit({});
    },
  });
  /** fits looks at what only this form can tell: lines are sent as maps. */
  const fits = () => {
    const found = unfitOf(draft);
    setUnfit(found);
    correct();
    test.reset();
    const all = Object.keys(found).length === 0;
    if (!all) check.mutate(paired(draft));
    return all;
  };
  const faults = { ...faultsOf(test.error), ...faultsOf(save.error), ...together(unfit, faultsOf(check.error)) };
  const props = { draft, change, faults, stored };
  return (
    <form
      className={`card ${css.form ?? ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (fits()) save.mutate();
      }}
    >
      <Unsaved dirty={dirty} />
      <Place {...props} />
      <Select
        label={words.method}
        allowDeselect={false}
        data={Object.entries(words.methods).map(([value, label]) => ({ value, label }))}
        value={draft.method}
        onChange={(value) => value && change({ method: value as Method })}
      />
      <SignIn {...props} />
      <Trust {...props} />
      <Metadata {...props} />
      {why.field}
      <Probed probe={test.data} />
      {Object.keys(unfit).length > 0 && <Note tone="bad">{t.form.wrong}</Note>}
      <Rejected error={save.error ?? test.error} reload={reload} />
      <div className={css.buttons}>
        <Button variant="default" loading={test.isPending} onClick={() => fits() && test.mutate(draft)}>
          {t.form.test}
        </Button>
        <Button className={css.last ?? ''} type="submit" loading={save.isPending}>
          {member ? t.form.save : words.connect}
        </Button>
      </div>
    </form>
  );
}

const send = (member: Member | null, wish: ReturnType<typeof wishOf>, headers: Reason): Promise<Member> =>
  member
    ? body(
        api.PUT('/api/v1/clusters/{id}', {
          params: { path: { id: member.id }, header: { 'If-Match': member.version } },
          body: wish,
          headers,
        }),
      )
    : body(api.POST('/api/v1/clusters', { body: wish, headers }));

interface PartProps {
  draft: Draft;
  change: (next: Partial<Draft>) => void;
  faults: Record<string, string>;
  stored: readonly string[];
}

type TextField = 'name' | 'server' | 'username' | 'serverName' | 'ca' | 'command' | 'commandVersion';

/** texts are the properties of a field with text. */
const texts = ({ draft, change, faults }: PartProps, name: TextField) => ({
  value: draft.fields[name] ?? '',
  error: faults[name],
  spellCheck: false,
  autoComplete: 'off',
  onChange: (e: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    change({ fields: { ...draft.fields, [name]: e.currentTarget.value } }),
});

/** manyLines are the properties of a field with an entry a line. */
const manyLines = ({ draft, change, faults }: PartProps, name: 'labels' | 'annotations' | 'namespaces') => ({
  value: draft[name],
  error: faults[name],
  spellCheck: false,
  rows: 3,
  onChange: (e: React.ChangeEvent<HTMLTextAreaElement>) => change({ [name]: e.currentTarget.value }),
});

/** secret are the properties of a field that is written, and not read. */
const secret = ({ draft, change, faults, stored }: PartProps, name: SecretName) => ({
  label: words[name],
  stored: stored.includes(name),
  value: draft.secrets[name],
  error: faults[`secrets.${name}`],
  change: (value: string | null) => change({ secrets: { ...draft.secrets, [name]: value } }),
});

function Place(props: PartProps) {
  const { draft, change, faults } = props;
  const projects = useQuery(projectsQuery).data ?? [];
  return (
    <>
      <div className={css.pair}>
        <TextInput required label={words.name} maxLength={253} {...texts(props, 'name')} />
        <Select
          label={t.repositories.projectField}
          clearable
          searchable
          placeholder={t.repositories.anyProject}
          error={faults.project}
          data={[...new Set([...projects.map((p) => p.name), draft.fields.project ?? ''])].filter(Boolean)}
          value={draft.fields.project || null}
          onChange={(value) => change({ fields: { ...draft.fields, project: value ?? '' } })}
        />
      </div>
      <TextInput
        required
        label={words.server}
        description={words.serverHint}
        maxLength={4096}
        {...texts(props, 'server')}
      />
    </>
  );
}

function SignIn(props: PartProps) {
  const { draft, change, faults } = props;
  const aws = (name: 'clusterName' | 'roleARN' | 'profile') => ({
    label: words[name],
    value: draft.aws[name] ?? '',
    error: faults[`aws.${name}`],
    spellCheck: false,
    onChange: (e: React.ChangeEvent<HTMLInputElement>) =>
      change({ aws: { ...draft.aws, [name]: e.currentTarget.value } }),
  });
  switch (draft.method) {
    case 'none':
      return null;
    case 'token':
      return <Secret {...secret(props, 'bearerToken')} />;
    case 'basic':
      return (
        <div className={css.pair}>
          <TextInput label={t.repositories.username} {...texts(props, 'username')} />
          <Secret {...secret(props, 'password')} />
        </div>
      );
    case 'cert':
      return (
        <div className={css.pair}>
          <Secret lines {...secret(props, 'certData')} />
          <Secret lines {...secret(props, 'keyData')} />
        </div>
      );
    case 'aws':
      return (
        <div className={css.pair}>
          <TextInput required {...aws('clusterName')} />
          <TextInput {...aws('roleARN')} />
          <TextInput {...aws('profile')} />
        </div>
      );
    case 'exec':
      return (
        <>
          <div className={css.pair}>
            <TextInput required label={words.command} description={words.commandHint} {...texts(props, 'command')} />
            <TextInput
              label={words.commandVersion}
              description={words.commandVersionHint}
              {...texts(props, 'commandVersion')}
            />
          </div>
          <div className={css.pair}>
            <Secret lines description={words.argsHint} {...secret(props, 'args')} />
            <Secret lines description={words.envHint} {...secret(props, 'env')} />
          </div>
        </>
      );
  }
}

function Trust(props: PartProps) {
  const { draft, change } = props;
  const flag = (name: 'insecure' | 'disableCompression') => ({
    label: words[name],
    checked: draft.fields[name] ?? false,
    onChange: (e: React.ChangeEvent<HTMLInputElement>) =>
      change({ fields: { ...draft.fields, [name]: e.currentTarget.checked } }),
  });
  return (
    <>
      <Textarea label={words.ca} description={words.caHint} rows={3} {...texts(props, 'ca')} />
      <details className={css.more} open={draft.fields.insecure === true}>
        <summary>{t.repositories.more}</summary>
        <div>
          <div className={css.pair}>
            <TextInput label={words.serverName} {...texts(props, 'serverName')} />
            <Secret {...secret(props, 'proxyUrl')} />
          </div>
          <Checkbox {...flag('insecure')} description={t.repositories.insecureHint} />
          <Checkbox {...flag('disableCompression')} />
        </div>
      </details>
    </>
  );
}

function Metadata(props: PartProps) {
  const { draft, change } = props;
  return (
    <>
      <div className={css.pair}>
        <Textarea label={words.labels} description={words.pairs} {...manyLines(props, 'labels')} />
        <Textarea label={words.annotations} description={words.pairs} {...manyLines(props, 'annotations')} />
      </div>
      <Textarea label={words.namespaces} description={words.namespacesHint} {...manyLines(props, 'namespaces')} />
      {draft.namespaces.trim() !== '' && (
        <Checkbox
          label={words.clusterResources}
          checked={draft.fields.clusterResources ?? false}
          onChange={(e) => change({ fields: { ...draft.fields, clusterResources: e.currentTarget.checked } })}
        />
      )}
    </>
  );
}
