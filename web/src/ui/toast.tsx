import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';

import { t } from '../text';
import { Icon, type IconName } from './icons';
import css from './toast.module.css';

type Tone = 'good' | 'bad' | 'busy';

interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

/** Mark stands for something that goes on, until it is told how it ended. */
export interface Mark {
  say: (text: string) => void;
  good: (text: string) => void;
  bad: (text: string) => void;
  /** Ends when the reader has taken the mark away, and wants to know no more of it. */
  signal: AbortSignal;
}

interface Tell {
  good: (text: string) => void;
  bad: (text: string) => void;
  busy: (text: string) => Mark;
}

const nothing = () => undefined;
const Context = createContext<Tell>({
  good: nothing,
  bad: nothing,
  busy: () => ({ say: nothing, good: nothing, bad: nothing, signal: AbortSignal.abort() }),
});

/** useTell tells what became of something that the reader did. */
export const useTell = () => useContext(Context);

const life = 6_000;
/** As many are in sight, beside those that go on. */
const most = 4;

const icons: Record<Tone, IconName> = { good: 'okay', bad: 'warning', busy: 'progress' };

/** put has a toast in the place where it was, or as the last one; the first go when there are too many. */
function put(all: Toast[], toast: Toast): Toast[] {
  if (all.some((one) => one.id === toast.id)) return all.map((one) => (one.id === toast.id ? toast : one));
  const over = all.filter((one) => one.tone !== 'busy').slice(0, 1 - most);
  return [...all.filter((one) => !over.includes(one)), toast];
}

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const next = useRef(0);
  const going = useRef(new Map<number, AbortController>());
  // Where there is nobody to tell, nobody waits for it.
  useEffect(() => {
    const marks = going.current;
    return () => {
      for (const wanted of marks.values()) wanted.abort();
    };
  }, []);
  const drop = useCallback((id: number) => {
    going.current.get(id)?.abort();
    going.current.delete(id);
    setToasts((all) => all.filter((one) => one.id !== id));
  }, []);
  const show = useCallback(
    (id: number, text: string, tone: Tone) => {
      setToasts((all) => put(all, { id, text, tone }));
      // What went wrong stays until it is read, and what goes on until it is over.
      if (tone === 'good') setTimeout(() => drop(id), life);
    },
    [drop],
  );
  const tell = useMemo<Tell>(
    () => ({
      good: (text) => show(next.current++, text, 'good'),
      bad: (text) => show(next.current++, text, 'bad'),
      busy: (text) => {
        const id = next.current++;
        const wanted = new AbortController();
        going.current.set(id, wanted);
        const say = (tone: Tone) => (words: string) => {
          if (!wanted.signal.aborted) show(id, words, tone);
        };
        say('busy')(text);
        return { say: say('busy'), good: say('good'), bad: say('bad'), signal: wanted.signal };
      },
    }),
    [show],
  );
  return (
    <Context.Provider value={tell}>
      {children}
      <div className={css.stack} role="status" aria-live="polite">
        {toasts.map((toast) => (
          <div key={toast.id} className={css.toast} data-tone={toast.tone}>
            <Icon name={icons[toast.tone]} size={18} />
            <span className={css.text}>{toast.text}</span>
            <button type="button" className={css.close} aria-label={t.action.dismiss} onClick={() => drop(toast.id)}>
              <Icon name="close" size={14} />
            </button>
          </div>
        ))}
      </div>
    </Context.Provider>
  );
}
