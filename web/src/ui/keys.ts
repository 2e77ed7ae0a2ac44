import { useEffect, useRef } from 'react';

type Keys = Record<string, (event: KeyboardEvent) => void>;

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** A dialog has the keys to itself. */
const covered = () => document.querySelector('[role="dialog"][aria-modal="true"]') !== null;

const patience = 1_200;

/**
 * useKeys binds keys while nobody types: 's', '?', 'mod+k', or one after the
 * other as 'g a'. Those with mod hold while somebody types, too.
 */
export function useKeys(keys: Keys): void {
  const bound = useRef(keys);
  useEffect(() => {
    bound.current = keys;
  });
  useEffect(() => {
    let before = '';
    let at = 0;
    const pressed = (event: KeyboardEvent) => {
      const mod = event.ctrlKey || event.metaKey;
      const name = mod ? `mod+${event.key.toLowerCase()}` : event.key;
      if (event.altKey || event.defaultPrevented || (!mod && (typing(event.target) || covered()))) return;
      const both = event.timeStamp - at < patience ? bound.current[`${before} ${name}`] : undefined;
      const act = both ?? bound.current[name];
      before = act ? '' : name;
      at = event.timeStamp;
      if (!act) return;
      event.preventDefault();
      act(event);
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}
