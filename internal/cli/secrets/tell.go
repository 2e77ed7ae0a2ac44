package secrets

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// content is what was read of a cluster.
type content struct {
	cluster string
	// control is the namespace of Applications whose trackers have no namespace.
	control  string
	external []esv1.ExternalSecret
	stores   map[types.NamespacedName]Store
	secrets  map[types.NamespacedName]*metav1.PartialObjectMetadata
	// storesUnread and secretsUnread are why not all of them could be read: those that were not found may be there.
	storesUnread, secretsUnread error
	workloads                   []workload
}

// workload is what is kept of a Deployment and the like.
type workload struct {
	kind, namespace, name, restart string
	uses                           usage.Ways
}

const secretKind = "Secret"

// reasonPending is of an ExternalSecret that nobody looked at yet.
const reasonPending = "Pending"

// all tells of what the ExternalSecrets of the cluster make.
func (c *content) all() []Secret {
	out := make([]Secret, 0, len(c.external))
	for i := range c.external {
		out = append(out, c.tell(&c.external[i]))
	}
	return out
}

func (c *content) tell(one *esv1.ExternalSecret) Secret {
	s := Secret{
		Cluster: c.cluster, Namespace: one.Namespace, ExternalSecret: one.Name, Kind: secretKind, Name: one.SecretName(),
		Application: c.trackedBy(one, gitops.Key{Group: esv1.Group, Kind: esv1.ExternalSecretKind, Namespace: one.Namespace, Name: one.Name}),
		State:       stateOf(one), Refresh: refreshOf(one), Store: c.store(one), Keys: keysOf(&one.Spec),
		Template: one.Spec.Target.Template != nil, Policy: cmp.Or(string(one.Spec.Target.CreationPolicy), string(esv1.CreateOwner)),
	}
	if m := one.Spec.Target.Manifest; m != nil {
		s.Kind = m.Kind
	}
	if s.Kind != secretKind {
		return s
	}
	c.made(&s)
	s.UsedBy = c.usedBy(one.Namespace, s.Name)
	restart, by := c.policy(one)
	for i := range s.UsedBy {
		s.UsedBy[i].inherit(restart, by)
	}
	return s
}

// made adds what the Secret's metadata say.
func (c *content) made(s *Secret) {
	meta := c.secrets[types.NamespacedName{Namespace: s.Namespace, Name: s.Name}]
	exists := meta != nil
	if exists || c.secretsUnread == nil {
		s.Exists = &exists
	}
	if !exists {
		return
	}
	s.Created = timeOf(meta.CreationTimestamp)
	if at, err := time.Parse(time.RFC3339, meta.Annotations[esv1.AnnotationChanged]); err == nil {
		s.Changed = &at
	}
	s.Leases = leasesOf(lease.Parse(meta.Annotations[esv1.AnnotationLeases]))
	var versions map[string]string
	if json.Unmarshal([]byte(meta.Annotations[esv1.AnnotationVersions]), &versions) != nil {
		return // none, or none that can be read
	}
	s.Versions = versions
	for i := range s.Keys {
		if k := &s.Keys[i]; k.Generator == "" && k.Find == "" {
			k.Version = versions[k.Entry]
		}
	}
}

// trackedBy is the application that an object belongs to, as commands name it.
func (c *content) trackedBy(o metav1.Object, key gitops.Key) string {
	tracker, ok := gitops.TrackedBy(o.GetAnnotations()[gitops.AnnotationTracking], key)
	if !ok {
		return ""
	}
	namespace, name := gitops.SplitTrackingName(tracker, c.control)
	return gitops.NameFrom(c.control, namespace, name)
}

func timeOf(t metav1.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	at := t.UTC()
	return &at
}

func stateOf(one *esv1.ExternalSecret) State {
	for _, c := range one.Status.Conditions {
		if c.Type != "Ready" {
			continue
		}
		s := State{Ready: c.Status == string(metav1.ConditionTrue), Reason: c.Reason, Since: timeOf(c.LastTransitionTime)}
		if !s.Ready {
			s.Message = c.Message
		}
		return s
	}
	return State{Reason: reasonPending}
}

func refreshOf(one *esv1.ExternalSecret) Refresh {
	r := Refresh{Last: timeOf(one.Status.RefreshTime), When: string(esv1.RefreshPeriodic)}
	switch {
	case one.Once():
		r.When = string(esv1.RefreshCreatedOnce)
	case !one.Periodic():
		r.When = string(esv1.RefreshOnChange)
	case r.Last != nil:
		next := one.NextRefresh().UTC()
		r.Next = &next
	}
	return r
}

// store is the one that all entries of an ExternalSecret are of that name none themselves.
func (c *content) store(one *esv1.ExternalSecret) Store {
	ref := one.Spec.SecretStoreRef
	if ref.Name == "" {
		return Store{}
	}
	found, ok := c.stores[usage.StoreKey(one.Namespace, ref)]
	found.Kind, found.Name = cmp.Or(ref.Kind, esv1.SecretStoreKind), ref.Name
	switch {
	case ok:
	case c.storesUnread != nil:
		found.Problem = "cannot be read: " + c.storesUnread.Error()
	default:
		found.Problem = "does not exist"
	}
	return found
}

func (c *content) usedBy(namespace, secret string) []Workload {
	var out []Workload
	for i := range c.workloads {
		w := &c.workloads[i]
		if by := w.uses[secret]; w.namespace == namespace && len(by) > 0 {
			one := Workload{Kind: w.kind, Name: w.name, By: by, Restart: w.restart}
			if one.Restart != "" {
				one.RestartBy = one.String()
			}
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b Workload) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
	return out
}

// foreign tells of a Secret that no ExternalSecret makes.
func (c *content) foreign(meta *metav1.PartialObjectMetadata) Secret {
	s := Secret{Cluster: c.cluster, Namespace: meta.Namespace, Kind: secretKind, Name: meta.Name, Left: meta.Labels[esv1.LabelManaged] == "true"}
	s.Application = c.trackedBy(meta, gitops.Key{Kind: secretKind, Namespace: meta.Namespace, Name: meta.Name})
	c.secrets[types.NamespacedName{Namespace: s.Namespace, Name: s.Name}] = meta
	c.made(&s)
	for _, o := range meta.OwnerReferences {
		s.Owners = append(s.Owners, o.Kind+"/"+o.Name)
	}
	for _, f := range meta.ManagedFields {
		if f.Manager != "" && !slices.Contains(s.Writers, f.Manager) {
			s.Writers = append(s.Writers, f.Manager)
		}
	}
	s.UsedBy = c.usedBy(meta.Namespace, meta.Name)
	return s
}
