import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo } from 'react';
import { Link, useParams } from 'react-router';

import type { BridgeCluster, BridgeKey } from '../../api/client';
import { bridgeClusterQuery } from '../../api/queries';
import { t } from '../../text';
import { bridgeCommand } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { part } from '../../ui/part';
import { Failed, Loading, Message } from '../../ui/state';
import { Ago } from '../../ui/time';
import { useHeading, useTitle } from '../../ui/title';
import { VirtualTable } from '../../ui/virtual';
import { keyText, matcher, useAddress, type Show } from './address';
import css from './page.module.css';
import { KeyButton, Names, Place, Problem } from './parts';
import { Detail } from './detail';
import { readEdits } from './edits';
import { Facts } from './facts';
import { Tools } from './tools';

const WhatIf = part(() => import('./whatif'));

/** What is known of one cluster, who set it, and who reads it. */
export default function ClusterPage() {
  const { cluster = '' } = useParams();
  useTitle(cluster);
  const heading = useHeading();
  const query = useQuery(bridgeClusterQuery(cluster));
  const address = useAddress();
  return (
    <div className={css.page}>
      <header className={css.head}>
        <Link to="/bridge">{t.nav.bridge}</Link>
        <Icon name="right" size={14} />
        <h1 ref={heading} tabIndex={-1}>
          {cluster}
        </h1>
        <span className={css.end}>
          <Command
            text={bridgeCommand(cluster)}
            whole={!address.text && !address.show && !address.params.has('whatif')}
          />
        </span>
      </header>
      {query.data ? (
        <Content cluster={query.data} name={cluster} />
      ) : query.error ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading rows={12} />
      )}
    </div>
  );
}

/** Line is a key that the cluster has, or one that is missed. */
export interface Line {
  key: BridgeKey;
  missing: boolean;
}

/** linesOf lists what needs a look first: what is missing, then what a schema is against. */
export function linesOf(c: BridgeCluster): Line[] {
  const missing = (c.missing ?? []).map((key) => ({ key, missing: true }));
  const own = (c.keys ?? []).map((key) => ({ key, missing: false }));
  return [...missing, ...own.filter((l) => l.key.problem), ...own.filter((l) => !l.key.problem)];
}

const shown = ({ key, missing }: Line, show: Show) =>
  show === '' ||
  (show === 'missing' && missing) ||
  (show === 'wrong' && Boolean(key.problem)) ||
  (show === 'unread' && !missing && (key.readers?.length ?? 0) === 0);

function Content({ cluster, name }: { cluster: BridgeCluster; name: string }) {
  const address = useAddress();
  const lines = useMemo(() => linesOf(cluster), [cluster]);
  const found = useMemo(() => {
    const matches = matcher(address.text);
    return lines.filter(
      (l) =>
        shown(l, address.show) &&
        matches(
          l.key.name,
          l.key.in,
          l.key.value,
          l.key.setBy,
          l.key.source,
          l.key.problem,
          ...(l.key.readers ?? []).map((r) => r.applicationSet),
        ),
    );
  }, [lines, address.text, address.show]);
  const { columns } = t.bridge;
  const chosen = address.key && lines.find((l) => keyText(l.key) === keyText(address.key ?? l.key));
  return (
    <>
      <p className={css.facts}>
        <span className="mono">{cluster.server}</span>
        {cluster.secret && <span>{t.bridge.secret(cluster.secret)}</span>}
        {cluster.project && <span>{t.sets.project(cluster.project)}</span>}
        <Link to={`/applications?${new URLSearchParams({ cluster: cluster.name }).toString()}`}>
          {t.nav.applications}
        </Link>
      </p>
      <Facts cluster={name} />
      <Tools address={address} find={t.bridge.findKey}>
        <Button variant="default" onClick={() => address.change({ whatif: '1' })}>
          {t.whatIf.open}
        </Button>
      </Tools>
      {lines.length === 0 ? (
        <Message icon="bridge" title={t.bridge.noKeys}>
          <p>{t.bridge.noKeysLead}</p>
        </Message>
      ) : found.length === 0 ? (
        <Message icon="search" title={t.list.noMatch} />
      ) : (
        <VirtualTable
          label={t.bridge.keysOf(cluster.name)}
          items={found}
          keyOf={(l) => keyText(l.key)}
          grid={css.own ?? ''}
          height={56}
          chosen={chosen && keyText(chosen.key)}
          heads={[columns.key, columns.value, columns.type, columns.setBy, columns.readers]}
          row={(l) => cells(l, () => address.change({ key: keyText(l.key) }))}
        />
      )}
      {address.params.has('whatif') && (
        <Suspense fallback={null}>
          <WhatIf
            cluster={cluster}
            tried={address.params.getAll('try')}
            begin={readEdits([address.params.get('whatif') ?? ''])[0]}
            run={(edits) => address.change({ try: edits })}
            close={() => address.change({ whatif: '', try: '' })}
          />
        </Suspense>
      )}
      {chosen && !address.params.has('whatif') && (
        <Detail
          cluster={cluster.name}
          line={chosen}
          tryIt={(edit) => address.change({ key: '', whatif: edit })}
          close={() => address.change({ key: '' })}
        />
      )}
      {address.key && !chosen && (
        <Message icon="unknown" title={t.bridge.noKey(address.key.name)}>
          <Place of={address.key.in} />
        </Message>
      )}
    </>
  );
}

function cells({ key, missing }: Line, open: () => void) {
  return [
    <KeyButton key="name" name={key} open={open}>
      {key.problem && <Problem text={key.problem} />}
    </KeyButton>,
    missing ? (
      <strong key="value" className={css.missing}>
        {key.nearest ? t.bridge.nearest(key.nearest) : t.bridge.missing}
      </strong>
    ) : key.value ? (
      <span key="value" className={`mono ${css.value ?? ''}`} title={key.value.slice(0, 400)}>
        {key.value}
      </span>
    ) : (
      <span key="value" className="dim">
        {t.bridge.empty}
      </span>
    ),
    <span key="type" className="dim" title={key.schema && t.bridge.bySchema(key.schema)}>
      {key.type}
    </span>,
    <span key="setter" className={css.setter}>
      {key.setBy}
      {key.setAt && (
        <span className="dim">
          <Ago at={key.setAt} />
        </span>
      )}
    </span>,
    <Names
      key="readers"
      tone="calm"
      of={t.bridge.columns.readers}
      names={(key.readers ?? []).map((r) => r.applicationSet)}
      none={t.bridge.unread}
    />,
  ];
}
