import { Button, Drawer as Panel, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';

import type { ObjectDetail, Ref } from '../../api/client';
import { applicationQuery, diffQuery, objectQuery, terminalQuery, treeQuery } from '../../api/queries';
import { t } from '../../text';
import { DiffView, Yaml } from '../../ui/diffview';
import { shellCommand, useCommands, type Offer } from '../../ui/commands';
import { Command, Copy } from '../../ui/copy';
import { useReturn } from '../../ui/return';
import { useSearch } from '../../ui/search';
import { Failed, Loading, Message, wordsOf } from '../../ui/state';
import { Sides } from '../../ui/sidesview';
import { Health } from '../../ui/status';
import { parts, refKey, refText, useHere, type Address, type Part } from './address';
import { Actions } from './actions';
import { childPath } from './child';
import { Fields, Notes } from './diff';
import css from './drawer.module.css';
import { Events } from './events';
import { Logs } from './logs';
import { Terminal } from './terminal';
import { ownersOf } from './tree';

interface Props {
  address: Address;
  object: Ref;
}

/** Drawer shows one object: as it is, as Git has it, and what happens to it. */
export default function Drawer({ address, object }: Props) {
  useReturn();
  const query = useQuery(objectQuery(address.key, object));
  const child = childPath(object);
  const shown = parts.filter((p) => (p !== 'logs' && p !== 'terminal') || object.kind === 'Pod');
  const part = shown.includes(address.part) ? address.part : 'live';
  return (
    <Panel
      opened
      onClose={() => address.open(null)}
      // Of a terminal it is a key of the shell.
      closeOnEscape={part !== 'terminal'}
      position="right"
      size={part === 'sides' ? 'min(1240px, 100vw)' : 'min(860px, 100vw)'}
      title={
        <span className={css.title}>
          <span className="dim">{object.kind}</span> {object.name}
        </span>
      }
      closeButtonProps={{ 'aria-label': t.action.close }}
      classNames={{ content: css.content ?? '', body: css.body ?? '' }}
    >
      <p className={css.facts}>
        {query.data?.health && <Health value={query.data.health} />}
        {object.namespace && <span className="dim">{object.namespace}</span>}
        {query.data?.origin && (
          <span className="dim">
            {t.object.origin} <span className="mono">{query.data.origin}</span>
          </span>
        )}
      </p>
      {query.data?.message && <p className={css.message}>{query.data.message}</p>}
      <div className={css.command}>
        {child && (
          <Button component={Link} to={child} size="compact-sm" variant="default">
            {t.object.application(object.name)}
          </Button>
        )}
        <SameCommand address={address} object={object} part={part} containers={query.data?.containers ?? []} />
        {query.data?.live && <Actions app={address.key} object={object} />}
      </div>
      <Tabs
        value={part}
        onChange={(p) => address.open(object, (p ?? 'live') as Part)}
        keepMounted={false}
        className={css.tabs ?? ''}
        classNames={{ panel: css.panel ?? '' }}
      >
        <Tabs.List>
          {shown.map((p) => (
            <Tabs.Tab key={p} value={p}>
              {t.object.parts[p]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown.map((p) => (
          <Tabs.Panel key={p} value={p}>
            <Content part={p} address={address} object={object} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}

function Content({ part, address, object }: Props & { part: Part }) {
  const query = useQuery(objectQuery(address.key, object));
  if (part === 'events') return <Events app={address.key} object={object} />;
  if (part === 'diff') return <ObjectDiff address={address} object={object} detail={query.data} />;
  if (query.error && !query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Loading rows={6} />;
  if (part === 'sides') return <Beside address={address} object={object} detail={query.data} />;
  if (part === 'logs')
    return (
      <Logs
        app={address.key}
        namespace={object.namespace ?? ''}
        pod={object.name}
        containers={query.data.containers ?? []}
      />
    );
  if (part === 'terminal') return <Terminal app={address.key} namespace={object.namespace ?? ''} pod={object.name} />;
  if (part === 'live' && query.data.unanswered)
    return (
      <Message icon="warning" title={t.object.unanswered}>
        <p>{query.data.message}</p>
      </Message>
    );
  if (part === 'live' && query.data.holder)
    return (
      <Message icon="warning" title={t.object.held(query.data.holder)}>
        <p>{query.data.message}</p>
      </Message>
    );
  if (part === 'desired' && query.data.problem)
    return (
      <Message icon="warning" title={t.object.undesired}>
        <p>{query.data.problem}</p>
      </Message>
    );
  const text = part === 'live' ? query.data.live : query.data.desired;
  if (!text && part === 'desired') return <NotInGit address={address} object={object} />;
  if (!text) return <Message icon="missing" title={t.object.notLive} />;
  return (
    <div className={css.yaml}>
      <span className={css.copy}>
        <Copy text={text} />
      </span>
      {object.kind === 'Secret' && <p className="dim">{t.object.masked}</p>}
      <Yaml text={text} label={t.object.parts[part]} />
    </div>
  );
}

function ObjectDiff({ address, object, detail }: Props & { detail: ObjectDetail | undefined }) {
  const diff = useQuery({ ...diffQuery(address.key), retry: false });
  if (diff.error && !diff.data) return <Failed error={diff.error} retry={() => void diff.refetch()} />;
  if (diff.data === undefined) return <Loading rows={6} />;
  const own = diff.data?.find((d) => refKey(d) === refKey(object));
  if (!own && detail && !detail.desired && !detail.problem) return <NotInGit address={address} object={object} />;
  if (!own)
    return (
      <Message icon="okay" title={t.object.noDiff}>
        <p>{t.object.noDiffLead}</p>
      </Message>
    );
  return (
    <div className={css.yaml}>
      <Notes difference={own} />
      <Fields difference={own} />
      <DiffView before={own.live ?? ''} after={own.desired ?? ''} label={`${object.kind} ${object.name}`} />
    </div>
  );
}

/** NotInGit says who makes an object that Git does not have. */
function NotInGit({ address, object }: Props) {
  const tree = useQuery(treeQuery(address.key));
  const here = useHere();
  const owners = ownersOf(tree.data, object);
  const [first] = owners;
  const maker = owners.at(-1);
  const open = (o: Ref) => <Link to={here({ object: refText(o) })}>{`${o.kind} ${o.name}`}</Link>;
  if (!first || !maker) return <Message icon="missing" title={t.object.notDesired} />;
  return (
    <Message icon="okay" title={t.object.made(maker.kind)}>
      <p>
        {t.object.madeBy} {open(maker)}.
      </p>
      {first !== maker && (
        <p>
          {t.object.comesFrom} {open(first)}.
        </p>
      )}
    </Message>
  );
}

/** Beside shows what is live, what a sync would make of it, and what Git has, line by line. */
function Beside({ address, object, detail }: Props & { detail: ObjectDetail }) {
  const diff = useQuery({ ...diffQuery(address.key), retry: false });
  const own = diff.data?.find((d) => refKey(d) === refKey(object));
  const live = detail.live ?? '';
  const git = detail.desired ?? '';
  const after = own ? (own.desired ?? '') : live;
  const sides = useMemo(
    () => [
      { name: t.object.parts.live, text: own?.live ?? live },
      { name: t.sides.after, text: after },
      { name: t.object.parts.desired, text: git },
    ],
    [own, live, after, git],
  );
  return (
    <div className={css.yaml}>
      {(detail.unanswered === true || detail.holder) && <p className="dim">{detail.message}</p>}
      {diff.error && <p className="dim">{t.sides.unknown(wordsOf(diff.error))}</p>}
      {own && <Notes difference={own} />}
      {own && <Fields difference={own} />}
      {object.kind === 'Secret' && <p className="dim">{t.object.masked}</p>}
      <Sides sides={sides} pivot={1} label={t.object.parts.sides} />
    </div>
  );
}

/** SameCommand is the command that shows the same, of the container that is chosen. */
function SameCommand({ address, object, part, containers }: Props & { part: Part; containers: string[] }) {
  const { params } = useSearch();
  const commands = useCommands();
  const app = useQuery({ ...applicationQuery(address.key), enabled: part === 'terminal' }).data;
  const terminal = useQuery({
    ...terminalQuery(address.key, object.namespace ?? '', object.name),
    enabled: part === 'terminal',
  }).data;
  const chosen = (all: string[]) => all.find((c) => c === params.get('container')) ?? all[0];
  const offer = (): Offer => {
    const { key } = address;
    switch (part) {
      case 'logs': {
        const of = { container: chosen(containers), previous: params.get('previous') === '1' };
        return { text: commands.logs(key, object, of), whole: true };
      }
      case 'terminal':
        return { text: shellCommand(app?.row.cluster, object, chosen(terminal?.running ?? [])), whole: true };
      case 'events':
        return { text: commands.events(key, object), whole: true };
      case 'diff':
      case 'sides':
        return { text: commands.diff(key), whole: false };
      default:
        return { text: commands.why(key, object), whole: true };
    }
  };
  return <Command {...offer()} />;
}
