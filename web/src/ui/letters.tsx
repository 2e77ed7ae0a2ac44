import { Checkbox } from '@mantine/core';

import { t } from '../text';
import { useLetters } from './keys';

/** Letters turns keys of one character off, and on again. */
export function Letters() {
  const [letters, setLetters] = useLetters();
  return (
    <Checkbox
      label={t.help.letters}
      description={t.help.lettersLead}
      checked={letters}
      onChange={(e) => setLetters(e.currentTarget.checked)}
    />
  );
}
