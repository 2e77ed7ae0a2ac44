package secrets

import (
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Secret is what an ExternalSecret makes, as it may be printed: no values.
type Secret struct {
	Cluster   string `json:"cluster"`
	Namespace string `json:"namespace"`
	// ExternalSecret is the name of who makes it; empty for a Secret that none makes.
	ExternalSecret string `json:"externalSecret,omitempty"`
	// Kind and Name are those of what is made: a Secret, as a rule.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Exists reports whether it is there; nil where nobody could look: Secrets cannot be read, or it is of another kind.
	Exists *bool `json:"exists,omitempty"`
	// Application that the ExternalSecret belongs to, or else the Secret.
	Application string `json:"application,omitempty"`

	State
	Refresh

	Store Store `json:"store"`
	// Keys are what is read of stores and generators, in the order of the spec.
	Keys []Key `json:"keys,omitempty"`
	// Template tells that what is read goes through a template.
	Template bool `json:"template,omitempty"`
	// Policy is the creation policy.
	Policy string `json:"creationPolicy,omitempty"`
	// Versions are those that the provider told, by the keys of entries.
	Versions map[string]string `json:"versions,omitempty"`
	// Created is when the Secret was, Changed when other values were written into it last.
	Created *time.Time `json:"created,omitempty"`
	Changed *time.Time `json:"changed,omitempty"`
	// Leases are those of values that end.
	Leases []Lease    `json:"leases,omitempty"`
	UsedBy []Workload `json:"usedBy,omitempty"`

	// Owners and Writers are of a Secret that no ExternalSecret makes.
	Owners  []string `json:"owners,omitempty"`
	Writers []string `json:"writers,omitempty"`
	// Left tells that an ExternalSecret made it which is not there any more.
	Left bool `json:"left,omitempty"`
}

// Title names the Secret with its namespace.
func (s *Secret) Title() string { return gitops.ObjectName(s.Kind, s.Namespace, s.Name) }

// State is whether the Secret holds what it should.
type State struct {
	// Ready tells that it does.
	Ready bool `json:"ready"`
	// Reason is the condition's: SecretSynced, SecretSyncedError and others; Pending where nobody looked yet.
	Reason string `json:"reason,omitempty"`
	// Message is the last error, of one that is not Ready.
	Message string `json:"message,omitempty"`
	// Since is when it became so.
	Since *time.Time `json:"since,omitempty"`
}

// Refresh is when values are fetched.
type Refresh struct {
	Last *time.Time `json:"refreshed,omitempty"`
	// Next is when that is due again; nil for never, and for what a failure or a change brings.
	Next *time.Time `json:"nextRefresh,omitempty"`
	// When says what brings it: Periodic, OnChange or CreatedOnce.
	When string `json:"refreshPolicy,omitempty"`
}

// Store is where values come from, without credentials.
type Store struct {
	Kind string `json:"kind,omitempty"`
	Name string `json:"name,omitempty"`
	// Provider is what the store is, empty where it cannot be read.
	Provider string `json:"provider,omitempty"`
	// Address is the server, or the region.
	Address string `json:"address,omitempty"`
	// Problem is why nothing more is known of it.
	Problem string `json:"problem,omitempty"`

	restart string
}

// Key is one line of the spec: what is read, and which key of the Secret it becomes.
type Key struct {
	// Key of the Secret; empty where the store says which there are.
	Key string `json:"key,omitempty"`
	// Entry of the store, with its field and the version that the spec pins.
	Entry    string `json:"entry,omitempty"`
	Property string `json:"property,omitempty"`
	Pinned   string `json:"pinnedVersion,omitempty"`
	Metadata bool   `json:"metadata,omitempty"`
	// Find are entries by name, path or tags.
	Find string `json:"find,omitempty"`
	// Generator makes values instead of a store.
	Generator string `json:"generator,omitempty"`
	// Store is another one than the ExternalSecret's.
	Store string `json:"store,omitempty"`
	// Version is the one that the provider told.
	Version string `json:"version,omitempty"`
}

// Workload uses a Secret.
type Workload struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// By says how: env, envFrom, volume, imagePullSecrets, imagePullSecrets of its service account.
	By []string `json:"by"`
	// Restart is true or false where an annotation says whether it is restarted when values
	// change, and RestartBy is whose.
	Restart   string `json:"restart,omitempty"`
	RestartBy string `json:"restartBy,omitempty"`
}

// String is Deployment/web.
func (w Workload) String() string { return w.Kind + "/" + w.Name }
