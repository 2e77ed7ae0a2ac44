import { TextInput, type TextInputProps } from '@mantine/core';
import { useRef } from 'react';

import { Icon } from './icons';
import { useKeys } from './keys';

interface Props extends Omit<TextInputProps, 'onChange' | 'label' | 'placeholder' | 'ref' | 'type' | 'value'> {
  /** What can be found, and by what. */
  label: string;
  /** What stands in the empty field, where that is something else. */
  hint?: string;
  value: string;
  change: (text: string) => void;
}

/** Find is the search of a page: / leads into it. */
export function Find({ label, hint, value, change, ...more }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.focus() });
  return (
    <TextInput
      maxLength={256}
      {...more}
      ref={field}
      type="search"
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={hint ?? label}
      leftSection={<Icon name="search" />}
      value={value}
      onChange={(e) => change(e.currentTarget.value)}
      onKeyDown={(e) => {
        if (e.key !== 'Escape') return;
        // Browsers empty the field: what was looked for stays.
        e.preventDefault();
        e.currentTarget.blur();
      }}
    />
  );
}
