import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';

import { api, body, type Key, type SetDetail } from '../../api/client';
import { t } from '../../text';
import { rolloutCommand } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { wordsOf } from '../../ui/state';
import { Sign } from '../../ui/status';
import { useTell } from '../../ui/toast';
import css from './rollout.module.css';

interface Props {
  set: SetDetail;
  setKey: Key;
}

/** Rollout tells how far a set is that goes in steps; who may change it holds it there, or lets it go on. */
export function Rollout({ set, setKey }: Props) {
  const rollout = set.rollout;
  if (!rollout) return null;
  return (
    <section className={`card ${css.rollout ?? ''}`} aria-label={t.rollout.title}>
      <div className={css.head}>
        <h2>{t.rollout.title}</h2>
        {rollout.paused && <Sign look={{ icon: 'paused', tone: 'warn' }} word={t.rollout.paused} />}
        {set.can.includes('update') && <Switch paused={rollout.paused} setKey={setKey} />}
      </div>
      {rollout.message && <p className={css.message}>{rollout.message}</p>}
      <ol className={css.steps}>
        {rollout.steps.map((s) => (
          <li key={s.number}>
            <span>
              <strong>{s.number > 0 ? t.rollout.step(s.number) : t.rollout.none}</strong>{' '}
              {s.atOnce && <span className="dim">{t.rollout.atOnce(s.atOnce)}</span>}
            </span>
            <progress max={Math.max(s.total, 1)} value={s.done} aria-label={t.rollout.done(s.done, s.total)} />
            <span className="dim">
              {[
                t.rollout.done(s.done, s.total),
                s.atWork > 0 && t.rollout.atWork(s.atWork),
                s.waiting > 0 && t.rollout.waiting(s.waiting),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </li>
        ))}
      </ol>
      {rollout.others && <p className="dim">{t.rollout.others}</p>}
      <Command text={rolloutCommand(set.name)} />
    </section>
  );
}

function Switch({ paused, setKey }: { paused: boolean; setKey: Key }) {
  const client = useQueryClient();
  const tell = useTell();
  const press = useMutation({
    mutationFn: () => {
      const to = { params: { path: setKey } };
      return paused
        ? body(api.POST('/api/v1/applicationsets/{namespace}/{name}/resume', to))
        : body(api.POST('/api/v1/applicationsets/{namespace}/{name}/pause', to));
    },
    onSuccess: () => tell.good(paused ? t.rollout.goesOn : t.rollout.holds),
    onError: (error) => tell.bad(wordsOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['sets'] }),
  });
  return (
    <Button size="compact-sm" variant="default" loading={press.isPending} onClick={() => press.mutate()}>
      {paused ? t.rollout.resume : t.rollout.pause}
    </Button>
  );
}
