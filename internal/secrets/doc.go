// Package secrets is the part of the engine that brings secrets from where they
// live into clusters. Its folders hold what External Secrets' kinds mean:
//
//   - value, key, rewrite and template make the data of a Secret of what
//     providers give;
//   - provider says what a store has to do, with one folder for each kind of
//     store.
package secrets
