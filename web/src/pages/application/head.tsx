import { ActionIcon, Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'react-router';

import { api, body, type Application, type Operation } from '../../api/client';
import { isRefreshing } from '../../api/queries';
import { t } from '../../text';
import { useCommands, useControl } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { useKeys } from '../../ui/keys';
import { wordsOf } from '../../ui/state';
import { Health, OperationSign, Sign, Sync } from '../../ui/status';
import { Ago } from '../../ui/time';
import { useHeading } from '../../ui/title';
import { useTell } from '../../ui/toast';
import { Trail } from '../../ui/trail';
import { pathOf, shortRevision } from '../applications/rows';
import { useFollow } from './follow';
import css from './head.module.css';
import { parentOf } from './parent';
import { RemoveForm } from './removeform';
import { SyncForm } from './syncform';

/** Head tells what an Application is and how it fares, and what can be done. */
export function Head({ app }: { app: Application }) {
  const heading = useHeading();
  const { row, operation } = app;
  const running = runs(operation);
  return (
    <header className={css.head}>
      <Trail to="/applications" name={t.app.back} />
      <div className={css.title}>
        <h1 ref={heading} tabIndex={-1}>
          {row.name}
        </h1>
        <span className={css.signs} role="status">
          <Health value={row.health} />
          <Sync value={row.sync} />
          {running && <OperationSign value={operation?.phase ?? ''} />}
          {isRefreshing(app) && <Sign look={{ icon: 'synced', tone: 'busy' }} word={t.app.refreshing} />}
        </span>
        <Actions app={app} running={running} />
      </div>
      <Facts app={app} />
    </header>
  );
}

/** runs tells that an operation has not ended. */
const runs = (operation: Operation | undefined) => operation?.phase === 'Running' || operation?.phase === 'Terminating';

/** Notes tell what is about to happen to it. */
export function Notes({ app }: { app: Application }) {
  return (
    <>
      {app.deleting && <p className={css.note}>{t.app.deleting}</p>}
      {app.pending && !runs(app.operation) && <p className={css.note}>{t.app.pending}</p>}
    </>
  );
}

function Facts({ app }: { app: Application }) {
  const { row, operation } = app;
  const parent = parentOf(app, useControl());
  const source = row.sources?.[0];
  // What was gone back to runs, whatever Git has.
  const revision = app.deployed?.[0] ?? source?.revision;
  const { facts } = t.app;
  const filtered = (name: string, value: string) =>
    `/applications?${new URLSearchParams({ [name]: value }).toString()}`;
  return (
    <dl className={css.facts}>
      <div>
        <dt>{facts.cluster}</dt>
        <dd>
          <Link to={filtered('cluster', row.cluster)}>{row.cluster}</Link>
          {row.destination && <span className="dim"> / {row.destination}</span>}
        </dd>
      </div>
      <div>
        <dt>{facts.project}</dt>
        <dd>
          <Link to={filtered('project', row.project)}>{row.project}</Link>
        </dd>
      </div>
      {source && (
        <div className={css.wide}>
          <dt>{facts.source}</dt>
          <dd className="cut" title={source.repoURL}>
            {source.repoURL} <span className="dim">{source.chart ?? source.path}</span>
            {(row.sources?.length ?? 0) > 1 && <span className="dim"> {t.list.sources(row.sources?.length ?? 0)}</span>}
          </dd>
        </div>
      )}
      {source && (
        <div>
          <dt>{facts.revision}</dt>
          <dd className="cut mono" title={revision}>
            {[...new Set([source.target, shortRevision(revision)])].filter(Boolean).join(' · ')}
            {source.revision && source.revision !== revision && (
              <span className="dim"> {t.app.inGit(shortRevision(source.revision))}</span>
            )}
          </dd>
        </div>
      )}
      {parent && (
        <div>
          <dt>{facts.parent}</dt>
          <dd>
            <Link to={pathOf(parent)}>{parent.name}</Link>
          </dd>
        </div>
      )}
      {row.applicationSet && (
        <div>
          <dt>{facts.set}</dt>
          <dd>
            <Link to={`/applicationsets/${row.namespace}/${row.applicationSet}`}>{row.applicationSet}</Link>
          </dd>
        </div>
      )}
      <div>
        <dt>{facts.last}</dt>
        <dd>
          <Ago at={operation?.finished ?? operation?.started} />{' '}
          <span className="dim">{operation ? (operation.by ? t.app.by(operation.by) : t.app.byItself) : ''}</span>
        </dd>
      </div>
    </dl>
  );
}

function Actions({ app, running }: { app: Application; running: boolean }) {
  const [open, setOpen] = useState<'sync' | 'remove' | null>(null);
  const commands = useCommands();
  const { namespace, name } = app.row;
  const path = { namespace, name };
  const tell = useTell();
  const client = useQueryClient();
  const follow = useFollow();
  const settled = () => client.invalidateQueries({ queryKey: ['applications'] });
  const refresh = useMutation({
    mutationFn: (how: 'normal' | 'hard') =>
      body(api.POST('/api/v1/applications/{namespace}/{name}/refresh', { params: { path, query: { how } } })),
    onSuccess: () => {
      void settled();
      void follow.refresh(app.row);
    },
    onError: (error) => tell.bad(wordsOf(error)),
  });
  const terminate = useMutation({
    mutationFn: () => body(api.POST('/api/v1/applications/{namespace}/{name}/terminate', { params: { path } })),
    onSuccess: () => {
      tell.good(t.app.terminated);
      void settled();
    },
    onError: (error) => tell.bad(wordsOf(error)),
  });
  const can = (action: string) => app.can.includes(action);
  const button = useRef<HTMLButtonElement>(null);
  const ask = () => {
    // By a key as by the button: that is where the focus goes back to.
    button.current?.focus({ preventScroll: true });
    setOpen('sync');
  };
  useKeys({ s: () => can('sync') && ask(), r: () => refresh.mutate('normal') });
  return (
    <div className={css.actions}>
      {can('sync') && (
        <Button ref={button} leftSection={<Icon name="synced" />} onClick={ask} disabled={app.deleting}>
          {t.app.sync}
        </Button>
      )}
      <Button variant="default" onClick={() => refresh.mutate('normal')} loading={refresh.isPending}>
        {t.app.refresh}
      </Button>
      <Menu position="bottom-end" width={290}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t.app.more}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="history" />} onClick={() => refresh.mutate('hard')}>
            {t.app.hardRefresh}
          </Menu.Item>
          {can('sync') && running && (
            <Menu.Item leftSection={<Icon name="stop" />} onClick={() => terminate.mutate()}>
              {t.app.terminate}
            </Menu.Item>
          )}
          {can('delete') && (
            <>
              <Menu.Divider />
              <Menu.Item leftSection={<Icon name="bin" />} className={css.danger} onClick={() => setOpen('remove')}>
                {t.app.remove}
              </Menu.Item>
            </>
          )}
          {!can('sync') && <Menu.Label className={css.denied}>{t.app.readOnly}</Menu.Label>}
          <Menu.Divider />
          <div className={css.command}>
            <Command text={commands.tree(app.row)} />
          </div>
        </Menu.Dropdown>
      </Menu>
      {can('sync') && <SyncForm app={app} opened={open === 'sync'} close={() => setOpen(null)} />}
      {can('delete') && <RemoveForm app={app} opened={open === 'remove'} close={() => setOpen(null)} />}
    </div>
  );
}
