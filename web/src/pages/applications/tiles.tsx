import { memo } from 'react';
import { Link } from 'react-router';

import type { Row } from '../../api/client';
import { toneOf, Health, Sync } from '../../ui/status';
import { Ago } from '../../ui/time';
import { Icon } from '../../ui/icons';
import { idOf, pathOf } from './rows';
import { Marks, Pick, Revision } from './table';
import css from './tiles.module.css';

interface Props {
  row: Row;
  index: number;
  selected: boolean;
  toggle: (row: Row, index: number, range: boolean) => void;
}

/** Tile is an Application as a card. */
export const Tile = memo(function Tile(props: Props) {
  const { row, index, selected } = props;
  return (
    <article
      className={css.tile}
      data-tone={toneOf(row.health)}
      data-selected={selected || undefined}
      data-index={index}
    >
      <header className={css.head}>
        <Link to={pathOf(row)} className="cut" title={idOf(row)} data-open>
          {row.name}
        </Link>
        <Marks row={row} />
        <span className={css.pick}>
          <Pick {...props} />
        </span>
      </header>
      <p className={css.signs}>
        <Health value={row.health} />
        <Sync value={row.sync} />
      </p>
      <p className={`dim ${css.facts ?? ''}`}>
        <span className="cut">
          <Icon name="cluster" size={14} /> {row.cluster}
        </span>
        <span className="cut">
          <Icon name="branch" size={14} /> <Revision row={row} />
        </span>
      </p>
      <footer className={`dim ${css.foot ?? ''}`}>
        <span className="cut">{row.project}</span>
        <Ago at={row.synced} />
      </footer>
    </article>
  );
});
