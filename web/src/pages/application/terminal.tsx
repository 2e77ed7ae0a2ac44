import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useRef, useState } from 'react';

import { Problem, type Key } from '../../api/client';
import { terminalQuery } from '../../api/queries';
import type { Ended, Wanted } from '../../api/terminal';
import { t } from '../../text';
import { part } from '../../ui/part';
import { useSearch } from '../../ui/search';
import { Failed, Loading, Message, wordsOf } from '../../ui/state';
import css from './terminal.module.css';

const Screen = part(() => import('./screen'));

interface Props {
  app: Key;
  namespace: string;
  pod: string;
}

/** Phase is where a terminal is. */
type Phase =
  | { is: 'closed' }
  | { is: 'connecting' }
  | { is: 'open'; shell: string }
  | { is: 'ended'; how: Ended }
  | { is: 'failed'; error: unknown };

/** Terminal opens a shell in a container: when somebody says so, and not by its address alone. */
export function Terminal({ app, namespace, pod }: Props) {
  const may = useQuery(terminalQuery(app, namespace, pod));
  const { params, put } = useSearch();
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const [phase, setPhase] = useState<Phase>({ is: 'closed' });
  const button = useRef<HTMLButtonElement>(null);
  if (may.error && !may.data) return <Failed error={may.error} retry={() => void may.refetch()} />;
  if (!may.data) return <Loading rows={4} />;
  if (!may.data.permitted && !wanted)
    return (
      <Message icon="user" title={may.data.on ? t.terminal.refused : t.terminal.off}>
        <p>{may.data.why}</p>
      </Message>
    );
  const live = phase.is === 'connecting' || phase.is === 'open';
  const running = may.data.running ?? [];
  const container = running.find((c) => c === params.get('container')) ?? running[0] ?? '';
  const open = () => {
    setPhase({ is: 'connecting' });
    setWanted({ app, namespace, pod, container });
  };
  const close = () => {
    setPhase({ is: 'closed' });
    setWanted(null);
  };
  const over = (next: Phase) => {
    setPhase(next);
    button.current?.focus();
  };
  return (
    <div className={css.terminal}>
      <div className={css.tools}>
        <NativeSelect
          size="xs"
          aria-label={t.logs.container}
          data={running}
          value={container}
          disabled={live}
          onChange={(e) => put('container', e.currentTarget.value)}
        />
        <Button ref={button} size="xs" variant={live ? 'default' : 'filled'} onClick={live ? close : open}>
          {live ? t.terminal.close : wanted ? t.terminal.again : t.terminal.open}
        </Button>
        <span className="dim" role="status">
          {wordsOfPhase(phase)}
        </span>
      </div>
      {phase.is === 'closed' && (
        <p className="dim">{t.terminal.lead(minutes(may.data.idle), minutes(may.data.longest))}</p>
      )}
      {wanted && (
        <>
          <p className="dim">{t.terminal.leave}</p>
          <Suspense fallback={<Loading rows={4} />}>
            <Screen
              wanted={wanted}
              opened={(shell) => setPhase({ is: 'open', shell })}
              ended={(how) => over({ is: 'ended', how })}
              failed={(error) => over({ is: 'failed', error })}
              leave={() => button.current?.focus()}
            />
          </Suspense>
        </>
      )}
    </div>
  );
}

const minutes = (seconds: number) => Math.round(seconds / 60);

function wordsOfPhase(phase: Phase): string {
  switch (phase.is) {
    case 'closed':
      return '';
    case 'connecting':
      return t.terminal.connecting;
    case 'open':
      return t.terminal.connected(phase.shell);
    case 'ended':
      return t.terminal.ended(phase.how.message);
    case 'failed':
      return t.terminal.failed(
        phase.error instanceof Problem && phase.error.status === 426 ? t.terminal.noSocket : wordsOf(phase.error),
      );
  }
}
