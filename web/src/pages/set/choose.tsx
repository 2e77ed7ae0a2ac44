import { Button, Checkbox, Popover, TextInput } from '@mantine/core';
import { useState } from 'react';

import { t } from '../../text';
import { Icon } from '../../ui/icons';
import css from './generated.module.css';
import type { Columns } from './columns';

interface Props {
  columns: Columns;
  shown: ReadonlySet<string>;
  choose: (shown: ReadonlySet<string>) => void;
}

/** As many as are listed at once; others are found by their names. */
const most = 200;

/** Choose picks the parameters that are columns. */
export function Choose(props: Props) {
  const { columns, shown } = props;
  return (
    <Popover position="bottom-start" width={320} trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button size="compact-sm" variant="default" rightSection={<Icon name="down" size={14} />}>
          {t.set.choose.open(shown.size, columns.all.length)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={8}>
        <List {...props} />
      </Popover.Dropdown>
    </Popover>
  );
}

function List({ columns: { all, differing }, shown, choose }: Props) {
  const [text, setText] = useState('');
  const found = all.filter((name) => name.toLowerCase().includes(text.toLowerCase()));
  const flip = (name: string) => {
    const next = new Set(shown);
    if (!next.delete(name)) next.add(name);
    choose(next);
  };
  return (
    <>
      <TextInput
        size="xs"
        aria-label={t.set.choose.find}
        placeholder={t.set.choose.find}
        maxLength={256}
        value={text}
        onChange={(e) => setText(e.currentTarget.value)}
      />
      <div className={css.picks}>
        <Button size="compact-xs" variant="subtle" onClick={() => choose(new Set(all))}>
          {t.set.choose.all}
        </Button>
        {differing > 0 && differing < all.length && (
          <Button size="compact-xs" variant="subtle" onClick={() => choose(new Set(all.slice(0, differing)))}>
            {t.set.choose.differing(differing)}
          </Button>
        )}
        <Button size="compact-xs" variant="subtle" onClick={() => choose(new Set())}>
          {t.set.choose.none}
        </Button>
      </div>
      <div className={css.names} role="group" aria-label={t.set.choose.label}>
        {found.slice(0, most).map((name) => (
          <Checkbox key={name} size="xs" label={name} checked={shown.has(name)} onChange={() => flip(name)} />
        ))}
        {found.length === 0 && <p className="dim">{t.list.noMatch}</p>}
        {found.length > most && <p className="dim">{t.set.choose.more(found.length - most)}</p>}
      </div>
    </>
  );
}
