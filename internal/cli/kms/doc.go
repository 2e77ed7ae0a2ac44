// Package kms has the command that encrypts Secrets at rest for API servers, and the one that makes a key for it.
package kms
