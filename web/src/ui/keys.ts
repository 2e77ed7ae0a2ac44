import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef } from 'react';

type Keys = Record<string, (event: KeyboardEvent) => void>;

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** A dialog has the keys to itself. */
const covered = () => document.querySelector('[role="dialog"][aria-modal="true"]') !== null;

const patience = 1_200;

/**
 * useLetters tells whether keys of one character do something, and turns them off: who dictates types them without
 * meaning to (WCAG 2.1.4).
 */
export const useLetters = () =>
  useLocalStorage({ key: 'causeway.letters', defaultValue: true, getInitialValueInEffect: false });

/**
 * useKeys binds keys while nobody types: 's', '?', 'mod+k', or one after the
 * other as 'g a'. Those with mod hold while somebody types, too, and where those of one character are turned off.
 */
export function useKeys(keys: Keys): void {
  const bound = useRef(keys);
  const [letters] = useLetters();
  useEffect(() => {
    bound.current = keys;
  });
  useEffect(() => {
    let before = '';
    let at = 0;
    const pressed = (event: KeyboardEvent) => {
      const mod = event.ctrlKey || event.metaKey;
      const name = mod ? `mod+${event.key.toLowerCase()}` : event.key;
      if (!letters && !mod && event.key.length === 1) return;
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
  }, [letters]);
}
