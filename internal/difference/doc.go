// Package difference reports whether a live object is as its manifest says, by
// values alone: without an API server, and without a schema of custom
// resources. Its rules are those of Argo CD's client-side comparison, so that
// offline commands and clusters that refuse dry runs come to the verdict that
// people know.
//
// It also holds what every comparison needs: the rules that say which
// differences do not count. The marks that stand for the values of Secrets are
// of package redact.
package difference
