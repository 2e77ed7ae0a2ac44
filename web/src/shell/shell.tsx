import { ActionIcon, Menu, useMantineColorScheme, useComputedColorScheme } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useState } from 'react';
import { Link, NavLink, Outlet, useLocation, useNavigate } from 'react-router';

import { api, body } from '../api/client';
import { Live, type Connection } from '../api/live';
import { canSignIn, sessionQuery } from '../api/queries';
import { t } from '../text';
import { Icon, type IconName } from '../ui/icons';
import { useKeys } from '../ui/keys';
import { useMay } from '../ui/may';
import { usePlaces } from '../ui/place';
import { Loading } from '../ui/state';
import { Boundary } from './boundary';
import type { Action } from './finds';
import { Help } from './help';
import { Mark } from './mark';
import { Search } from './search';
import css from './shell.module.css';

const pages: { to: string; icon: IconName; name: string; key: string }[] = [
  { to: '/applications', icon: 'apps', name: t.nav.applications, key: 'a' },
  { to: '/fleet', icon: 'fleet', name: t.nav.fleet, key: 'f' },
  { to: '/environments', icon: 'environments', name: t.nav.environments, key: 'e' },
  { to: '/changes', icon: 'changes', name: t.nav.changes, key: 'h' },
  { to: '/clusters', icon: 'cluster', name: t.nav.clusters, key: 'c' },
  { to: '/applicationsets', icon: 'set', name: t.nav.sets, key: 's' },
  { to: '/repositories', icon: 'branch', name: t.nav.repositories, key: 'r' },
  { to: '/bridge', icon: 'bridge', name: t.nav.bridge, key: 'b' },
  { to: '/projects', icon: 'project', name: t.nav.projects, key: 'p' },
  { to: '/audit', icon: 'history', name: t.nav.audit, key: 'u' },
  { to: '/settings', icon: 'gear', name: t.nav.settings, key: ',' },
];

/** Shell is what is around all pages. */
export function Shell() {
  const [open, setOpen] = useState<'search' | 'help' | null>(null);
  const [menu, setMenu] = useState(false);
  const navigate = useNavigate();
  const { pathname, key } = useLocation();
  const toggleScheme = useToggleScheme();
  const connection = useLive();
  usePlaces();
  const [shown, setShown] = useState(pathname);
  if (shown !== pathname) {
    setShown(pathname);
    setMenu(false);
  }
  const actions = useActions({ help: () => setOpen('help'), theme: toggleScheme });
  useKeys({
    'mod+k': () => setOpen('search'),
    '?': () => setOpen('help'),
    t: toggleScheme,
    ...Object.fromEntries(pages.map((p) => [`g ${p.key}`, () => void navigate(p.to)])),
  });
  return (
    <div className={css.shell}>
      <a className={css.skip} href="#content">
        {t.skip}
      </a>
      <header className={css.bar}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={menu ? t.nav.close : t.nav.open}
          aria-expanded={menu}
          aria-controls="navigation"
          onClick={() => setMenu(!menu)}
        >
          <Icon name={menu ? 'close' : 'menu'} size={20} />
        </ActionIcon>
        <Mark />
        <strong>{t.product}</strong>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t.search.open}
          onClick={() => setOpen('search')}
          className={css.end}
        >
          <Icon name="search" size={20} />
        </ActionIcon>
      </header>
      {menu && <div className={css.veil} onClick={() => setMenu(false)} aria-hidden />}
      <aside id="navigation" className={css.side} data-open={menu || undefined}>
        <div className={css.brand}>
          <Mark />
          <strong>{t.product}</strong>
        </div>
        <button type="button" className={css.search} onClick={() => setOpen('search')}>
          <Icon name="search" />
          <span>{t.search.open}</span>
          <kbd>{t.search.key(modKey())}</kbd>
        </button>
        <nav aria-label={t.nav.label} className={css.nav}>
          {pages.map((p) => (
            <NavLink key={p.to} to={p.to} className={css.link ?? ''}>
              <Icon name={p.icon} size={18} />
              {p.name}
            </NavLink>
          ))}
        </nav>
        <Foot help={() => setOpen('help')} toggleScheme={toggleScheme} connection={connection} />
      </aside>
      <main id="content" className={css.main} tabIndex={-1}>
        <Boundary key={pathname} at={key} heading="h1">
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </Boundary>
      </main>
      {connection === 'lost' && (
        <p className={css.lost} role="status">
          <Icon name="warning" />
          <span className={css.whole}>{t.live.lost}</span>
          <span className={css.short}>{t.live.lostNarrow}</span>
        </p>
      )}
      <Search opened={open === 'search'} close={() => setOpen(null)} pages={pages} actions={actions} />
      <Help opened={open === 'help'} close={() => setOpen(null)} pages={pages} />
    </div>
  );
}

/** useActions are what can be done from everywhere, by whom may do it. */
function useActions({ help, theme }: { help: () => void; theme: () => void }): Action[] {
  const resources = {
    clusters: useMay('clusters'),
    projects: useMay('projects'),
    repositories: useMay('repositories'),
  };
  const session = useQuery(sessionQuery).data;
  const signOut = useSignOut();
  const state = useFrom();
  const navigate = useNavigate();
  const make = (resource: keyof typeof resources, to: string, name: string): Action[] =>
    resources[resource]('create') ? [{ name, icon: 'plus', to }] : [];
  return [
    ...make('clusters', '/new/cluster', t.clusterForm.connect),
    ...make('projects', '/new/project', t.projectForm.create),
    ...make('repositories', '/new/repository', t.repositories.connect),
    { name: t.environments.two.title, icon: 'environments', to: '/environments/compare' },
    { name: t.theme.toggle, icon: 'moon', act: theme },
    { name: t.help.open, icon: 'keyboard', act: help },
    session && !session.user && canSignIn(session)
      ? { name: t.session.title, icon: 'user', act: () => void navigate('/sign-in', { state }) }
      : { name: t.session.signOut, icon: 'out', act: signOut },
  ];
}

function useSignOut(): () => void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: () => body(api.DELETE('/api/v1/session')),
    onSettled: () => client.resetQueries(),
  });
  return () => mutate();
}

function Foot({
  help,
  toggleScheme,
  connection,
}: {
  help: () => void;
  toggleScheme: () => void;
  connection: Connection;
}) {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const session = useQuery(sessionQuery).data;
  return (
    <div className={css.foot}>
      {session?.user && <Account name={session.user.name} version={session.version} />}
      {session && !session.user && canSignIn(session) && <ToSignIn />}
      <div className={css.tools}>
        <span className={css.live} data-state={connection} role="status">
          <i />
          {connection === 'live' ? t.live.live : connection === 'lost' ? t.live.lostShort : t.live.connecting}
        </span>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t.theme.toggle}
          title={t.theme.toggle}
          onClick={toggleScheme}
        >
          <Icon name={scheme === 'dark' ? 'sun' : 'moon'} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" aria-label={t.help.open} title={t.help.open} onClick={help}>
          <Icon name="keyboard" />
        </ActionIcon>
      </div>
    </div>
  );
}

/** useFrom is what the page to sign in is told, to lead back to this one. */
function useFrom(): { from: string } {
  const { pathname, search, hash } = useLocation();
  return { from: pathname + search + hash };
}

/** ToSignIn leads who is in without having signed in to where they can, and back to the page. */
export function ToSignIn() {
  const state = useFrom();
  return (
    <Link to="/sign-in" state={state} className={css.account}>
      <Icon name="user" size={18} />
      <span>{t.session.title}</span>
    </Link>
  );
}

function Account({ name, version }: { name: string; version: string }) {
  const signOut = useSignOut();
  return (
    <Menu position="top-start" width={220}>
      <Menu.Target>
        <button type="button" className={css.account} aria-label={`${t.session.account}: ${name}`}>
          <Icon name="user" size={18} />
          <span className="cut">{name}</span>
          <Icon name="more" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.session.signedInAs(name)}</Menu.Label>
        <Menu.Label>{t.session.version(version)}</Menu.Label>
        <Menu.Item leftSection={<Icon name="out" />} onClick={signOut}>
          {t.session.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function useToggleScheme(): () => void {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  return () => setColorScheme(scheme === 'dark' ? 'light' : 'dark');
}

function useLive(): Connection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>('connecting');
  useEffect(() => {
    const live = new Live(client, setConnection);
    live.start();
    return () => live.stop();
  }, [client]);
  return connection;
}

export const modKey = () => (/Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘' : 'Ctrl');
