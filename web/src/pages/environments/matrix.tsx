import { Link } from 'react-router';

import type { EnvironmentCell, Environments, Product } from '../../api/client';
import { t } from '../../text';
import { Health, Sync } from '../../ui/status';
import { Ago } from '../../ui/time';
import { shortRevision } from '../applications/rows';
import type { Address } from './address';
import css from './page.module.css';

export const nameOf = (environment: string) => (environment === '-' ? t.environments.without : environment);

/** Matrix has a line for each product and a column for each environment, in the order of promotion. */
export function Matrix({ data, address }: { data: Environments; address: Address }) {
  const columns = data.environments ?? [];
  return (
    <div className={`card ${css.box ?? ''}`} tabIndex={0} role="region" aria-label={t.environments.label}>
      <table className={css.matrix}>
        <caption className="hear">{t.environments.label}</caption>
        <thead>
          <tr>
            <th scope="col" className={css.corner}>
              {t.environments.product}
            </th>
            {columns.map((c) => (
              <th key={c.name} scope="col">
                <span className="cut">{nameOf(c.name)}</span>
                <span className={css.count}>{t.apps(c.applications)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(data.items ?? []).map((p) => (
            <Line key={p.id} product={p} columns={columns.map((c) => c.name)} address={address} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ product, columns, address }: { product: Product; columns: string[]; address: Address }) {
  return (
    <tr>
      <th scope="row" className={css.product}>
        <span className={css.name}>{product.name}</span>
        {product.project && <span className="cut dim">{product.project}</span>}
      </th>
      {columns.map((name) => {
        const cell = product.cells[name];
        return (
          <td key={name}>
            {cell ? (
              <Cell cell={cell} to={address.to(product.id, name, cell.behind)} />
            ) : (
              <span className={css.none}>
                –<span className="hear">{t.environments.notThere}</span>
              </span>
            )}
          </td>
        );
      })}
    </tr>
  );
}

function Cell({ cell, to }: { cell: EnvironmentCell; to: { search: string } }) {
  return (
    <Link to={to} className={css.cell} data-behind={cell.behind ? true : undefined} data-health={cell.health}>
      <span className={css.first}>
        <Health value={cell.health} compact />
        {cell.sync !== 'Synced' && <Sync value={cell.sync} compact />}
        <strong className="cut mono" title={cell.version}>
          {shortRevision(cell.version) || t.environments.noVersion}
        </strong>
        {cell.versions > 1 && <span className={css.tag}>{t.environments.versions(cell.versions)}</span>}
        {cell.behind && (
          <span className={css.behind}>
            ≠ <span className="cut">{nameOf(cell.behind)}</span>
          </span>
        )}
      </span>
      {cell.subject && <span className="cut">{cell.subject}</span>}
      <span className="cut dim">
        <Promoted cell={cell} />
      </span>
    </Link>
  );
}

/** Promoted tells who brought the version there, and when. */
export function Promoted({ cell }: { cell: EnvironmentCell }) {
  if (!cell.synced) return t.environments.never;
  const who = cell.by ?? cell.author;
  return (
    <>
      <Ago at={cell.synced} /> {who ? t.environments.by(who) : t.environments.byItself}
    </>
  );
}
