package v1alpha1

import (
	"slices"
	"strings"
)

// SyncPolicy says when and how an application is synced.
type SyncPolicy struct {
	// Automated syncs without being asked.
	Automated *SyncPolicyAutomated `json:"automated,omitempty"`
	// SyncOptions are Name=value options for the whole application.
	SyncOptions SyncOptions `json:"syncOptions,omitempty"`
	// Retry says how to try again after a failed sync.
	Retry *RetryStrategy `json:"retry,omitempty"`
	// ManagedNamespaceMetadata is for the namespace that CreateNamespace makes.
	ManagedNamespaceMetadata *ManagedNamespaceMetadata `json:"managedNamespaceMetadata,omitempty"`
}

// SyncPolicyAutomated says what is done without being asked.
type SyncPolicyAutomated struct {
	// Prune deletes objects that are no longer in the sources.
	Prune *bool `json:"prune,omitempty"`
	// SelfHeal undoes drift of the cluster.
	SelfHeal *bool `json:"selfHeal,omitempty"`
	// AllowEmpty lets a sync delete all objects.
	AllowEmpty *bool `json:"allowEmpty,omitempty"`
	// Enabled false turns the whole block off.
	Enabled *bool `json:"enabled,omitempty"`
}

// ManagedNamespaceMetadata is metadata for the destination namespace.
type ManagedNamespaceMetadata struct {
	// Labels of the namespace.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the namespace.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// RetryStrategy says how a failed sync is tried again.
type RetryStrategy struct {
	// Limit is how often; 0 is never, below 0 is without end.
	Limit int64 `json:"limit,omitempty"`
	// Backoff is how long to wait in between.
	Backoff *Backoff `json:"backoff,omitempty"`
	// Refresh tries the newest revision again instead of the first one.
	Refresh bool `json:"refresh,omitempty"`
}

// Backoff is a wait that grows with each attempt.
type Backoff struct {
	// Duration of the first wait: seconds, or a Go duration such as 2m.
	Duration string `json:"duration,omitempty"`
	// Factor by which the wait grows.
	Factor *int64 `json:"factor,omitempty"`
	// MaxDuration is the longest wait.
	MaxDuration string `json:"maxDuration,omitempty"`
}

// Names of sync options, the part before "=".
const (
	SyncOptionValidate                    = "Validate"
	SyncOptionCreateNamespace             = "CreateNamespace"
	SyncOptionPrune                       = "Prune"
	SyncOptionDelete                      = "Delete"
	SyncOptionPruneLast                   = "PruneLast"
	SyncOptionPrunePropagationPolicy      = "PrunePropagationPolicy"
	SyncOptionReplace                     = "Replace"
	SyncOptionForce                       = "Force"
	SyncOptionServerSideApply             = "ServerSideApply"
	SyncOptionClientSideApplyMigration    = "ClientSideApplyMigration"
	SyncOptionApplyOutOfSyncOnly          = "ApplyOutOfSyncOnly"
	SyncOptionSkipDryRunOnMissingResource = "SkipDryRunOnMissingResource"
	SyncOptionRespectIgnoreDifferences    = "RespectIgnoreDifferences"
	SyncOptionFailOnSharedResource        = "FailOnSharedResource"
)

// SyncOptions are options of the form Name=value.
type SyncOptions []string

// ParseSyncOptions reads the value of the sync-options annotation: options
// separated by commas.
func ParseSyncOptions(annotation string) SyncOptions {
	var out SyncOptions
	for part := range strings.SplitSeq(annotation, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// Has reports whether the option, written Name=value, is among them.
func (o SyncOptions) Has(option string) bool { return slices.Contains(o, option) }

// Value returns the value of the option of a name; where it occurs more than
// once the last counts.
func (o SyncOptions) Value(name string) (string, bool) {
	for _, option := range slices.Backward(o) {
		if n, v, ok := strings.Cut(option, "="); ok && n == name {
			return v, true
		}
	}
	return "", false
}

// IsAutomated reports whether syncs happen without being asked.
func (p *SyncPolicy) IsAutomated() bool {
	return p != nil && p.Automated != nil && (p.Automated.Enabled == nil || *p.Automated.Enabled)
}

// AutomatedPrune reports whether automated syncs delete what left the sources.
func (p *SyncPolicy) AutomatedPrune() bool { return p.IsAutomated() && isTrue(p.Automated.Prune) }

// AutomatedSelfHeal reports whether drift is undone.
func (p *SyncPolicy) AutomatedSelfHeal() bool {
	return p.IsAutomated() && isTrue(p.Automated.SelfHeal)
}

// AutomatedAllowEmpty reports whether an automated sync may delete everything.
func (p *SyncPolicy) AutomatedAllowEmpty() bool {
	return p.IsAutomated() && isTrue(p.Automated.AllowEmpty)
}

// Options returns the sync options, none for an absent policy.
func (p *SyncPolicy) Options() SyncOptions {
	if p == nil {
		return nil
	}
	return p.SyncOptions
}

func isTrue(b *bool) bool { return b != nil && *b }
