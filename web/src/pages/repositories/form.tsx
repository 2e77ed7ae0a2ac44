import { Button, Checkbox, NumberInput, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';

import { api, body, type Repository } from '../../api/client';
import { projectsQuery } from '../../api/queries';
import { t } from '../../text';
import { faultsOf, Probed, Rejected, Secret, Unsaved, useDraft } from '../../ui/form';
import css from '../../ui/form.module.css';
import type { Reason } from '../../ui/why';
import {
  asKind,
  kindOf,
  newDraft,
  wishOf,
  type Begin,
  type Draft,
  type Kind,
  type Method,
  type SecretName,
} from './wish';

interface Props {
  /** The one that is changed; null for a new one. */
  repository: Repository | null;
  template: boolean;
  /** What a new one begins with. */
  begin?: Begin | undefined;
  done: (saved: Repository) => void;
  reload?: () => void;
}

const words = t.repositories;

/** RepositoryForm connects a repository, or changes what is stored of one. */
export function RepositoryForm({ repository, template, begin, done, reload }: Props) {
  const stored = repository?.credentials ?? [];
  const test = useMutation({
    mutationFn: (wish: Draft) =>
      body(
        api.POST('/api/v1/repositories/test', {
          body: {
            ...wishOf(wish, stored),
            ...(repository && { id: repository.id }),
            ...(template && { try: wish.tryURL.trim() }),
          },
        }),
      ),
  });
  const { draft, dirty, change, correct, save, why } = useDraft({
    first: () => newDraft(repository, template, begin),
    send: (wish, headers) => send(repository, wishOf(wish, stored), headers),
    nameOf: (saved) => saved.url,
    kind: 'repositories',
    done,
    entered: () => test.reset(),
  });
  const faults = { ...faultsOf(test.error), ...faultsOf(save.error) };
  return (
    <form
      className={`card ${css.form ?? ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Unsaved dirty={dirty} />
      <Place draft={draft} change={change} faults={faults} template={template} />
      <Select
        label={words.method}
        allowDeselect={false}
        data={Object.entries(words.methods)
          .filter(([value]) => value !== 'google' || draft.method === 'google')
          .map(([value, label]) => ({ value, label }))}
        value={draft.method}
        onChange={(value) => value && change({ method: value as Method })}
      />
      <SignIn draft={draft} change={change} faults={faults} stored={stored} />
      <More draft={draft} change={change} faults={faults} stored={stored} />
      {template && (
        <TextInput
          label={words.tryURL}
          description={words.tryHint}
          error={faults.try}
          value={draft.tryURL}
          maxLength={4096}
          spellCheck={false}
          onChange={(e) => change({ tryURL: e.currentTarget.value })}
        />
      )}
      {why.field}
      <Probed probe={test.data} />
      <Rejected error={save.error ?? test.error} reload={reload} />
      <div className={css.buttons}>
        <Button
          variant="default"
          loading={test.isPending}
          onClick={() => {
            correct();
            test.mutate(draft);
          }}
        >
          {t.form.test}
        </Button>
        <Button className={css.last ?? ''} type="submit" loading={save.isPending}>
          {repository ? t.form.save : template ? words.addTemplate : words.connect}
        </Button>
      </div>
    </form>
  );
}

const send = (repository: Repository | null, wish: ReturnType<typeof wishOf>, headers: Reason): Promise<Repository> =>
  repository
    ? body(
        api.PUT('/api/v1/repositories/{id}', {
          params: { path: { id: repository.id }, header: { 'If-Match': repository.version } },
          body: wish,
          headers,
        }),
      )
    : body(api.POST('/api/v1/repositories', { body: wish, headers }));

interface PartProps {
  draft: Draft;
  change: (next: Partial<Draft>) => void;
  faults: Record<string, string>;
}

type TextField = 'url' | 'name' | 'project' | 'username' | 'noProxy' | 'githubAppBaseURL';

/** texts are the properties of a field with one line of text. */
const texts = ({ draft, change, faults }: PartProps, name: TextField) => ({
  value: draft.fields[name] ?? '',
  error: faults[name],
  spellCheck: false,
  autoComplete: 'off',
  onChange: (e: React.ChangeEvent<HTMLInputElement>) =>
    change({ fields: { ...draft.fields, [name]: e.currentTarget.value } }),
});

type NumberField = 'depth' | 'githubAppID' | 'githubAppInstallationID';

const numbers = ({ draft, change, faults }: PartProps, name: NumberField) => ({
  value: draft.fields[name] || '',
  error: faults[name],
  min: 0,
  allowDecimal: false,
  allowNegative: false,
  hideControls: true,
  onChange: (value: number | string) => change({ fields: { ...draft.fields, [name]: Number(value) || 0 } }),
});

type Flag = 'insecure' | 'forceBasicAuth' | 'plainHTTP';

const flags = ({ draft, change }: PartProps, name: Flag) => ({
  checked: draft.fields[name] ?? false,
  onChange: (e: React.ChangeEvent<HTMLInputElement>) =>
    change({ fields: { ...draft.fields, [name]: e.currentTarget.checked } }),
});

function Place(props: PartProps & { template: boolean }) {
  const { draft, change, template } = props;
  const projects = useQuery(projectsQuery).data ?? [];
  return (
    <>
      <TextInput
        required
        label={template ? words.urlTemplate : words.url}
        description={words.urlHint}
        maxLength={4096}
        {...texts(props, 'url')}
      />
      <div className={css.pair}>
        <Select
          label={words.type}
          allowDeselect={false}
          data={Object.entries(words.types).map(([value, label]) => ({ value, label }))}
          value={kindOf(draft.fields)}
          onChange={(value) => value && change({ fields: asKind(draft.fields, value as Kind) })}
        />
        <Select
          label={words.projectField}
          description={words.projectHint}
          clearable
          searchable
          error={props.faults.project}
          data={[...new Set([...projects.map((p) => p.name), draft.fields.project ?? ''])].filter(Boolean)}
          value={draft.fields.project || null}
          onChange={(value) => change({ fields: { ...draft.fields, project: value ?? '' } })}
        />
      </div>
      {!template && <TextInput label={words.name} maxLength={253} {...texts(props, 'name')} />}
    </>
  );
}

type StoredProps = PartProps & { stored: readonly string[] };

/** secret are the properties of a field that is written, and not read. */
const secret = ({ draft, change, faults, stored }: StoredProps, name: SecretName) => ({
  label: words[name],
  stored: stored.includes(name),
  value: draft.secrets[name],
  error: faults[`secrets.${name}`],
  change: (value: string | null) => change({ secrets: { ...draft.secrets, [name]: value } }),
});

function SignIn(props: StoredProps) {
  switch (props.draft.method) {
    case 'none':
      return null;
    case 'basic':
      return (
        <div className={css.pair}>
          <TextInput label={words.username} maxLength={1024} {...texts(props, 'username')} />
          <Secret {...secret(props, 'password')} />
        </div>
      );
    case 'bearer':
      return <Secret {...secret(props, 'bearerToken')} />;
    case 'ssh':
      return <Secret lines {...secret(props, 'sshPrivateKey')} />;
    case 'google':
      return <Secret lines {...secret(props, 'gcpServiceAccountKey')} />;
    case 'app':
      return (
        <>
          <div className={css.pair}>
            <NumberInput label={words.githubAppID} {...numbers(props, 'githubAppID')} />
            <NumberInput label={words.githubAppInstallationID} {...numbers(props, 'githubAppInstallationID')} />
          </div>
          <TextInput label={words.githubAppBaseURL} {...texts(props, 'githubAppBaseURL')} />
          <Secret lines {...secret(props, 'githubAppPrivateKey')} />
        </>
      );
  }
}

function More(props: StoredProps) {
  const { fields } = props.draft;
  const used = ['tlsClientCertData', 'proxy'].some((n) => props.stored.includes(n)) || fields.insecure === true;
  return (
    <details className={css.more} open={used}>
      <summary>{words.more}</summary>
      <div>
        <div className={css.pair}>
          <Secret lines {...secret(props, 'tlsClientCertData')} />
          <Secret lines {...secret(props, 'tlsClientCertKey')} />
        </div>
        <div className={css.pair}>
          <Secret {...secret(props, 'proxy')} />
          <TextInput label={words.noProxy} {...texts(props, 'noProxy')} />
        </div>
        {kindOf(fields) === 'git' && (
          <NumberInput label={words.depth} description={words.depthHint} {...numbers(props, 'depth')} />
        )}
        <Checkbox label={words.insecure} description={words.insecureHint} {...flags(props, 'insecure')} />
        <Checkbox label={words.forceBasicAuth} {...flags(props, 'forceBasicAuth')} />
        {(fields.enableOCI === true || fields.type === 'oci') && (
          <Checkbox label={words.plainHTTP} {...flags(props, 'plainHTTP')} />
        )}
      </div>
    </details>
  );
}
