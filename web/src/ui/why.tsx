import { TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';

import { t } from '../text';

/** Headers of a write: why it is made, for the audit. */
export type Reason = Record<string, string>;

/** As many bytes as the audit keeps of a reason. */
export const mostReason = 500;

/** reasonOf puts a text into the header; what is not ASCII is percent-encoded, as the API reads it. */
export function reasonOf(text: string): Reason {
  const words = text.trim();
  return words === '' ? {} : { 'X-Causeway-Reason': encodeURIComponent(words) };
}

/** within cuts a text, between characters, to what the audit keeps of it. */
export function within(text: string): string {
  const encoder = new TextEncoder();
  let bytes = 0;
  let out = '';
  for (const character of text) {
    bytes += encoder.encode(character).length;
    if (bytes > mostReason) break;
    out += character;
  }
  return out;
}

/** useWhy is the field of a dialog that writes, for who wants to say why, and what is sent of it. */
export function useWhy(): { reason: Reason; field: ReactNode } {
  const [text, setText] = useState('');
  return {
    reason: reasonOf(text),
    field: (
      <TextInput
        label={t.form.why}
        description={t.form.whyHint}
        value={text}
        autoComplete="off"
        onChange={(e) => setText(within(e.currentTarget.value))}
      />
    ),
  };
}
