import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';

import { t } from '../text';
import { Message } from '../ui/state';

/** Boundary keeps the rest of the page when a part of it fails. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <Message
        icon="warning"
        title={t.state.crashed}
        alert
        action={<Button onClick={() => window.location.reload()}>{t.state.reload}</Button>}
      >
        <p>{t.state.crashedLead}</p>
      </Message>
    );
  }
}
