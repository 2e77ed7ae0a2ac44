import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, type ReactNode } from 'react';

import type { Application } from '../../api/client';
import { applicationQuery } from '../../api/queries';
import { Boundary } from '../../shell/boundary';
import { t } from '../../text';
import { useKeys } from '../../ui/keys';
import { part } from '../../ui/part';
import { Failed, Loading } from '../../ui/state';
import { useTitle } from '../../ui/title';
import { tabs, useAddress, useKnown, type Address, type Tab } from './address';
import { Approvals } from './approvals';
import { Conditions } from './conditions';
import { Details } from './details';
import { AppEvents } from './events';
import { Head, Notes } from './head';
import { Held } from './hold';
import { Objects } from './objects';
import css from './page.module.css';
import { Room } from './room';
import { Unwell } from './unwell';
import { Windows } from './windows';

const Graph = part(() => import('./graph'));
const Diff = part(() => import('./diff'));
const Parameters = part(() => import('./parameters'));
const History = part(() => import('./history'));
const Timeline = part(() => import('./timeline'));
const Orphans = part(() => import('./orphans'));
const Drawer = part(() => import('./drawer'));

export default function ApplicationPage() {
  const address = useAddress();
  useKnown();
  useTitle(address.key.name);
  const query = useQuery(applicationQuery(address.key));
  useKeys(Object.fromEntries(tabs.map((tab, i) => [`${i + 1}`, () => address.show(tab)])));
  const shown = useInSight(address.tab, query.data !== undefined);
  if (!query.data)
    return query.error ? (
      <Failed
        error={query.error}
        retry={() => void query.refetch()}
        missing={t.state.missingApplication(address.key.name)}
      />
    ) : (
      <Loading />
    );
  const app = query.data;
  return (
    <div className={css.page}>
      <Head app={app} />
      <Room key={`${app.row.namespace}/${app.row.name}`} until={address.tab}>
        <Notes app={app} />
        <Held app={app} address={address} />
        <Windows app={app} />
        <Approvals app={app} />
        <Unwell app={app} />
        <Conditions app={app} />
      </Room>
      <Tabs
        value={address.tab}
        onChange={(tab) => address.show((tab ?? 'graph') as Tab)}
        keepMounted={false}
        classNames={{ list: css.tabs ?? '', panel: css.panel ?? '' }}
      >
        <Tabs.List>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab} value={tab} ref={tab === address.tab ? shown : undefined}>
              {t.app.tabs[tab]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((tab) => (
          <Tabs.Panel key={tab} value={tab}>
            <Boundary>
              <Suspense fallback={<Loading />}>{panel(tab, address, app)}</Suspense>
            </Boundary>
          </Tabs.Panel>
        ))}
      </Tabs>
      {address.object && (
        <Suspense fallback={null}>
          <Drawer address={address} object={address.object} />
        </Suspense>
      )}
    </div>
  );
}

/** useInSight scrolls the strip of tabs to the one that is chosen, where not all fit. */
function useInSight(tab: Tab, there: boolean) {
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Of newer browsers it gives a promise, which is no way to end an effect.
    ref.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab, there]);
  return ref;
}

function panel(tab: Tab, address: Address, app: Application): ReactNode {
  const { row } = app;
  switch (tab) {
    case 'graph':
      return <Graph address={address} row={row} />;
    case 'table':
      return <Objects address={address} />;
    case 'diff':
      return <Diff address={address} />;
    case 'parameters':
      return <Parameters address={address} />;
    case 'history':
      return <History address={address} app={app} />;
    case 'timeline':
      return <Timeline address={address} app={app} />;
    case 'events':
      return <AppEvents address={address} />;
    case 'labels':
      return <Details appKey={address.key} row={row} />;
    case 'orphans':
      return <Orphans address={address} app={app} />;
  }
}
