import { ActionIcon, Button, Popover, TextInput } from '@mantine/core';
import { useRef, useState, type SubmitEvent } from 'react';
import { Link } from 'react-router';

import { t } from '../../text';
import { Copy } from '../../ui/copy';
import { Icon, type IconName } from '../../ui/icons';
import { useKeys } from '../../ui/keys';
import { useSearch } from '../../ui/search';
import { useTell } from '../../ui/toast';
import { searchOf } from './filter';
import filters from './filters.module.css';
import { isTaken, longestName, placeOf, summaryOf, useSaved, type Fault, type SavedView } from './saved';
import css from './views.module.css';

/** Views is the menu of what somebody saved of the list, and saves what it shows now. */
export function Views() {
  const search = searchOf(useSearch().params);
  const saved = useSaved();
  const [opened, setOpened] = useState(false);
  const current = saved.views.find((v) => v.search === search);
  useKeys({ v: () => setOpened(true) });
  return (
    <Popover position="bottom-start" width={320} trapFocus returnFocus shadow="md" opened={opened} onChange={setOpened}>
      <Popover.Target>
        <button
          type="button"
          className={filters.pill}
          data-active={current !== undefined || undefined}
          aria-keyshortcuts="v"
          onClick={() => setOpened(!opened)}
        >
          <Icon name="star" size={14} />
          <span className={`cut ${css.current ?? ''}`}>{current ? t.views.at(current.name) : t.views.title}</span>
          <Icon name="down" size={14} />
        </button>
      </Popover.Target>
      <Popover.Dropdown p={10}>
        <Menu saved={saved} search={search} close={() => setOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface MenuProps {
  saved: ReturnType<typeof useSaved>;
  search: string;
  close: () => void;
}

/** What is done to one of the views: to one at a time. */
interface Doing {
  name: string;
  what: 'rename' | 'remove';
}

function Menu({ saved, search, close }: MenuProps) {
  const [doing, setDoing] = useState<Doing | null>(null);
  const menu = useRef<HTMLDivElement>(null);
  const tell = useTell();
  return (
    <div ref={menu} className={css.menu} tabIndex={-1}>
      <ul className={css.list} aria-label={t.views.title}>
        {saved.views.map((view) => (
          <li key={view.name}>
            <One
              view={view}
              saved={saved}
              current={view.search === search}
              doing={doing?.name === view.name ? doing.what : null}
              ask={(what) => setDoing({ name: view.name, what })}
              done={() => {
                setDoing(null);
                // What had the focus is gone.
                menu.current?.focus();
              }}
              close={close}
            />
          </li>
        ))}
      </ul>
      {saved.views.length === 0 && <p className="dim">{t.views.none}</p>}
      <Naming
        label={t.views.name}
        act={(name) => (isTaken(saved.views, name) ? t.views.replace : t.views.save)}
        name={(name) => saved.save(name, search)}
        done={(name) => {
          tell.good(t.views.saved(name));
          close();
        }}
      />
      <p className={css.where}>{t.views.where}</p>
    </div>
  );
}

interface OneProps {
  view: SavedView;
  saved: ReturnType<typeof useSaved>;
  /** It is what the list shows. */
  current: boolean;
  doing: Doing['what'] | null;
  ask: (what: Doing['what']) => void;
  done: () => void;
  close: () => void;
}

function One({ view, saved, current, doing, ask, done, close }: OneProps) {
  if (doing === 'remove') return <Remove view={view} remove={() => saved.remove(view.name)} done={done} />;
  if (doing === 'rename')
    return (
      <Naming
        first={view.name}
        label={t.views.newName}
        act={() => t.views.rename}
        name={(name) => saved.rename(view, name)}
        done={done}
        cancel={done}
      />
    );
  const { name } = view;
  const said = summaryOf(view);
  return (
    <div className={css.one} data-current={current || undefined}>
      <Link to={placeOf(view)} className={css.open} aria-current={current} onClick={close}>
        <span className="cut" title={name}>
          {name}
        </span>
        <span className="dim cut" title={said}>
          {said || t.views.all}
        </span>
      </Link>
      <Copy text={window.location.origin + placeOf(view)} label={t.views.copy(name)} />
      <Act icon="pencil" label={t.views.renameOf(name)} act={() => ask('rename')} />
      <Act icon="bin" label={t.views.removeOf(name)} act={() => ask('remove')} />
    </div>
  );
}

function Act({ icon, label, act }: { icon: IconName; label: string; act: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size={24} aria-label={label} title={label} onClick={act}>
      <Icon name={icon} size={14} />
    </ActionIcon>
  );
}

function Remove({ view, remove, done }: { view: SavedView; remove: () => Fault | null; done: () => void }) {
  const [fault, setFault] = useState<Fault | null>(null);
  const sure = () => {
    const found = remove();
    setFault(found);
    if (!found) done();
  };
  return (
    <div className={css.naming} role="group" aria-label={t.views.removeOf(view.name)}>
      <p>{t.views.removeAsk(view.name)}</p>
      {fault && <p role="alert">{t.views.faults[fault]}</p>}
      <div className={css.buttons}>
        <Button size="xs" variant="default" autoFocus onClick={done}>
          {t.action.cancel}
        </Button>
        <Button size="xs" color="red.9" onClick={sure}>
          {t.views.remove}
        </Button>
      </div>
    </div>
  );
}

interface NamingProps {
  label: string;
  /** What there is to change; without it the field is empty. */
  first?: string;
  /** What the button says, for what is typed. */
  act: (name: string) => string;
  name: (name: string) => Fault | null;
  done: (name: string) => void;
  cancel?: () => void;
}

function Naming({ label, first, act, name, done, cancel }: NamingProps) {
  const [text, setText] = useState(first ?? '');
  const [fault, setFault] = useState<Fault | null>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const found = name(text);
    setFault(found);
    if (!found) done(text.trim());
  };
  return (
    <form className={css.naming} onSubmit={submit}>
      <TextInput
        size="xs"
        label={label}
        value={text}
        maxLength={longestName}
        autoComplete="off"
        spellCheck={false}
        autoFocus={first !== undefined}
        error={fault && t.views.faults[fault]}
        onChange={(e) => {
          setText(e.currentTarget.value);
          setFault(null);
        }}
      />
      <div className={css.buttons}>
        {cancel && (
          <Button size="xs" variant="default" onClick={cancel}>
            {t.action.cancel}
          </Button>
        )}
        <Button type="submit" size="xs">
          {act(text)}
        </Button>
      </div>
    </form>
  );
}
