import { useQuery } from '@tanstack/react-query';

import { bridgeFactsQuery } from '../../api/queries';
import { t } from '../../text';
import css from './page.module.css';

/** Facts are what the cluster tells of itself, whether or not a ClusterMetadata makes keys of it. */
export function Facts({ cluster }: { cluster: string }) {
  const { data, error } = useQuery(bridgeFactsQuery(cluster));
  const untold = data?.untold ?? (error && t.bridge.factsUnknown);
  return (
    <div className={css.facts} role="group" aria-label={t.bridge.facts}>
      <span>{data || error ? t.bridge.facts : t.bridge.factsAsked}</span>
      {(data?.facts ?? []).map((f) => (
        <div key={f.name} title={t.bridge.factOf(f.type, f.source)}>
          {f.name}{' '}
          {f.name === 'apiVersions' ? <Versions all={f.value.split(',')} /> : <b className="mono">{f.value}</b>}
        </div>
      ))}
      {untold && <span className={css.missing}>{untold}</span>}
    </div>
  );
}

/** Versions are many: they are counted until somebody asks. */
function Versions({ all }: { all: string[] }) {
  return (
    <details className={css.versions}>
      <summary>{t.bridge.versions(all.length)}</summary>
      <span className="mono">{all.join(', ')}</span>
    </details>
  );
}
