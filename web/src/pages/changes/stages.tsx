import type { CommitStage, StepStage } from '../../api/client';
import { t } from '../../text';
import type { IconName } from '../../ui/icons';
import { Sign } from '../../ui/status';
import { duration, exact } from '../../ui/time';
import css from './stages.module.css';

export const states = ['failed', 'waiting', 'running', 'applied', 'healthy', 'superseded'];

const looks: Record<string, { icon: IconName; tone: 'good' | 'bad' | 'warn' | 'busy' | 'calm' }> = {
  failed: { icon: 'bad', tone: 'bad' },
  waiting: { icon: 'paused', tone: 'warn' },
  running: { icon: 'synced', tone: 'busy' },
  applied: { icon: 'progress', tone: 'busy' },
  healthy: { icon: 'okay', tone: 'good' },
  superseded: { icon: 'right', tone: 'calm' },
};

export function StateSign({ value, compact }: { value: string; compact?: boolean }) {
  return (
    <Sign
      look={looks[value] ?? { icon: 'unknown', tone: 'calm' }}
      word={t.changes.states[value] ?? value}
      compact={compact}
    />
  );
}

const names = ['fetched', 'rendered', 'planned', 'applied', 'healthy'];

/** Stages before anything is changed are timed from the one before to the millisecond. */
const timed = ['fetched', 'rendered', 'planned'];

/** tookOf is how long a stage took; what was there already takes no time that could be measured. */
function tookOf({ stage, done, tookMilliseconds: took }: CommitStage): string {
  if (done === 0) return '';
  if (took > 0) return duration(took);
  return timed.includes(stage) ? t.changes.noTime : '';
}

/** Stages shows how many applications have each stage behind them. */
export function Stages({ stages, of }: { stages: CommitStage[]; of: number }) {
  return (
    <ol className={css.stages}>
      {stages.map((s) => (
        <li key={s.stage} title={s.ended && !s.ended.startsWith('0001') ? exact(s.ended) : undefined}>
          <span className={css.track} data-failed={(s.failed ?? 0) > 0 || undefined}>
            <i style={{ width: `${of > 0 ? (100 * s.done) / of : 0}%` }} />
          </span>
          <span className={css.word}>
            {t.changes.stages[s.stage]} {of > 1 && t.changes.part(s.done, of)}
            {tookOf(s) !== '' && (
              <>
                {' '}
                <span className={css.took}>{tookOf(s)}</span>
              </>
            )}
            {(s.failed ?? 0) > 0 && <strong className={css.failed}> {t.changes.failed(s.failed ?? 0)}</strong>}
            {of === 1 && s.done === 0 && !s.failed && <span className="hear"> {t.changes.notYet}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** StepStages shows the stages of one application. */
export function StepStages({ stages, state, stage }: { stages: StepStage[]; state: string; stage: string }) {
  return (
    <Stages
      of={1}
      stages={names.map((name) => {
        const over = stages.find((s) => s.stage === name);
        return {
          stage: name as CommitStage['stage'],
          done: over ? 1 : 0,
          failed: state === 'failed' && stage === name ? 1 : 0,
          tookMilliseconds: over?.tookMilliseconds ?? 0,
          ...(over && { ended: over.ended }),
        };
      })}
    />
  );
}
