import { Button } from '@mantine/core';

import { t } from '../../text';
import { pageSize, type Address } from './address';
import css from './page.module.css';

/** Pages leads through what is more than a page of products. */
export function Pages({ total, address: { page, go } }: { total: number; address: Address }) {
  const last = Math.ceil(total / pageSize) - 1;
  if (last < 1) return null;
  return (
    <nav className={css.pages} aria-label={t.environments.pages}>
      <Button
        variant="default"
        size="compact-sm"
        disabled={page === 0}
        onClick={() => go({ page: page > 1 ? String(page - 1) : '' })}
      >
        {t.environments.before}
      </Button>
      <span className="dim">{t.environments.pageOf(page + 1, last + 1)}</span>
      <Button
        variant="default"
        size="compact-sm"
        disabled={page >= last}
        onClick={() => go({ page: String(page + 1) })}
      >
        {t.environments.after}
      </Button>
    </nav>
  );
}
