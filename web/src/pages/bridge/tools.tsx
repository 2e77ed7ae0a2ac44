import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';

import { t } from '../../text';
import { Find } from '../../ui/find';
import { shows, type useAddress } from './address';
import css from './page.module.css';

interface Props {
  address: ReturnType<typeof useAddress>;
  find: string;
  children?: ReactNode;
}

/** Tools search a list, and narrow it. */
export function Tools({ address, find, children }: Props) {
  return (
    <div className={css.tools}>
      <Find label={find} value={address.text} change={(text) => address.change({ q: text })} />
      <NativeSelect
        aria-label={t.bridge.show}
        value={address.show}
        data={shows.map((show) => ({ value: show, label: t.bridge.shows[show || 'all'] }))}
        onChange={(e) => address.change({ show: e.currentTarget.value })}
      />
      {children}
    </div>
  );
}
