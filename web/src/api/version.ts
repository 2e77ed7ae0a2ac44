/** The header of answers that tells the version of the rows before they were made. */
export const versionHeader = 'X-Causeway-Version';

/**
 * Versions tells when an answer is older than where the stream of changes
 * begins: what has changed in between nobody tells of.
 */
export class Versions {
  /** Of the answers before the stream the oldest. */
  private oldest = Infinity;
  private begin: number | undefined;
  private missed: (() => void) | undefined;

  /** read takes an answer. */
  read(headers: Headers): void {
    const version = Number(headers.get(versionHeader) ?? NaN);
    if (Number.isNaN(version)) return;
    if (this.begin === undefined) this.oldest = Math.min(this.oldest, version);
    else if (version < this.begin) {
      // Once: what is read again is newer, unless it comes from another server.
      this.missed?.();
      this.missed = undefined;
    }
  }

  /** follow says where the stream begins; missed is called when answers from before are older, and once for those that come late. */
  follow(begin: number, missed: () => void): void {
    if (Number.isNaN(begin)) return;
    [this.begin, this.missed] = [begin, missed];
    if (this.oldest < begin) missed();
    this.oldest = Infinity;
  }

  /** stop forgets the stream. */
  stop(): void {
    [this.begin, this.missed] = [undefined, undefined];
  }
}

/** versions are those of all answers to this page. */
export const versions = new Versions();
