import type { BridgePreview, GuardedDeletion } from '../api/client';
import { t } from '../text';
import { approveSetCommand } from './commands';
import { Command } from './copy';
import { Note } from './form';

interface Props {
  list: GuardedDeletion[];
  hidden?: boolean | undefined;
  /** Whether it would hold anything; undefined where nothing is to be deleted. */
  verdict?: BridgePreview['verdict'] | undefined;
}

/** Guarded tells, before anything is deleted, what the guard of mass deletions would hold. */
export function Guarded({ list, hidden = false, verdict }: Props) {
  return (
    <>
      {list.map((g) => (
        <Note key={`${g.namespace}/${g.applicationSet}`} tone="warn">
          <p>
            {t.held.guarded(g.count, g.applicationSet)}: {g.why}.
          </p>
          <p>
            {t.held.guardedWay} <Command text={approveSetCommand(g.applicationSet)} />
          </p>
        </Note>
      ))}
      {hidden && <Note tone="warn">{t.held.guardedHidden}</Note>}
      {verdict === 'none' && <p>{t.held.none}</p>}
      {verdict === 'others' && <p>{t.held.others}</p>}
    </>
  );
}
