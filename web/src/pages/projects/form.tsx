import { Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { type ReactNode } from 'react';

import { api, body, type ProjectDetail } from '../../api/client';
import { t } from '../../text';
import { faultsOf, Rejected, Unsaved, useDraft } from '../../ui/form';
import css from '../../ui/form.module.css';
import type { Reason } from '../../ui/why';
import { newDestination, newDraft, newRole, newWindow, specOf, type Draft, type KindList } from './wish';

interface Props {
  /** The one that is changed; null for a new one. */
  project: ProjectDetail | null;
  done: (saved: ProjectDetail) => void;
  reload?: () => void;
}

const words = t.projectForm;

/** ProjectForm makes a project, or changes one. */
export function ProjectForm({ project, done, reload }: Props) {
  const before = project?.spec ?? {};
  const { draft, dirty, change, save, why } = useDraft({
    first: () => newDraft(project?.name ?? '', before),
    send: (wish, headers) => send(project, { name: wish.name.trim(), spec: specOf(wish, before) }, headers),
    nameOf: (saved) => saved.name,
    kind: 'projects',
    done,
  });
  const faults = faultsOf(save.error);
  const props = { draft, change, faults };
  return (
    <form
      className={`card ${css.form ?? ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Unsaved dirty={dirty} />
      {!project && (
        <TextInput
          required
          label={words.name}
          error={faults.name}
          value={draft.name}
          maxLength={253}
          spellCheck={false}
          onChange={(e) => change({ name: e.currentTarget.value })}
        />
      )}
      <TextInput
        label={words.description}
        value={draft.description}
        maxLength={255}
        onChange={(e) => change({ description: e.currentTarget.value })}
      />
      <Lines {...props} name="repos" label={t.projects.repos} hint={words.reposHint} fault="spec.sourceRepos" />
      <Destinations {...props} />
      <Kinds {...props} />
      <Roles {...props} />
      <Windows {...props} />
      <Lines
        {...props}
        name="sourceNamespaces"
        label={words.sourceNamespaces}
        hint={words.sourceNamespacesHint}
        fault="spec.sourceNamespaces"
      />
      <Checkbox
        label={words.orphans}
        checked={draft.orphans}
        onChange={(e) => change({ orphans: e.currentTarget.checked })}
      />
      {draft.orphans && (
        <Checkbox label={words.warn} checked={draft.warn} onChange={(e) => change({ warn: e.currentTarget.checked })} />
      )}
      {why.field}
      <Rejected error={save.error} reload={reload} />
      <div className={css.buttons}>
        <Button className={css.last ?? ''} type="submit" loading={save.isPending}>
          {project ? t.form.save : words.create}
        </Button>
      </div>
    </form>
  );
}

const send = (
  project: ProjectDetail | null,
  wish: { name: string; spec: ReturnType<typeof specOf> },
  headers: Reason,
): Promise<ProjectDetail> =>
  project
    ? body(
        api.PUT('/api/v1/projects/{name}', {
          params: { path: { name: project.name }, header: { 'If-Match': project.version } },
          body: wish,
          headers,
        }),
      )
    : body(api.POST('/api/v1/projects', { body: wish, headers }));

interface PartProps {
  draft: Draft;
  change: (next: Partial<Draft>) => void;
  faults: Record<string, string>;
}

/** faultAt is what is wrong with a field, or with an entry of it. */
const faultAt = (faults: Record<string, string>, path: string) =>
  Object.entries(faults).find(
    ([field]) => field === path || field.startsWith(`${path}[`) || field.startsWith(`${path}.`),
  )?.[1];

interface LinesProps extends PartProps {
  name: 'repos' | 'sourceNamespaces';
  label: string;
  hint: string;
  fault: string;
}

function Lines({ draft, change, faults, name, label, hint, fault }: LinesProps) {
  return (
    <Textarea
      label={label}
      description={hint}
      rows={3}
      spellCheck={false}
      error={faultAt(faults, fault)}
      value={draft[name]}
      onChange={(e) => change({ [name]: e.currentTarget.value })}
    />
  );
}

interface EntriesProps<T> {
  title: string;
  add: string;
  list: T[];
  fresh: T;
  set: (list: T[]) => void;
  faults: Record<string, string>;
  path: string;
  children: (entry: T, put: (next: Partial<T>) => void, n: number) => ReactNode;
}

/** Entries are parts of a form that there may be several of. */
function Entries<T>({ title, add, list, fresh, set, faults, path, children }: EntriesProps<T>) {
  const general = faults[path];
  return (
    <fieldset className={css.set}>
      <legend>{title}</legend>
      {general && (
        <p className={css.note} data-tone="bad">
          {general}
        </p>
      )}
      {list.map((entry, i) => {
        const fault = faultAt(faults, `${path}[${i}]`);
        return (
          <div key={i} className={css.entry}>
            {children(entry, (next) => set(list.map((o, at) => (at === i ? { ...o, ...next } : o))), i + 1)}
            {fault && (
              <p className={css.note} data-tone="bad">
                {fault}
              </p>
            )}
            <Button
              className={css.last ?? ''}
              variant="subtle"
              color="red"
              size="compact-sm"
              aria-label={`${words.drop} ${title} ${i + 1}`}
              onClick={() => set(list.filter((_, at) => at !== i))}
            >
              {words.drop}
            </Button>
          </div>
        );
      })}
      <Button variant="default" size="xs" className={css.first ?? ''} onClick={() => set([...list, fresh])}>
        {add}
      </Button>
    </fieldset>
  );
}

/** text are the properties of a field of an entry. */
function text<T extends object>(entry: T, put: (next: Partial<T>) => void, name: keyof T) {
  return {
    value: entry[name] as string,
    spellCheck: false,
    onChange: (e: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      put({ [name]: e.currentTarget.value } as unknown as Partial<T>),
  };
}

function Destinations({ draft, change, faults }: PartProps) {
  return (
    <Entries
      title={t.projects.destinations}
      add={words.addDestination}
      list={draft.destinations}
      fresh={newDestination}
      set={(destinations) => change({ destinations })}
      faults={faults}
      path="spec.destinations"
    >
      {(entry, put) => (
        <div className={css.pair}>
          <TextInput label={words.cluster} description={words.clusterHint} {...text(entry, put, 'cluster')} />
          <TextInput label={words.namespace} description={words.namespaceHint} {...text(entry, put, 'namespace')} />
        </div>
      )}
    </Entries>
  );
}

function Kinds({ draft, change, faults }: PartProps) {
  return (
    <details className={css.more} open={Object.values(draft.kinds).some(Boolean)}>
      <summary>{words.kinds}</summary>
      <div>
        <p className="dim">{words.kindsHint}</p>
        <div className={css.pair}>
          {(Object.keys(draft.kinds) as KindList[]).map((name) => (
            <Textarea
              key={name}
              label={words[name]}
              rows={3}
              spellCheck={false}
              error={faultAt(faults, `spec.${name}`)}
              value={draft.kinds[name]}
              onChange={(e) => change({ kinds: { ...draft.kinds, [name]: e.currentTarget.value } })}
            />
          ))}
        </div>
      </div>
    </details>
  );
}

function Roles({ draft, change, faults }: PartProps) {
  return (
    <Entries
      title={t.projects.roles}
      add={words.addRole}
      list={draft.roles}
      fresh={newRole}
      set={(roles) => change({ roles })}
      faults={faults}
      path="spec.roles"
    >
      {(entry, put) => (
        <>
          <div className={css.pair}>
            <TextInput required label={words.roleName} {...text(entry, put, 'name')} />
            <TextInput label={words.description} {...text(entry, put, 'description')} />
          </div>
          <Textarea
            label={words.policies}
            description={words.policiesHint(draft.name || 'NAME', entry.name || 'ROLE')}
            rows={3}
            {...text(entry, put, 'policies')}
          />
          <Textarea label={words.groups} description={words.groupsHint} rows={2} {...text(entry, put, 'groups')} />
        </>
      )}
    </Entries>
  );
}

function Windows({ draft, change, faults }: PartProps) {
  return (
    <Entries
      title={t.projects.windows}
      add={words.addWindow}
      list={draft.windows}
      fresh={newWindow}
      set={(windows) => change({ windows })}
      faults={faults}
      path="spec.syncWindows"
    >
      {(entry, put) => (
        <>
          <div className={css.pair}>
            <Select
              label={words.windowKind}
              allowDeselect={false}
              data={[
                { value: 'allow', label: words.allow },
                { value: 'deny', label: words.deny },
              ]}
              value={entry.kind}
              onChange={(kind) => kind && put({ kind })}
            />
            <TextInput
              required
              label={words.schedule}
              description={words.scheduleHint}
              {...text(entry, put, 'schedule')}
            />
            <TextInput
              required
              label={words.duration}
              description={words.durationHint}
              {...text(entry, put, 'duration')}
            />
            <TextInput label={words.timeZone} description={words.timeZoneHint} {...text(entry, put, 'timeZone')} />
            <TextInput label={t.nav.applications} description={words.globs} {...text(entry, put, 'applications')} />
            <TextInput label={words.namespaces} description={words.globs} {...text(entry, put, 'namespaces')} />
            <TextInput label={t.nav.clusters} description={words.globs} {...text(entry, put, 'clusters')} />
          </div>
          <Checkbox
            label={words.manualSync}
            checked={entry.manualSync}
            onChange={(e) => put({ manualSync: e.currentTarget.checked })}
          />
        </>
      )}
    </Entries>
  );
}
