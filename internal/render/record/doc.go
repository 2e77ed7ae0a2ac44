// Package record notes what a render learns about the world while it runs:
// the files it reads, the folders it lists, the look-ups that find nothing,
// the facts of the cluster it asks for. A Log of these notes tells later,
// without rendering, whether a new commit or a changed cluster could make
// any difference.
//
// It decides nothing about rendering and keeps no content: a note holds a
// digest or a short answer. Of what is decrypted it keeps the values, so that
// internal/redact can mask them.
package record
