// Package chronicle takes what an engine did, and hands it on: syncs and what happened by
// itself to the store with its audit, counts to metrics, spans to a collector. It holds
// where the history is kept, and by which key.
//
// An engine whose history cannot be opened has a Chronicle all the same, without a Store.
package chronicle
