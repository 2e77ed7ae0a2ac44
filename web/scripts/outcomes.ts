import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Outcome is how a test ended, a line of JSON in the file that CAUSEWAY_OUTCOMES names: see test/suite. */
interface Outcome {
  package: string;
  test: string;
  status: 'pass' | 'fail' | 'skip';
  seconds: number;
  first: string;
  flaky: boolean;
}

const statuses = { passed: 'pass', failed: 'fail', skipped: 'skip', pending: 'fail' } as const;

/** Outcomes writes down how tests end. */
export default class Outcomes implements Reporter {
  private readonly file = process.env.CAUSEWAY_OUTCOMES;

  private write(outcome: Outcome): void {
    if (this.file) appendFileSync(this.file, JSON.stringify(outcome) + '\n');
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    const diagnostic = test.diagnostic();
    this.write({
      package: named(test.module),
      test: test.fullName,
      status: statuses[state],
      seconds: (diagnostic?.duration ?? 0) / 1000,
      first: errors?.[0]?.message ?? '',
      flaky: diagnostic?.flaky ?? false,
    });
  }

  /** A file that could not be read or set up has errors of its own. */
  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors())
      this.write({ package: named(module), test: '', status: 'fail', seconds: 0, first: error.message, flaky: false });
  }
}

function named(module: TestModule): string {
  return `web/${relative(process.cwd(), module.moduleId)}`;
}
