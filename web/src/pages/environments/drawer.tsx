import { Drawer as Panel, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import type { EnvironmentCell, Environments, Product } from '../../api/client';
import { betweenQuery, environmentsQuery } from '../../api/queries';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { Command, Copy } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { useReturn } from '../../ui/return';
import { Failed, Loading, Message, wordsOf } from '../../ui/state';
import { Health, Sync } from '../../ui/status';
import { Ago } from '../../ui/time';
import { Differences } from '../application/diff';
import { pathOf, repoName, shortRevision } from '../applications/rows';
import type { Address } from './address';
import css from './drawer.module.css';
import { nameOf, Promoted } from './matrix';

/** Drawer shows a product in one environment. */
export function Drawer({ address }: { address: Address }) {
  useReturn();
  const query = useQuery(environmentsQuery({ product: address.product, limit: 1 }));
  const product = query.data?.items?.[0];
  const cell = product?.cells[address.environment];
  return (
    <Panel
      opened
      onClose={() => address.change({ product: '', environment: '', against: '' })}
      position="right"
      size="min(860px, 100vw)"
      title={
        <span className={css.title}>
          {product?.name ?? address.product} <span className="dim">{nameOf(address.environment)}</span>
        </span>
      }
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      {query.error && !query.data ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : !query.data ? (
        <Loading rows={6} />
      ) : product && cell ? (
        <Content data={query.data} product={product} cell={cell} address={address} />
      ) : (
        <Message icon="missing" title={t.environments.notThere} />
      )}
    </Panel>
  );
}

interface Props {
  data: Environments;
  product: Product;
  cell: EnvironmentCell;
  address: Address;
}

function Content({ data, product, cell, address }: Props) {
  const commands = useCommands();
  const others = (data.environments ?? [])
    .map((c) => c.name)
    .filter((n) => n !== address.environment && product.cells[n]);
  const against = others.includes(address.against) ? address.against : '';
  const other = against ? product.cells[against] : undefined;
  return (
    <div className={css.parts}>
      <Facts cell={cell} />
      <section>
        <h2>{t.apps(cell.count)}</h2>
        <ul className={css.apps}>
          {(cell.applications ?? []).map((a) => (
            <li key={`${a.namespace}/${a.name}`}>
              <Link to={pathOf(a)}>{a.name}</Link>
              <Health value={a.health} />
              <Sync value={a.sync} />
              <span className="mono dim" title={a.version}>
                {shortRevision(a.version)}
              </span>
              <span className="dim">{a.cluster}</span>
            </li>
          ))}
        </ul>
        {cell.count > (cell.applications?.length ?? 0) && (
          <p className="dim">{t.environments.more(cell.count - (cell.applications?.length ?? 0))}</p>
        )}
      </section>
      {others.length > 0 && (
        <section>
          <NativeSelect
            label={t.environments.compare}
            value={against}
            data={[{ value: '', label: t.environments.choose }, ...others.map((n) => ({ value: n, label: nameOf(n) }))]}
            onChange={(e) => address.change({ against: e.currentTarget.value })}
          />
          {other && (
            <>
              <Against cell={cell} other={other} name={nameOf(against)} here={nameOf(address.environment)} />
              <Objects product={product.id} from={against} to={address.environment} />
            </>
          )}
        </section>
      )}
      <p className={css.note}>
        <Icon name="info" /> {t.environments.later}
      </p>
      {cell.applications?.[0] && !other && <Command text={commands.history(cell.applications[0])} />}
    </div>
  );
}

function Facts({ cell }: { cell: EnvironmentCell }) {
  const target = [cell.chart, cell.target].filter(Boolean).join(' ');
  return (
    <dl className={css.facts}>
      <dt>{t.environments.facts.version}</dt>
      <dd className="mono">
        {cell.version || t.environments.noVersion} {cell.version && <Copy text={cell.version} />}
      </dd>
      {target && (
        <>
          <dt>{t.environments.facts.target}</dt>
          <dd className="mono">{target}</dd>
        </>
      )}
      {cell.repoURL && (
        <>
          <dt>{t.environments.facts.source}</dt>
          <dd className="mono">{cell.repoURL}</dd>
        </>
      )}
      {cell.values && (
        <>
          <dt>{t.environments.facts.values}</dt>
          <dd className="mono">
            {repoName(cell.valuesURL ?? '')} <span title={cell.values}>{shortRevision(cell.values)}</span>{' '}
            <Copy text={cell.values} />
          </dd>
        </>
      )}
      {cell.subject && (
        <>
          <dt>{t.environments.facts.commit}</dt>
          <dd>
            {cell.subject}
            <br />
            <span className="dim">
              {cell.author} <Ago at={cell.committed} />
            </span>
          </dd>
        </>
      )}
      <dt>{t.environments.facts.promoted}</dt>
      <dd>
        <Promoted cell={cell} />
      </dd>
      {(cell.images?.length ?? 0) > 0 && (
        <>
          <dt>{t.environments.facts.images}</dt>
          <dd className="mono">
            {(cell.images ?? []).map((image) => (
              <div key={image}>{image}</div>
            ))}
          </dd>
        </>
      )}
    </dl>
  );
}

/** Objects shows what of the rendered objects differs. */
function Objects({ product, from, to }: { product: string; from: string; to: string }) {
  const query = useQuery(betweenQuery(product, from, to));
  if (query.error && !query.data)
    return (
      <p className={css.note}>
        <Icon name="info" /> {wordsOf(query.error)}
      </p>
    );
  if (!query.data) return <Loading rows={4} />;
  const objects = query.data.objects ?? [];
  return (
    <>
      <h2 className={css.objects}>{t.environments.objects(objects.length, nameOf(from), nameOf(to))}</h2>
      {objects.length > 0 && <Differences list={objects} verbs={t.diff.ofEnvironment} />}
      {(query.data.omitted ?? 0) > 0 && <p className="dim">{t.environments.omitted(query.data.omitted ?? 0)}</p>}
    </>
  );
}

/** Against puts two environments side by side. */
function Against({
  cell,
  other,
  here,
  name,
}: {
  cell: EnvironmentCell;
  other: EnvironmentCell;
  here: string;
  name: string;
}) {
  const line = (what: string, a: string, b: string) => (
    <tr data-differs={a !== b || undefined}>
      <th scope="row">
        {what} {a !== b && <span className={css.differs}>≠</span>}
      </th>
      <td className="mono">{a || '–'}</td>
      <td className="mono">{b || '–'}</td>
    </tr>
  );
  return (
    <table className={css.against}>
      <thead>
        <tr>
          <td />
          <th scope="col">{here}</th>
          <th scope="col">{name}</th>
        </tr>
      </thead>
      <tbody>
        {line(t.environments.facts.version, shortRevision(cell.version), shortRevision(other.version))}
        {line(t.environments.facts.target, cell.target ?? '', other.target ?? '')}
        {(cell.values ?? other.values) &&
          line(t.environments.facts.values, shortRevision(cell.values), shortRevision(other.values))}
        {line(t.environments.facts.images, (cell.images ?? []).join(' '), (other.images ?? []).join(' '))}
      </tbody>
    </table>
  );
}
