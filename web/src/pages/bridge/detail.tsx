import { Button, Drawer } from '@mantine/core';
import { Link } from 'react-router';

import type { BridgeReader } from '../../api/client';
import { t } from '../../text';
import { Copy } from '../../ui/copy';
import { useReturn } from '../../ui/return';
import { Ago } from '../../ui/time';
import { keyText } from './address';
import type { Line } from './cluster';
import { editText } from './edits';
import css from './drawer.module.css';
import { Place, Problem } from './parts';

interface Props {
  cluster: string;
  line: Line;
  /** Opens the question what would be, with an edit of this key. */
  tryIt: (edit: string) => void;
  close: () => void;
}

/** Detail is one key of a cluster: its value, who set it, and who reads it. */
export function Detail({ cluster, line: { key, missing }, tryIt, close }: Props) {
  useReturn();
  const readers = key.readers ?? [];
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="min(620px, 100vw)"
      title={
        <span className={css.title}>
          {key.name} <Place of={key.in} />
        </span>
      }
      closeButtonProps={{ 'aria-label': t.action.close }}
    >
      {key.problem && <Problem text={key.problem} />}
      <dl className={css.facts}>
        <dt>{t.bridge.columns.value}</dt>
        <dd>
          {missing ? (
            <>
              <strong className={css.missing}>{t.bridge.missing}</strong>
              {key.nearest && <p>{t.bridge.nearest(key.nearest)}</p>}
            </>
          ) : (
            <span className={css.value}>
              <pre tabIndex={0}>{key.value ?? ''}</pre>
              <Copy text={key.value ?? ''} />
            </span>
          )}
        </dd>
        {key.type && (
          <>
            <dt>{t.bridge.columns.type}</dt>
            <dd>
              {key.type} <span className="dim">{key.schema ? t.bridge.bySchema(key.schema) : t.bridge.guessed}</span>
            </dd>
          </>
        )}
        {key.setBy && (
          <>
            <dt>{t.bridge.columns.setBy}</dt>
            <dd>
              {key.source ?? key.setBy} {key.setAt && <Ago at={key.setAt} />}
            </dd>
          </>
        )}
      </dl>
      <p className={css.ways}>
        <Button
          variant="default"
          onClick={() => tryIt(editText({ in: key.in, name: key.name, value: key.value ?? '', remove: false }))}
        >
          {missing ? t.whatIf.add : t.whatIf.change}
        </Button>
        <Link to={`/bridge?${new URLSearchParams({ by: 'keys', key: keyText(key) }).toString()}`}>
          {t.bridge.across}
        </Link>
      </p>
      <h3>{t.bridge.readBy}</h3>
      {readers.length === 0 && <p className="dim">{t.bridge.unreadLead}</p>}
      <ul className={css.readers}>
        {readers.map((r) => (
          <li key={r.applicationSet}>
            <Reader cluster={cluster} reader={r} />
          </li>
        ))}
      </ul>
    </Drawer>
  );
}

const mostApplications = 20;

function Reader({ cluster, reader }: { cluster: string; reader: BridgeReader }) {
  const apps = reader.applications ?? [];
  const all = `/applications?${new URLSearchParams({ applicationSet: reader.applicationSet, cluster }).toString()}`;
  return (
    <>
      <strong>{reader.applicationSet}</strong>
      {reader.where && (
        <p className="dim">
          {t.bridge.at} <span className="mono">{reader.where}</span>
        </p>
      )}
      {reader.selects && <p>{t.bridge.selects}</p>}
      {reader.loops && <p>{t.bridge.loops}</p>}
      {apps.length > 0 && (
        <ul className={css.names}>
          {apps.slice(0, mostApplications).map((name) => (
            <li key={name}>
              {reader.namespace ? <Link to={`/applications/${reader.namespace}/${name}`}>{name}</Link> : name}
            </li>
          ))}
        </ul>
      )}
      {apps.length > mostApplications && <Link to={all}>{t.bridge.allOf(apps.length)}</Link>}
    </>
  );
}
