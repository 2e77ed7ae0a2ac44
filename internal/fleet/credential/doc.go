// Package credential gets short-lived credentials for API servers: from
// plugins, which are other programs, and from the clouds by their own SDKs. It
// keeps one until shortly before it expires, and gets another when an API
// server refuses it. It knows no Secret and no cluster.
package credential
