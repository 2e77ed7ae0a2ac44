import { Kbd, Modal } from '@mantine/core';

import { t } from '../text';
import { Letters } from '../ui/letters';
import css from './help.module.css';
import { modKey } from './shell';

interface Props {
  opened: boolean;
  close: () => void;
  pages: { name: string; key: string }[];
}

/** Help lists the keys. */
export function Help({ opened, close, pages }: Props) {
  const { groups, keys } = t.help;
  const all: [string, [string[], string][]][] = [
    [
      groups.everywhere,
      [
        [[modKey(), 'K'], keys.search],
        [['?'], keys.help],
        [['t'], keys.theme],
        [['Esc'], keys.close],
      ],
    ],
    [groups.go, pages.map((p) => [['g', p.key], p.name])],
    [
      groups.list,
      [
        [['/'], keys.filter],
        [['j'], keys.down],
        [['k'], keys.up],
        [['Enter'], keys.open],
        [['x'], keys.select],
        [['v'], keys.views],
      ],
    ],
    [groups.table, [[['←', '↑', '↓', '→'], keys.cells]]],
    [
      groups.application,
      [
        [['s'], keys.sync],
        [['r'], keys.refresh],
        [['1', '…', '9'], keys.tabs],
      ],
    ],
    [groups.terminal, [[['Ctrl', 'Shift', 'F6'], keys.leave]]],
  ];
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t.help.title}
      size="lg"
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      <div className={css.groups}>
        {all.map(([name, list]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl className={css.list}>
              {list.map(([combination, what]) => (
                <div key={what}>
                  <dt>
                    {combination.map((k) => (
                      <Kbd key={k}>{k}</Kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className={css.letters}>
        <Letters />
      </div>
    </Modal>
  );
}
