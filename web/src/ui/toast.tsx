import { createContext, useCallback, useContext, useMemo, useRef, useState, type ReactNode } from 'react';

import { t } from '../text';
import { Icon } from './icons';
import css from './toast.module.css';

interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'bad';
}

interface Tell {
  good: (text: string) => void;
  bad: (text: string) => void;
}

const Context = createContext<Tell>({ good: () => undefined, bad: () => undefined });

/** useTell tells what became of something that the reader did. */
export const useTell = () => useContext(Context);

const life = 6_000;

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const next = useRef(0);
  const drop = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), []);
  const add = useCallback(
    (text: string, tone: Toast['tone']) => {
      const id = next.current++;
      setToasts((all) => [...all.slice(-3), { id, text, tone }]);
      // What went wrong stays until it is read.
      if (tone === 'good') setTimeout(() => drop(id), life);
    },
    [drop],
  );
  const tell = useMemo<Tell>(() => ({ good: (text) => add(text, 'good'), bad: (text) => add(text, 'bad') }), [add]);
  return (
    <Context.Provider value={tell}>
      {children}
      <div className={css.stack} role="status" aria-live="polite">
        {toasts.map((toast) => (
          <div key={toast.id} className={css.toast} data-tone={toast.tone}>
            <Icon name={toast.tone === 'good' ? 'okay' : 'warning'} size={18} />
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
