import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';

import type { BridgeFleetKey, BridgeOverview, BridgeSummary } from '../../api/client';
import { bridgeQuery } from '../../api/queries';
import { t } from '../../text';
import { fixed } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { Empty } from '../../ui/may';
import { Failed, Loading, Message } from '../../ui/state';
import { Ago } from '../../ui/time';
import { useHeading, useTitle } from '../../ui/title';
import { VirtualTable } from '../../ui/virtual';
import { Across } from './across';
import { clusterPath, keyText, matcher, useAddress, type Show } from './address';
import { Count, KeyButton, Names } from './parts';
import css from './page.module.css';
import { Tools } from './tools';

/** The metadata of all clusters, by cluster or by key. */
export default function BridgePage() {
  useTitle(t.nav.bridge);
  const heading = useHeading();
  const bridge = useQuery(bridgeQuery);
  const address = useAddress();
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {t.nav.bridge}
        </h1>
        {bridge.data && (
          <span className="dim">
            {t.bridge.size(bridge.data.clusters?.length ?? 0, bridge.data.keys?.length ?? 0)}{' '}
            <Ago at={bridge.data.at} />
          </span>
        )}
        <span className={css.end}>
          <Command text={fixed.bridge} whole={!address.keys && !address.text && !address.show} />
        </span>
      </header>
      {bridge.data ? (
        <Content bridge={bridge.data} />
      ) : bridge.error ? (
        <Failed error={bridge.error} retry={() => void bridge.refetch()} />
      ) : (
        <Loading rows={12} />
      )}
    </div>
  );
}

function Content({ bridge }: { bridge: BridgeOverview }) {
  const address = useAddress();
  const clusters = useMemo(() => bridge.clusters ?? [], [bridge]);
  const keys = useMemo(() => bridge.keys ?? [], [bridge]);
  if (clusters.length === 0)
    return (
      <Empty resource="clusters" of={t.clusters.what}>
        <Message icon="bridge" title={t.bridge.none}>
          <p>{t.bridge.noneLead}</p>
        </Message>
      </Empty>
    );
  return (
    <>
      <Failures list={bridge.failures ?? []} />
      <Tools address={address} find={address.keys ? t.bridge.findKey : t.bridge.findCluster}>
        <SegmentedControl
          aria-label={t.bridge.by}
          value={address.keys ? 'keys' : 'clusters'}
          onChange={(by) => address.change({ by: by === 'keys' ? by : '' })}
          data={[
            { value: 'clusters', label: t.bridge.byCluster },
            { value: 'keys', label: t.bridge.byKey },
          ]}
        />
      </Tools>
      {address.keys ? (
        <Keys all={keys} text={address.text} show={address.show} clusters={clusters.length} />
      ) : (
        <Clusters all={clusters} text={address.text} show={address.show} />
      )}
      {address.key && <Across name={address.key} close={() => address.change({ key: '' })} />}
    </>
  );
}

/** Failures are sets of which it is not known what they read. */
function Failures({ list }: { list: string[] }) {
  if (list.length === 0) return null;
  return (
    <details className={css.problem}>
      <summary>
        <Icon name="warning" /> {t.bridge.failures(list.length)}
      </summary>
      <ul>
        {list.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  );
}

const shownCluster = (c: BridgeSummary, show: Show) =>
  show === '' ||
  (show === 'missing' && (c.missing?.length ?? 0) > 0) ||
  (show === 'wrong' && (c.wrong?.length ?? 0) > 0) ||
  (show === 'unread' && c.unread > 0);

function Clusters({ all, text, show }: { all: BridgeSummary[]; text: string; show: Show }) {
  const found = useMemo(() => {
    const matches = matcher(text);
    return all.filter(
      (c) => shownCluster(c, show) && matches(c.name, c.server, ...(c.missing ?? []), ...(c.wrong ?? [])),
    );
  }, [all, text, show]);
  if (found.length === 0) return <Message icon="search" title={t.list.noMatch} />;
  const { columns } = t.bridge;
  return (
    <VirtualTable
      label={t.bridge.byCluster}
      items={found}
      keyOf={(c) => c.name}
      grid={css.clusters ?? ''}
      heads={[columns.cluster, columns.keys, columns.unread, columns.missing, columns.wrong]}
      row={(c) => [
        <Link key="name" to={clusterPath(c.name)} className={css.name} title={c.server}>
          {c.name}
        </Link>,
        <Count key="keys" n={c.keys} of={columns.keys} />,
        <Count key="unread" n={c.unread} of={columns.unread} />,
        <Names key="missing" tone="warn" of={columns.missing} names={c.missing ?? []} />,
        <Names key="wrong" tone="bad" of={columns.wrong} names={c.wrong ?? []} />,
      ]}
    />
  );
}

const shownKey = (k: BridgeFleetKey, show: Show) =>
  show === '' ||
  (show === 'missing' && k.missing > 0) ||
  (show === 'wrong' && k.wrong > 0) ||
  (show === 'unread' && (k.readers?.length ?? 0) === 0);

function Keys({ all, text, show, clusters }: { all: BridgeFleetKey[]; text: string; show: Show; clusters: number }) {
  const address = useAddress();
  const found = useMemo(() => {
    const matches = matcher(text);
    return all.filter((k) => shownKey(k, show) && matches(k.name, k.in, ...(k.readers ?? [])));
  }, [all, text, show]);
  if (found.length === 0) return <Message icon="search" title={t.list.noMatch} />;
  const { columns } = t.bridge;
  return (
    <VirtualTable
      label={t.bridge.byKey}
      items={found}
      keyOf={keyText}
      grid={css.keys ?? ''}
      chosen={address.key && keyText(address.key)}
      heads={[columns.key, columns.clusters, columns.values, columns.readers, columns.missing, columns.wrong]}
      row={(k) => [
        <KeyButton key="name" name={k} open={() => address.change({ key: keyText(k) })} />,
        <span key="clusters">{t.bridge.ofClusters(k.clusters, clusters)}</span>,
        <Count key="values" n={k.values} of={columns.values} />,
        <Names key="readers" tone="calm" of={columns.readers} names={k.readers ?? []} none={t.bridge.unread} />,
        <Count key="missing" n={k.missing} of={columns.missing} tone="warn" />,
        <Count key="wrong" n={k.wrong} of={columns.wrong} tone="bad" />,
      ]}
    />
  );
}
