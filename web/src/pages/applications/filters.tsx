import { Button, Checkbox, Popover, TextInput } from '@mantine/core';
import { useState, type SubmitEvent } from 'react';

import type { Page } from '../../api/client';
import type { Filter } from '../../api/queries';
import { t } from '../../text';
import { Icon } from '../../ui/icons';
import { Health } from '../../ui/status';
import { facets, isFiltered, longest, wordOf, type Facet } from './filter';
import css from './filters.module.css';
import { Views } from './views';

type Change = (change: Partial<Record<keyof Filter | 'view', string | string[]>>) => void;

interface Props {
  filter: Filter;
  counts: Page['facets'] | undefined;
  change: Change;
}

const healthOrder = ['Degraded', 'Missing', 'Progressing', 'Unknown', 'Suspended', 'Healthy'];

const toggled = (values: string[] | undefined, value: string) =>
  values?.includes(value) ? values.filter((v) => v !== value) : [...(values ?? []), value];

/** Filters narrow the list down; each tells how many there are. */
export function Filters({ filter, counts, change }: Props) {
  return (
    <div className={css.filters} role="group" aria-label={t.list.filters.label}>
      <Healths filter={filter} counts={counts?.health ?? {}} change={change} />
      <div className={css.pills}>
        <Views />
        {facets
          .filter((f) => f !== 'health')
          .map((facet) => (
            <Pill
              key={facet}
              facet={facet}
              chosen={filter[facet] ?? []}
              counts={counts?.[facet] ?? {}}
              change={change}
            />
          ))}
        <More filter={filter} change={change} />
      </div>
      <Chosen filter={filter} change={change} />
    </div>
  );
}

/** Healths are counted in plain sight: what is wrong is what people come for. */
function Healths({ filter, counts, change }: { filter: Filter; counts: Record<string, number>; change: Change }) {
  const shown = healthOrder.filter((h) => (counts[h] ?? 0) > 0 || filter.health?.includes(h));
  if (shown.length === 0) return <div className={css.healths} />;
  return (
    <div className={css.healths}>
      {shown.map((health) => (
        <button
          key={health}
          type="button"
          className={css.health}
          aria-pressed={filter.health?.includes(health) ?? false}
          onClick={() => change({ health: toggled(filter.health, health) })}
        >
          <Health value={health} />
          <span className={css.count}>{(counts[health] ?? 0).toLocaleString('en')}</span>
        </button>
      ))}
    </div>
  );
}

interface PillProps {
  facet: Facet;
  chosen: string[];
  counts: Record<string, number>;
  change: Change;
}

function Pill({ facet, chosen, counts, change }: PillProps) {
  const name = t.list.filters[facet];
  return (
    <Popover position="bottom-start" width={280} trapFocus returnFocus shadow="md">
      <Popover.Target>
        <button type="button" className={css.pill} data-active={chosen.length > 0 || undefined}>
          {name}
          {chosen.length > 0 && <span className={css.number}>{chosen.length}</span>}
          <Icon name="down" size={14} />
        </button>
      </Popover.Target>
      <Popover.Dropdown p={8}>
        <Values facet={facet} chosen={chosen} counts={counts} change={change} />
      </Popover.Dropdown>
    </Popover>
  );
}

const mostValues = 200;

function Values({ facet, chosen, counts, change }: PillProps) {
  const [text, setText] = useState('');
  const values = [...new Set([...chosen, ...Object.keys(counts)])].sort(
    (a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a.localeCompare(b),
  );
  const found = values.filter((v) => wordOf(facet, v).toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      {values.length > 8 && (
        <TextInput
          size="xs"
          mb={8}
          aria-label={t.list.filters.find(t.list.filters[facet])}
          placeholder={t.list.filters.find(t.list.filters[facet])}
          value={text}
          onChange={(e) => setText(e.currentTarget.value)}
        />
      )}
      <div className={css.values}>
        {found.slice(0, mostValues).map((value) => (
          <Checkbox
            key={value}
            size="xs"
            checked={chosen.includes(value)}
            onChange={() => change({ [facet]: toggled(chosen, value) })}
            classNames={{ body: css.value ?? '', labelWrapper: css.valueLabel ?? '' }}
            label={
              <span className={css.valueText}>
                <span className="cut" title={value}>
                  {wordOf(facet, value)}
                </span>
                <span className="dim">{(counts[value] ?? 0).toLocaleString('en')}</span>
              </span>
            }
          />
        ))}
        {found.length === 0 && <p className="dim">{t.list.filters.none}</p>}
        {found.length > mostValues && <p className="dim">{t.list.filters.further(found.length - mostValues)}</p>}
      </div>
    </>
  );
}

function More({ filter, change }: { filter: Filter; change: Change }) {
  const [opened, setOpened] = useState(false);
  const active = [filter.labels, filter.image, filter.revision].filter(Boolean).length;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const value = (name: string) => (form.get(name) as string | null)?.trim() ?? '';
    change({ labels: value('labels'), image: value('image'), revision: value('revision') });
    setOpened(false);
  };
  return (
    <Popover position="bottom-start" width={300} trapFocus returnFocus shadow="md" opened={opened} onChange={setOpened}>
      <Popover.Target>
        <button
          type="button"
          className={css.pill}
          data-active={active > 0 || undefined}
          onClick={() => setOpened(!opened)}
        >
          <Icon name="filter" size={14} />
          {t.list.filters.more}
          {active > 0 && <span className={css.number}>{active}</span>}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit} className={css.form}>
          <TextInput
            size="sm"
            name="labels"
            label={t.list.filters.labels}
            description={t.list.filters.labelsHint}
            defaultValue={filter.labels ?? ''}
            maxLength={longest('labels')}
          />
          <TextInput
            size="sm"
            name="image"
            label={t.list.filters.image}
            defaultValue={filter.image ?? ''}
            maxLength={longest('image')}
          />
          <TextInput
            size="sm"
            name="revision"
            label={t.list.filters.revision}
            defaultValue={filter.revision ?? ''}
            maxLength={longest('revision')}
          />
          <Button type="submit" size="sm">
            {t.list.filters.apply}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Chosen lists what narrows the list, each to be taken away. */
function Chosen({ filter, change }: { filter: Filter; change: Change }) {
  // Its place is kept: what comes and goes would move the list.
  if (!isFiltered(filter)) return <div className={css.chosen} />;
  const chips: { id: string; text: string; drop: () => void }[] = [];
  for (const facet of facets)
    for (const value of filter[facet] ?? [])
      chips.push({
        id: `${facet}=${value}`,
        text: `${t.list.filters[facet]}: ${wordOf(facet, value)}`,
        drop: () => change({ [facet]: toggled(filter[facet], value) }),
      });
  for (const name of ['labels', 'image', 'revision'] as const)
    if (filter[name])
      chips.push({ id: name, text: `${t.list.filters[name]}: ${filter[name]}`, drop: () => change({ [name]: '' }) });
  const all = Object.fromEntries([...facets, 'q', 'labels', 'image', 'revision'].map((name) => [name, '']));
  return (
    <div className={css.chosen}>
      {chips.length > 0 && (
        <div className={css.chips}>
          {chips.map((chip) => (
            <button
              key={chip.id}
              type="button"
              className={css.chip}
              aria-label={t.list.filters.remove(chip.text)}
              onClick={chip.drop}
            >
              <span className="cut">{chip.text}</span>
              <Icon name="close" size={12} />
            </button>
          ))}
        </div>
      )}
      <button type="button" className={css.clear} onClick={() => change(all)}>
        {t.list.filters.clear}
      </button>
    </div>
  );
}
