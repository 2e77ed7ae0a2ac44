// Package secrets keeps in Secrets of the hub what the server goes by: API keys, which sessions have ended, the passwords
// of accounts, and the key that sessions are signed with. What one replica writes, all know as soon as the API server tells.
//
// It does not decide what somebody may do, and serves nothing.
package secrets

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FieldOwner is that of what people change by the API.
const FieldOwner = client.FieldOwner("causeway-api")

// Label of the Secrets that are written.
const (
	partOf     = "app.kubernetes.io/part-of"
	partOfArgo = "argocd"
)

// Times of what is read for a request.
const (
	// believedFor is how long Secrets are believed that are not followed, so that a
	// flood of requests is none at the API server.
	believedFor = 10 * time.Second
	// readTime bounds a single read, or write.
	readTime = 10 * time.Second
)
