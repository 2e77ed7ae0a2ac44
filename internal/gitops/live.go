package gitops

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// HealthCode is an object's health in the words of the Application's status.
type HealthCode string

// The health codes, best to worst: see Worse.
const (
	Healthy       HealthCode = "Healthy"
	Suspended     HealthCode = "Suspended"
	Progressing   HealthCode = "Progressing"
	Missing       HealthCode = "Missing"
	Degraded      HealthCode = "Degraded"
	HealthUnknown HealthCode = "Unknown"
)

// Health is an assessment; the zero value means that the kind has none.
type Health struct {
	Code    HealthCode
	Message string
}

var healthOrder = map[HealthCode]int{Healthy: 0, Suspended: 1, Progressing: 2, Missing: 3, Degraded: 4, HealthUnknown: 5}

// Worse reports whether a is worse than b.
func Worse(a, b HealthCode) bool { return healthOrder[a] > healthOrder[b] }

// SyncCode is the result of a comparison in the words of the Application's status.
type SyncCode string

// The sync codes.
const (
	Synced      SyncCode = "Synced"
	OutOfSync   SyncCode = "OutOfSync"
	SyncUnknown SyncCode = "Unknown"
)

// Live is what the engine keeps of a live object: enough to decide, little
// enough to hold for a whole fleet. The object itself is read again when a
// person looks at it.
type Live struct {
	Key     Key
	Version schema.GroupVersionKind
	UID     types.UID

	ResourceVersion string
	Created         time.Time
	Deleting        bool
	Finalizers      []string

	// Tracking is the tracking-id annotation as it stands on the object.
	Tracking string
	// Annotations that steer pruning and waiting: see Steers. No others are
	// kept, and of one that is longer than MaxSteering its beginning.
	Annotations map[string]string
	// Owners are the UIDs of the owner references.
	Owners []types.UID

	// Fingerprint hashes the values of the fields that our field manager
	// owns; empty when it owns none.
	Fingerprint string
	// Content is that of ContentOf, where the fingerprint alone does not tell
	// whether the object is as desired; empty elsewhere.
	Content string
	// Merged tells that our field manager wrote the object and never applied
	// it: server-side apply does not take it as it is.
	Merged bool
	// Foreign tells that a manager whose fields we take over (kubectl's
	// client-side apply, argocd-controller) still owns some.
	Foreign bool

	Health Health
	// Images of the containers in the object's pod template.
	Images []string
}

// Change is a live object's change that may matter to an application.
type Change struct {
	// Server is the cluster.
	Server string
	// App is the application's name: out of the tracking id, which anybody may
	// write, or that of one which desires the object.
	App string
	Key Key
	// Asked tells that the application itself asked to be told.
	Asked bool
}
