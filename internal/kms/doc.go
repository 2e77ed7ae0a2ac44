// Package kms serves the Kubernetes KMS v2 API on a socket: API servers have it encrypt the seeds that their objects
// at rest are encrypted with. It knows no key: whoever serves gives it one. The control plane's module compiles these
// files as well, so they import nothing of this one.
package kms
