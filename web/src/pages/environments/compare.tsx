import { ActionIcon, NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import type { EnvironmentCell, Environments, Product } from '../../api/client';
import { environmentsQuery } from '../../api/queries';
import { t } from '../../text';
import { fixed } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Find } from '../../ui/find';
import { Icon } from '../../ui/icons';
import { Failed, Loading, Message } from '../../ui/state';
import { Health } from '../../ui/status';
import { Ago } from '../../ui/time';
import { useHeading, useTitle } from '../../ui/title';
import { Trail } from '../../ui/trail';
import { shortRevision } from '../applications/rows';
import { useAddress, type Address } from './address';
import css from './compare.module.css';
import { Drawer } from './drawer';
import { nameOf } from './matrix';
import { Pages } from './pages';

const { two } = t.environments;

interface Pair {
  from: string;
  to: string;
}

/** ComparePage shows of all products what differs between two environments, each with the way to its difference. */
export default function ComparePage() {
  const heading = useHeading();
  const address = useAddress();
  // Which environments there are, in the order of promotion.
  const known = useQuery(environmentsQuery({ limit: 1 }));
  const names = (known.data?.environments ?? []).map((e) => e.name);
  const pair = pairOf(address.pair, names);
  useTitle(pair.from && pair.to ? two.between(nameOf(pair.from), nameOf(pair.to)) : two.title);
  return (
    <div className={css.page}>
      <Trail to="/environments" name={t.nav.environments} />
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {two.title}
        </h1>
        <span className={css.end}>
          <Command text={fixed.environments} whole={false} />
        </span>
      </header>
      {!known.data ? (
        known.error ? (
          <Failed error={known.error} retry={() => void known.refetch()} />
        ) : (
          <Loading rows={12} />
        )
      ) : names.length < 2 ? (
        <Message icon="environments" title={two.few}>
          <p>{t.environments.noneLead}</p>
        </Message>
      ) : (
        <>
          <Choice names={names} pair={pair} address={address} />
          <Compared names={names} pair={pair} address={address} />
        </>
      )}
      {address.product && <Drawer key={address.product} address={address} />}
    </div>
  );
}

/** pairOf is what an address asks for, or else the last step of the promotion. */
function pairOf(asked: Pair, names: string[]): Pair {
  const steps = names.filter((n) => n !== '-');
  const [from = '', to = ''] = (steps.length > 1 ? steps : names).slice(-2);
  if (!asked.from && !asked.to) return { from, to };
  return asked;
}

function Choice({ names, pair, address }: { names: string[]; pair: Pair; address: Address }) {
  const choose = (side: keyof Pair, label: string) => (
    <NativeSelect
      aria-label={label}
      value={pair[side]}
      data={[...new Set([pair[side], ...names])].map((n) => ({ value: n, label: nameOf(n) || t.environments.choose }))}
      onChange={(e) => address.change({ ...pair, [side]: e.currentTarget.value, page: '' })}
    />
  );
  return (
    <div className={css.tools}>
      {choose('from', two.from)}
      <ActionIcon
        variant="default"
        size={36}
        aria-label={two.swap}
        title={two.swap}
        onClick={() => address.change({ from: pair.to, to: pair.from, page: '' })}
      >
        <Icon name="synced" />
      </ActionIcon>
      {choose('to', two.to)}
      <Find
        label={t.environments.find}
        className={css.find ?? ''}
        value={address.filter.q ?? ''}
        change={(text) => address.change({ q: text, page: '' })}
      />
    </div>
  );
}

function Compared({ names, pair, address }: { names: string[]; pair: Pair; address: Address }) {
  const { q, offset, limit } = address.filter;
  const unknown = [pair.from, pair.to].find((n) => !names.includes(n));
  const itself = pair.from === pair.to;
  const query = useQuery({
    ...environmentsQuery({ ...(q && { q }), ...pair, ...(offset && { offset }), ...(limit && { limit }) }),
    placeholderData: keepPreviousData,
    enabled: unknown === undefined && !itself,
  });
  if (unknown !== undefined)
    return (
      <Message icon="missing" title={unknown ? two.unknown(unknown) : t.environments.choose}>
        <p>{two.unknownLead}</p>
      </Message>
    );
  if (itself)
    return (
      <Message icon="environments" title={two.itself}>
        <p>{two.unknownLead}</p>
      </Message>
    );
  if (!query.data)
    return query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading rows={12} />;
  if (query.data.total === 0)
    return q ? (
      <Message icon="search" title={t.list.noMatch} />
    ) : (
      <Message icon="okay" title={two.same(nameOf(pair.from), nameOf(pair.to))}>
        <p>{two.sameLead}</p>
      </Message>
    );
  return (
    <>
      <p className="dim" role="status">
        {two.size(query.data.total)}
      </p>
      <Table data={query.data} pair={pair} address={address} />
      <Pages total={query.data.total} address={address} />
    </>
  );
}

function Table({ data, pair, address }: { data: Environments; pair: Pair; address: Address }) {
  const label = two.label(nameOf(pair.from), nameOf(pair.to));
  return (
    <div className={`card ${css.box ?? ''}`} tabIndex={0} role="region" aria-label={label}>
      <table className={css.table}>
        <caption className="hear">{label}</caption>
        <thead>
          <tr>
            <th scope="col">{t.environments.product}</th>
            <th scope="col">{nameOf(pair.from)}</th>
            <th scope="col">{nameOf(pair.to)}</th>
          </tr>
        </thead>
        <tbody>
          {(data.items ?? []).map((p) => (
            <Line key={p.id} product={p} pair={pair} address={address} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ product, pair, address }: { product: Product; pair: Pair; address: Address }) {
  const from = product.cells[pair.from];
  const to = product.cells[pair.to];
  const differs = product.between ?? [];
  // Of what runs in one alone there is nothing to compare.
  const place =
    from && to ? address.to(product.id, pair.to, pair.from) : address.to(product.id, to ? pair.to : pair.from);
  const words = differs.map((what) => two.aspects[what] ?? what).join(', ');
  return (
    <tr>
      <th scope="row">
        <Link to={place} className={css.name}>
          {product.name}
          <span className="hear"> {two.differs(words)}</span>
        </Link>
        {product.project && <span className="dim">{product.project}</span>}
        <span className={css.aspects} aria-hidden>
          {differs.map((what) => (
            <span key={what} className={css.aspect}>
              {two.aspects[what] ?? what}
            </span>
          ))}
        </span>
      </th>
      <Side cell={from} other={to} name={nameOf(pair.from)} differs={differs} />
      <Side cell={to} other={from} name={nameOf(pair.to)} differs={differs} />
    </tr>
  );
}

interface SideProps {
  cell: EnvironmentCell | undefined;
  other: EnvironmentCell | undefined;
  name: string;
  differs: readonly string[];
}

/** Side is what runs in one of the two, as far as it is not the same in the other. */
function Side({ cell, other, name, differs }: SideProps) {
  if (!cell)
    return (
      <td className="dim">
        <span className={css.where}>{name}</span> {t.environments.notThere}
      </td>
    );
  const images = differs.includes('images') ? (cell.images ?? []).filter((i) => !other?.images?.includes(i)) : [];
  return (
    <td>
      <span className={css.where}>{name}</span>
      <span className={css.version}>
        <Health value={cell.health} compact />
        <span className="mono" data-differs={differs.includes('version') || undefined} title={cell.version}>
          {shortRevision(cell.version) || t.environments.noVersion}
        </span>
        {cell.versions > 1 && <span className="dim">{t.environments.versions(cell.versions)}</span>}
        {differs.includes('values') && cell.values && (
          <span className="mono" data-differs title={cell.values}>
            {t.environments.facts.values} {shortRevision(cell.values)}
          </span>
        )}
      </span>
      {cell.subject && (
        <span className={css.commit}>
          {cell.subject}{' '}
          <span className="dim">
            {cell.author} <Ago at={cell.committed} />
          </span>
        </span>
      )}
      {images.map((image) => (
        <span key={image} className={`mono ${css.image ?? ''}`}>
          {image}
        </span>
      ))}
    </td>
  );
}
